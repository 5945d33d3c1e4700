"""typed-decisions: all kinds together against a teacher's distributions, beside two baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.errors import ShapeError
from steelyard.evaluation.run import Prediction
from steelyard.metrics.distances import (
    brier_distances,
    kl_divergences,
    masses_at_mode,
)
from steelyard.metrics.forecasts import padded
from steelyard.metrics.reliability import expected_calibration_error

FLOOR = 1e-9
"""Forecasts below count as this in the divergence, as on the card of the data set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The four figures of the card.

    Attributes:
        accuracy: the likeliest option is one that no other beats in the target. Of several
            likeliest one is taken at random; of several best targets any is right (31 of the
            card's 2,000 are such).
        kl: KL(target || forecast), in nats.
        brier: squared distance to the target, 0 to 2.
        ece: of the likeliest option against its mass in the target, 10 bins.
    """

    accuracy: float
    kl: float
    brier: float
    ece: float


def typed_decisions(
    predictions: Sequence[Prediction], priors: Mapping[str, tuple[float, ...]]
) -> dict[str, Line]:
    """The figures of the answers, of the uniform and of the prior.

    A model whose divergence is above the uniform's knows less than nothing of how sure to be: on
    this data set that is true of several strong ones, so the three are never told apart.

    Args:
        priors: example id -> what is known of its answer without its state; see `label_priors`.
    Raises:
        ShapeError: no predictions, or one whose prior is missing.
    """
    if not predictions:
        raise ShapeError("none; allowed: one or more", field="predictions")
    for one in predictions:
        if one.example not in priors:
            raise ShapeError(f"none of example {one.example}", field="priors")
    targets = padded([one.target for one in predictions])
    return {
        "answers": _line(padded([one.probabilities for one in predictions]), targets),
        "uniform": _line(
            padded([(1 / len(one.target),) * len(one.target) for one in predictions]), targets
        ),
        "prior": _line(padded([priors[one.example] for one in predictions]), targets),
    }


def _line(forecasts: np.ndarray, targets: np.ndarray) -> Line:
    return Line(
        accuracy=float(_accuracies(forecasts, targets).mean()),
        kl=float(kl_divergences(np.maximum(forecasts, FLOOR), targets).mean()),
        brier=float(brier_distances(forecasts, targets).mean()),
        ece=expected_calibration_error(
            forecasts.max(axis=1).clip(0, 1), masses_at_mode(forecasts, targets).clip(0, 1)
        ),
    )


def _accuracies(forecasts: np.ndarray, targets: np.ndarray) -> np.ndarray:
    likeliest = forecasts == forecasts.max(axis=1, keepdims=True)
    right = targets == targets.max(axis=1, keepdims=True)
    shares: np.ndarray = (likeliest & right).sum(axis=1) / likeliest.sum(axis=1)
    return shares
