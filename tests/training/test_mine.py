"""What is hard, how the rest is drawn, and what a replayed target teaches."""

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from support.examples import choice, noul
from support.training import small_examples, small_run

import steelyard
from steelyard.data.soft import around_mean, hard, ordinal, votes
from steelyard.errors import RequestError, ShapeError
from steelyard.evaluation.run import run as answers
from steelyard.training.export import export
from steelyard.training.loop import train
from steelyard.training.loss import LossWeights, cross_entropies, decision_losses, divergences
from steelyard.training.mine import (
    MinePlan,
    apportioned,
    mine,
    replayed,
    standing,
    thinned,
)
from steelyard.training.shelf import shelved
from steelyard.training.targets import targets_of
from steelyard.types import Choice, Example, Score

SURE, WRONG = (0.9, 0.05, 0.05), (0.1, 0.6, 0.3)


def labelled(target, *, levels=False):
    names = [str(index) for index in range(len(target))]
    question = Score("How much?", names) if levels else Choice("Which?", names)
    return Example("s", question, tuple(target), "made", "g", "MIT")


# -- what is hard -----------------------------------------------------------------------------


@pytest.mark.parametrize("below", [0.5, 0.8, 0.95])
def test_a_certain_label_is_hard_where_it_is_missed_or_gets_less_than_below(below):
    rng = np.random.default_rng(1)
    example = labelled((0.0, 1.0, 0.0, 0.0))
    found = Counter()
    for p in rng.dirichlet((0.3, 2.0, 0.3, 0.3), 300):
        expected = "hard" if p.argmax() != 1 or p[1] < below else "easy"
        assert standing(p, example, below) == expected
        found[expected] += 1
    assert min(found.values()) > 10


def test_a_decided_label_that_is_missed_is_hard_however_little_is_asked():
    example = labelled((0.7, 0.3))
    assert standing((0.49, 0.51), example, 0.3) == "hard"
    assert standing((0.51, 0.49), example, 0.3) == "easy"


@pytest.mark.parametrize("levels", [2, 3, 5, 10])
def test_what_smoothing_left_to_other_options_is_asked_of_nobody(levels):
    gold = levels // 2
    spoken = np.full(levels, 1e-9)
    spoken[gold] = 1 - 1e-9 * (levels - 1)
    assert standing(spoken, labelled(hard(levels, gold)), 0.8) == "easy"
    target = ordinal(levels, gold)
    assert standing(target, labelled(target, levels=True), 0.8) == "easy"


def test_a_contested_label_is_not_hard_because_its_gold_has_little():
    example = labelled(votes((5, 4)))
    assert standing((0.45, 0.55), example, 0.8) == "contested"  # likeliest option missed
    assert standing(example.target, example, 0.8) == "contested"
    assert standing((0.02, 0.98), example, 0.8) == "hard"


def test_a_contested_label_is_hard_only_where_knowing_nothing_is_better():
    example = labelled(around_mean(5, 2.5), levels=True)  # half on each of two levels
    nothing = (0.2,) * 5
    assert standing(nothing, example, 0.8) == "contested"  # though its divergence is 0.92
    assert standing((0.4, 0.3, 0.15, 0.1, 0.05), example, 0.8) == "hard"


def test_a_forecast_over_other_options_is_refused():
    with pytest.raises(ShapeError, match="2 probabilities; allowed: 3"):
        standing((0.5, 0.5), labelled((1.0, 0.0, 0.0)), 0.8)


def test_a_mix_thins_a_source_by_whole_groups():
    examples = [
        choice(f"{name} {index}", source=name, group=str(index // 2))
        for name in ("much", "little")
        for index in range(600)
    ]
    kept = thinned(examples, {"much": 0.3}, seed=1)
    assert [one for one in kept if one.source == "little"] == examples[600:]
    groups = Counter(one.group for one in kept if one.source == "much")
    assert set(groups.values()) == {2} and 60 < len(groups) < 120
    assert thinned(examples, {"much": 0.3}, seed=1) == kept
    assert thinned(examples, {"much": 0.3}, seed=2) != kept


# -- what is kept -----------------------------------------------------------------------------


def pool():
    """Two sources of 40 and 120 examples, a quarter hard; states have two questions each."""
    examples, forecasts = [], []
    for name, number in (("small", 40), ("large", 120)):
        for index in range(number):
            examples.append(
                choice(f"{name} {index // 2}", source=name, instructions=f"{index % 2}?")
            )
            forecasts.append(WRONG if index % 4 == 0 else SURE)
    return examples, forecasts


def asked(example):
    return example.state, example.question.instructions


def roles(mined, examples, forecasts):
    """The kept examples by what they are: their targets and forecasts tell."""
    by_key = {asked(e): (e, f) for e, f in zip(examples, forecasts, strict=True)}
    found = {"hard": [], "easy": [], "replay": []}
    for one in mined.examples:
        origin, forecast = by_key[asked(one)]
        if one.target != origin.target:
            found["replay"].append(one)
        else:
            found["hard" if forecast == WRONG else "easy"].append(one)
    return found


def test_all_hard_are_kept_with_a_share_of_easy_ones_and_as_many_replayed():
    examples, forecasts = pool()
    mined = mine(examples, forecasts, MinePlan(), seed=1)
    found = roles(mined, examples, forecasts)
    assert {role: len(those) for role, those in found.items()} == {
        "hard": 40, "easy": 10, "replay": 50
    }  # fmt: skip
    assert len({asked(one) for one in mined.examples}) == 100, "one is kept twice"
    for role, small, large in (("hard", 10, 30), ("easy", 3, 7), ("replay", 13, 37)):
        assert Counter(one.source for one in found[role]) in (
            {"small": small, "large": large},
            {"small": small - 1, "large": large + 1},  # a half may go either way
        )


def test_the_report_counts_what_was_kept():
    examples, forecasts = pool()
    examples.append(replace(labelled(votes((5, 4))), source="votes"))
    forecasts.append((0.5, 0.5))
    mined = mine(examples, forecasts, MinePlan(replay=0.5), seed=1)
    found = roles(mined, [*examples[:-1], labelled((1.0, 0.0))], forecasts)
    assert [(one.name, one.read, one.found_hard, one.contested) for one in mined.sources] == [
        ("small", 40, 10, 0), ("large", 120, 30, 0), ("votes", 1, 0, 1)
    ]  # fmt: skip
    for one in mined.sources:
        for role in ("hard", "easy", "replay"):
            assert getattr(one, role) == sum(e.source == one.name for e in found[role])
    assert (mined.wanted_easy, mined.wanted_replay) == (10, 25)


def test_sources_stand_together_in_the_order_of_the_pool():
    examples, forecasts = pool()
    mixed = np.random.default_rng(0).permutation(len(examples))
    mined = mine([examples[i] for i in mixed], [forecasts[i] for i in mixed], MinePlan(), seed=1)
    names = [one.source for one in mined.examples]
    assert sum(a != b for a, b in pairwise(names)) == 1
    assert names[0] == examples[mixed[0]].source


def test_the_same_seed_draws_the_same_and_another_others():
    examples, forecasts = pool()
    first, again, other = (mine(examples, forecasts, MinePlan(), seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_at_most_so_many_hard_are_kept_and_the_others_can_be_replayed():
    examples, forecasts = pool()
    mined = mine(examples, forecasts, MinePlan(most_hard=12, easy=0.0, replay=99.0), seed=1)
    found = roles(mined, examples, forecasts)
    assert Counter(one.source for one in found["hard"]) == {"small": 3, "large": 9}
    assert len(found["replay"]) == 148 and mined.wanted_replay == 12 * 99
    assert sum(one.found_hard for one in mined.sources) == 40


def test_hard_ones_are_drawn_by_the_sources_shares_among_the_hard():
    examples = [choice(f"s{index}", source="ab"[index % 2]) for index in range(80)]
    forecasts = [WRONG if index % 8 in (0, 1, 2, 4) else SURE for index in range(80)]
    mined = mine(examples, forecasts, MinePlan(most_hard=20, easy=0.0, replay=0.0), seed=1)
    assert [(one.found_hard, one.hard) for one in mined.sources] == [(30, 15), (10, 5)]


def test_the_questions_of_a_state_are_replayed_together():
    examples = [choice(f"s{index // 4}", instructions=f"{index % 4}?") for index in range(80)]
    forecasts = [WRONG if index < 8 else SURE for index in range(80)]
    mined = mine(examples, forecasts, MinePlan(easy=0.0, replay=2.5), seed=1)
    states = Counter(one.state for one in mined.examples if one.target[0] != 1.0)
    assert list(states.values()) == [4] * 5


@pytest.mark.parametrize(
    ("total", "expected"),
    [
        (0, {"a": 0, "b": 0, "c": 0}),
        (4, {"a": 1, "b": 2, "c": 1}),
        (13, {"a": 3, "b": 7, "c": 3}),
        (30, {"a": 10, "b": 10, "c": 10}),  # b is full: what it cannot take goes to the others
        (1000, {"a": 100, "b": 10, "c": 100}),
    ],
)
def test_parts_follow_the_shares_as_far_as_there_is_room(total, expected):
    found = apportioned(total, {"a": 1, "b": 2, "c": 1}, {"a": 100, "b": 10, "c": 100})
    assert found == expected


@pytest.mark.parametrize(
    ("field", "value"),
    [("below", 1.0), ("below", 0.0), ("easy", -0.1), ("replay", math.inf),
     ("replay_weight", 0.0), ("most_hard", 0)],
)  # fmt: skip
def test_a_plan_that_makes_no_sense_is_refused(field, value):
    with pytest.raises(RequestError, match="allowed") as caught:
        MinePlan(**{field: value})
    assert caught.value.field == field


# -- what a replayed target teaches -----------------------------------------------------------


def distributions(seed, size):
    """Scores of a model that learns, and the distribution that it had."""
    rng = np.random.default_rng(seed)
    scores = torch.tensor(rng.normal(size=size), dtype=torch.float64)
    return scores, torch.from_numpy(rng.dirichlet(np.full(size, 0.7)))


def test_a_replayed_example_asks_for_the_forecast_with_its_share_of_the_weight():
    example = replace(noul("x", yes=1.0), weight=3.0)
    found = replayed(example, (0.3000001, 0.7000001), 0.5)
    assert found.target == pytest.approx((0.3, 0.7)) and math.fsum(found.target) == 1
    assert found.weight == 1.5
    assert replace(found, target=example.target, weight=3.0) == example


@pytest.mark.parametrize("size", [2, 3, 7])
def test_the_cross_entropy_to_a_replayed_target_has_the_gradient_of_the_divergence(size):
    scores, before = distributions(size, size)
    example = replayed(labelled((1.0, *[0.0] * (size - 1))), before.tolist(), 1.0)
    target = targets_of([example], torch.device("cpu")).shares.double()
    gradients, values = [], []
    for function in (cross_entropies, divergences):
        free = scores.clone().unsqueeze(0).requires_grad_()
        value = function(free.log_softmax(dim=-1), target)
        value.sum().backward()
        gradients.append(free.grad)
        values.append(value.item())
    torch.testing.assert_close(*gradients)
    assert values[1] > 0
    entropy = -(before * before.log()).sum().item()
    assert values[0] - values[1] == pytest.approx(entropy, abs=1e-6)
    by_hand = scores.softmax(dim=0) - before  # the gradient of KL(q || softmax(z)) in z
    torch.testing.assert_close(gradients[0][0], by_hand, atol=1e-6, rtol=1e-5)


def curvature(scores, target, ordered, weights):
    def loss(free):
        return decision_losses(
            free.unsqueeze(0), target.unsqueeze(0), torch.tensor([ordered]), weights
        ).sum()

    found = torch.autograd.functional.hessian(loss, scores)
    slope = torch.autograd.functional.jacobian(loss, scores)
    return found, slope


@pytest.mark.parametrize("ordered", [0.0, 1.0])
@pytest.mark.parametrize("size", [2, 3, 7])
def test_brier_and_rps_leave_the_resting_point_and_add_at_most_their_half_of_the_pull(
    size, ordered
):
    for seed in range(20):
        _, before = distributions(seed, size)
        if seed == 0:  # where the bound is reached
            before = torch.zeros(size, dtype=torch.float64)
            before[0] = before[-1] = 0.5 - 1e-3 * (size > 2)
            before += (1 - before.sum()) / size
        scores = before.log()
        alone, _ = curvature(scores, before, ordered, LossWeights(brier=0.0, rps=0.0))
        whole, slope = curvature(scores, before, ordered, LossWeights())
        assert slope.abs().max() < 1e-12
        added = torch.linalg.eigvalsh(whole - alone)
        assert added.min() > -1e-12
        most = (0.5 + 0.5 * ordered) * alone
        assert torch.linalg.eigvalsh(most - (whole - alone)).min() > -1e-12


def pull(run, examples):
    """The norm of the gradient of the mean loss in the adapters and the head."""
    asked_ = map(run.asker.ask, shelved(examples, "isolated-v1"))
    total = 0.0
    for micro in run.asker.micro_batches(asked_, 10**6):
        targets = targets_of(micro.examples, run.trainee.decoder.device)
        scores = run.trainee.scores(micro)[run.trainee.decoder.config.layers]
        losses = decision_losses(scores, targets.shares, targets.ordered, LossWeights())
        total = total + losses.mean()
    parameters = [p for name, p in run.trainee.named_parameters() if not name.startswith("exits.")]
    gradients = torch.autograd.grad(total, parameters)
    return math.sqrt(sum(float(g.square().sum()) for g in gradients))


@pytest.mark.parametrize("readout", ["pointer-set", "letters"])
def test_where_the_first_stage_ended_what_it_says_pulls_at_nothing(tmp_path, readout):
    first = small_run(tmp_path, model={"readout": readout}, optim={"steps": 3, "lr": 2e-2})
    train(first)
    export(first, tmp_path / "model", name="first", merged=torch.float32)  # now at its best weights
    examples = small_examples(6, seed=4)

    def replay(**how):
        with steelyard.load(tmp_path / "model", **how) as engine:
            path = tmp_path / f"{len(how)}.jsonl"
            said = [one.probabilities for one in answers(engine, "s", examples, path)]
        return [replayed(e, p, 1.0) for e, p in zip(examples, said, strict=True)]

    labels = pull(first, examples)
    assert labels > 1e-2
    assert pull(first, replay(calibrated=False)) < 1e-3 * labels
    assert pull(first, replay()) > 1e-2 * labels, "temperatures would be taught to the weights"
