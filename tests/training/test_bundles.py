from collections import Counter

import pytest
from support.examples import choice, noul

from steelyard.training.bundles import drawn, epoch
from steelyard.training.shelf import MOST_QUESTIONS, shelved
from steelyard.types import Choice, Example

PLAIN = {"bare_share": 0.0, "layouts": {"isolated-v1": 1.0}}
LABELS = ("a", "b", "c", "d")


def labelled(examples):
    """How often each state is asked each question."""
    return Counter((str(one.state), str(one.question.instructions)) for one in examples)


def flat(bundles):
    return [example for bundle in bundles for example in bundle.examples]


def test_examples_with_the_same_state_stand_together_and_none_is_lost():
    examples = [noul("x"), choice("y"), noul("x", "Really?"), choice("x")]
    bundles = shelved(examples, "isolated-v1")
    assert [len(bundle.examples) for bundle in bundles] == [3, 1]
    assert labelled(flat(bundles)) == labelled(examples)


def test_a_state_with_many_questions_becomes_several_bundles():
    examples = [noul("x", f"{index}?") for index in range(2 * MOST_QUESTIONS + 1)]
    sizes = [len(bundle.examples) for bundle in shelved(examples, "isolated-v1")]
    assert sizes == [MOST_QUESTIONS, MOST_QUESTIONS, 1]


def test_an_epoch_is_the_same_for_the_same_seed_and_number_only():
    bundles = shelved([choice(f"s{index}", LABELS) for index in range(20)], "isolated-v1")
    first, again, other, later = (
        epoch(bundles, seed=seed, number=number, **PLAIN)
        for seed, number in ((1, 0), (1, 0), (2, 0), (1, 1))
    )
    assert first == again
    assert first != other and first != later
    assert labelled(flat(first)) == labelled(flat(later))


def test_options_are_reordered_and_keep_their_probabilities():
    bundles = shelved([choice(f"s{index}", LABELS) for index in range(200)], "isolated-v1")
    golds = Counter()
    for one in flat(epoch(bundles, seed=1, number=0, **PLAIN)):
        assert list(one.question.criteria)[one.gold] == "a"
        golds[one.gold] += 1
    assert set(golds) == {0, 1, 2, 3} and max(golds.values()) < 80


def test_a_share_of_the_choices_is_shown_without_descriptions():
    described = Choice("Which?", {"a": "first", "b": "second"})
    examples = [
        Example(f"s{index}", described, (1.0, 0.0), "made", str(index), "MIT")
        for index in range(300)
    ]
    shown = flat(
        epoch(shelved(examples, "isolated-v1"), seed=1, number=0,
              bare_share=0.1, layouts={"isolated-v1": 1.0})
    )  # fmt: skip
    bare = [one for one in shown if set(one.question.criteria.values()) == {None}]
    assert 12 <= len(bare) <= 55


def test_layouts_are_drawn_by_their_shares_and_the_mix_thins_a_source():
    bundles = shelved([choice(f"s{i}", source="much") for i in range(400)], "isolated-v1")
    shown = epoch(
        bundles, seed=1, number=0, bare_share=0.0,
        layouts={"isolated-v1": 3.0, "sandwich-v1": 1.0}, mix={"much": 0.5},
    )  # fmt: skip
    counts = Counter(bundle.layout for bundle in shown)
    assert 160 < len(shown) < 240
    assert 2 < counts["isolated-v1"] / counts["sandwich-v1"] < 5


@pytest.mark.parametrize("most", [2, 3])
def test_a_group_of_a_wide_choice_contains_the_likeliest_option(most):
    bundles = shelved([choice(f"s{index}", LABELS) for index in range(50)], "isolated-v1")
    places = Counter()
    for one in flat(epoch(bundles, seed=1, number=0, most_options=most, **PLAIN)):
        assert len(one.target) == most and sum(one.target) == pytest.approx(1)
        assert list(one.question.criteria)[one.gold] == "a"
        places[one.gold] += 1
    assert len(places) == most


def test_a_draw_takes_whole_bundles_up_to_its_size():
    examples = [noul(f"s{index // 3}", f"{index}?") for index in range(60)]
    bundles = shelved(examples, "isolated-v1")
    kept = drawn(bundles, 10)
    assert [len(bundle.examples) for bundle in kept] == [3, 3, 3]
    assert kept == drawn(bundles, 10)
    assert len(drawn(bundles, 1)) == 1
