"""What is minimised: proper scores of a distribution against a soft target.

    loss = cross entropy + a * Brier + b * RPS (scores only)

(Trutina report, 6.2, with a = 0.5). Rows are padded: an option that is not there has the score
-inf and the target 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class LossWeights:
    """How much each score counts.

    Attributes:
        brier: of the squared distance to the target distribution, sum over options.
        rps: of the ranked probability score of ordered levels, which is in [0, 1].
    """

    brier: float = 0.5
    rps: float = 1.0


def decision_losses(
    scores: Tensor, targets: Tensor, ordered: Tensor, weights: LossWeights
) -> Tensor:
    """The loss of each question, (questions,).

    Args:
        scores: (questions, options), unnormalised; -inf where there is no option.
        targets: (questions, options), each row sums to 1.
        ordered: (questions,), 1 where options are levels, else 0.
    """
    log_p = scores.log_softmax(dim=-1)
    p = log_p.exp()
    num_options = (scores > -torch.inf).sum(dim=-1)
    return (
        cross_entropies(log_p, targets)
        + weights.brier * (p - targets).square().sum(dim=-1)
        + weights.rps * ordered * ranked_probability_scores(p, targets, num_options)
    )


def cross_entropies(log_p: Tensor, targets: Tensor) -> Tensor:
    """-sum_k t_k ln p_k of each row; an absent option contributes nothing."""
    return -torch.where(targets > 0, targets * log_p, 0.0).sum(dim=-1)


def ranked_probability_scores(p: Tensor, targets: Tensor, num_levels: Tensor) -> Tensor:
    """sum_k (F_k - G_k)^2 / (K - 1) of each row, F and G the cumulative shares, K its levels.

    What does not depend on the forecast is left out (see metrics for the whole score). Levels that
    are not there stand at the end and add nothing; a single level costs 0.
    """
    steps = (p.cumsum(dim=-1) - targets.cumsum(dim=-1)).square()
    steps = torch.where(
        torch.arange(p.shape[-1], device=p.device) < (num_levels - 1).unsqueeze(-1), steps, 0.0
    )
    return steps.sum(dim=-1) / (num_levels - 1).clamp(min=1)


def divergences(log_p: Tensor, reference: Tensor) -> Tensor:
    """KL(reference || p) of each row, nats."""
    entropy = torch.where(reference > 0, reference * reference.log(), 0.0).sum(dim=-1)
    return entropy + cross_entropies(log_p, reference)
