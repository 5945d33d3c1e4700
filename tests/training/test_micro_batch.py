from dataclasses import replace

import numpy as np
import pytest
import torch
from support.examples import choice, noul, score
from support.training import small_run

from steelyard.tokens.plan import ROOT, Batch, BatchRead, HiddenRead, Segment
from steelyard.training.micro_batch import joined, placed
from steelyard.training.shelf import Bundle, shelved


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return small_run(tmp_path_factory.mktemp("micro"))


def asked(run, examples, layout="isolated-v1"):
    return [run.asker.ask(bundle) for bundle in shelved(examples, layout)]


EXAMPLES = [
    *(noul(f"state {i}", f"Is it {j}?") for i in range(5) for j in range(3)),
    choice("state 2", ["x", "y", "z", "w"]),
    score("state 3", ["low", "middle", "high"]),
]


@pytest.mark.parametrize("budget", [1, 200, 400, 10**6])
def test_every_example_is_in_one_batch_and_no_batch_of_several_states_is_too_large(run, budget):
    micros = list(run.asker.micro_batches(asked(run, EXAMPLES), budget))
    found = [example for micro in micros for example in micro.examples]
    assert sorted(map(repr, found)) == sorted(map(repr, EXAMPLES))
    for micro in micros:
        states = {str(example.state) for example in micro.examples}
        assert micro.batch.num_rows <= budget or len(states) == 1


def test_a_state_is_computed_once_for_all_its_questions(run):
    (one,) = asked(run, [noul("a long state " * 20)])
    (three,) = asked(run, [noul("a long state " * 20, f"Is it {i}?") for i in range(3)])
    (micro,) = run.asker.micro_batches([three], 10**6)
    assert micro.batch.num_rows == three.num_tokens < 2 * one.num_tokens


@pytest.mark.parametrize("layout", ["isolated-v1", "sandwich-v1", "sandwich-shared-v1"])
def test_together_and_alone_the_scores_are_the_same(run, layout):
    bundles = [Bundle(b.state, b.examples, layout) for b in shelved(EXAMPLES, layout)]
    made = [run.asker.ask(bundle) for bundle in bundles]
    with torch.no_grad():
        (together,) = run.asker.micro_batches(made, 10**6)
        whole = run.trainee.scores(together)
        row = 0
        for each in made:
            (alone,) = run.asker.micro_batches([each], 10**6)
            for layer, scores in run.trainee.scores(alone).items():
                size = scores.shape[1]
                part = whole[layer][row : row + len(scores)]
                torch.testing.assert_close(part[:, :size], scores, rtol=0, atol=1e-5)
                assert (part[:, size:] == -torch.inf).all()
            row += len(alone.examples)


@pytest.mark.parametrize("layout", ["isolated-v1", "sandwich-v1", "sandwich-shared-v1"])
def test_what_all_states_begin_with_is_computed_once_and_changes_no_score(run, layout):
    made = [run.asker.ask(Bundle(b.state, b.examples, layout)) for b in shelved(EXAMPLES, layout)]
    apart, together = placed(made), placed(made, join=True)
    assert [segment.parent for segment in together.batch.segments].count(ROOT) == 1
    saved = apart.batch.num_rows - together.batch.num_rows
    roots = [segment.parent for segment in apart.batch.segments].count(ROOT)
    assert saved % (roots - 1) == 0
    assert saved >= 20 * (roots - 1), "the system message is longer than that"
    with torch.no_grad():
        scores = run.trainee.scores(together)
        for layer, expected in run.trainee.scores(apart).items():
            torch.testing.assert_close(scores[layer], expected, rtol=0, atol=1e-5)


def test_a_root_that_is_read_keeps_its_read(run):
    tree = Batch(
        ids=np.array([1, 2, 3, 9, 1, 2, 4]),
        positions=np.array([0, 1, 2, 3, 0, 1, 2]),
        segments=(
            Segment(0, 0, 0, 3, ROOT),
            Segment(0, 1, 3, 4, 0),
            Segment(1, 0, 4, 7, ROOT),
        ),
        reads=(BatchRead(1, 3, HiddenRead(0)), BatchRead(2, 5, HiddenRead(1))),
    )
    found = joined(tree)
    assert found.ids.tolist() == [1, 2, 3, 9, 2, 4]
    assert found.positions.tolist() == [0, 1, 2, 3, 1, 2]
    assert [(s.begin, s.end, s.parent) for s in found.segments] == [
        *((0, 1, ROOT), (1, 3, 0), (3, 4, 1)),
        (4, 6, 0),
    ]
    assert [(read.segment, read.row) for read in found.reads] == [(2, 3), (3, 4)]
    alone = replace(tree, segments=tree.segments[:2], reads=tree.reads[:1])
    assert joined(alone) is alone


def test_large_trees_have_the_scores_of_small_ones(run, monkeypatch):
    made = asked(run, EXAMPLES)
    (micro,) = run.asker.micro_batches(made, 10**6)
    found = {}
    for most in (0, 10**6):  # attention's jobs, and one masked product for each stack
        monkeypatch.setattr("steelyard.backbone.masked.MOST_ROWS_CPU", most)
        for parameter in dict(run.trainee.named_parameters()).values():
            parameter.grad = None
        scores = run.trainee.scores(micro)[3]
        scores.masked_fill(scores == -torch.inf, 0.0).square().sum().backward()
        gradients = {
            name: p.grad for name, p in run.trainee.named_parameters() if p.grad is not None
        }
        found[most] = (scores.detach(), gradients)
    torch.testing.assert_close(found[0][0], found[10**6][0], rtol=0, atol=1e-5)
    assert found[0][1].keys() == found[10**6][1].keys() and len(found[0][1]) > 20
    for name, gradient in found[0][1].items():
        scale = gradient.abs().max().clamp(min=1e-3)
        assert (gradient - found[10**6][1][name]).abs().max() < 1e-4 * scale
