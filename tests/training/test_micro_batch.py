import pytest
import torch
from support.examples import choice, noul, score
from support.training import small_run

from steelyard.training.bundles import Bundle, bundled


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return small_run(tmp_path_factory.mktemp("micro"))


def asked(run, examples, layout="isolated-v1"):
    return [run.asker.ask(bundle) for bundle in bundled(examples, layout)]


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
    bundles = [Bundle(b.state, b.examples, layout) for b in bundled(EXAMPLES, layout)]
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


def test_large_trees_have_the_scores_of_small_ones(run, monkeypatch):
    made = asked(run, EXAMPLES)
    (micro,) = run.asker.micro_batches(made, 10**6)
    found = {}
    for most in (0, 10**6):  # attention's jobs, and one masked product for each stack
        monkeypatch.setattr("steelyard.backbone.masked.MOST_ROWS", most)
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
