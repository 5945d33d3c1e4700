import numpy as np
import pytest
import torch

from steelyard.training.loss import (
    LossWeights,
    cross_entropies,
    decision_losses,
    divergences,
    ranked_probability_scores,
)

INF = float("inf")


def padded():
    """Three questions with 2, 4 and 3 options."""
    rng = np.random.default_rng(1)
    scores = torch.tensor(rng.normal(size=(3, 4)), dtype=torch.float64)
    targets = torch.zeros(3, 4, dtype=torch.float64)
    for row, size in enumerate((2, 4, 3)):
        scores[row, size:] = -INF
        targets[row, :size] = torch.from_numpy(rng.dirichlet(np.ones(size)))
    return scores.requires_grad_(), targets, (2, 4, 3)


def by_hand(scores, targets, ordered, weights):
    """Sums over the options that are there, one question at a time."""
    p = np.exp(scores - scores.max())
    p /= p.sum()
    loss = -sum(t * np.log(q) for t, q in zip(targets, p, strict=True))
    loss += weights.brier * sum((q - t) ** 2 for t, q in zip(targets, p, strict=True))
    if ordered:
        steps = [(p[: k + 1].sum() - targets[: k + 1].sum()) ** 2 for k in range(len(p) - 1)]
        loss += weights.rps * sum(steps) / (len(p) - 1)
    return loss


@pytest.mark.parametrize("ordered", [0.0, 1.0])
def test_losses_are_the_sums_of_their_definition(ordered):
    scores, targets, sizes = padded()
    weights = LossWeights(brier=0.5, rps=0.7)
    found = decision_losses(scores, targets, torch.full((3,), ordered).double(), weights)
    for row, size in enumerate(sizes):
        expected = by_hand(
            scores[row, :size].detach().numpy(), targets[row, :size].numpy(), ordered, weights
        )
        assert found[row].item() == pytest.approx(expected, abs=1e-12)


def test_gradients_are_finite_and_none_reaches_an_absent_option():
    scores, targets, _ = padded()
    decision_losses(scores, targets, torch.ones(3).double(), LossWeights()).sum().backward()
    assert scores.grad.isfinite().all()
    assert scores.grad[scores == -INF].abs().max() == 0


def test_a_divergence_is_zero_only_at_the_reference():
    scores, targets, _ = padded()
    log_p = scores.log_softmax(dim=-1)
    assert divergences(log_p, log_p.exp()).abs().max() < 1e-12
    found = divergences(log_p, targets)
    assert (found > 0).all()
    entropy = -torch.where(targets > 0, targets * targets.log(), 0.0).sum(dim=-1)
    torch.testing.assert_close(found, cross_entropies(log_p, targets) - entropy)


def test_a_miss_by_two_levels_costs_more_than_by_one_and_a_single_level_nothing():
    p = torch.eye(3).double()[[0, 0, 0]]
    targets = torch.eye(3).double()
    found = ranked_probability_scores(p, targets, torch.tensor([3, 3, 3]))
    assert found.tolist() == [0.0, 0.5, 1.0]
    one = torch.ones(1, 1).double()
    assert ranked_probability_scores(one, one, torch.tensor([1])).item() == 0
