"""Scores of forecasts against outcomes.

Each comes twice: the plural gives one number per row, which is what `bootstrap_interval` resamples,
and the singular is their mean. A noul is a forecast over two options. Rows with fewer options than
others are padded with zero probabilities at the end, which changes no score but the normalised RPS.
"""

from __future__ import annotations

import numpy as np

from steelyard.errors import ShapeError
from steelyard.metrics.distances import brier_distances, ranked_probability_distances
from steelyard.metrics.forecasts import as_forecasts


def hits(probabilities: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """1.0 where the most probable option (the first of several) is the outcome, else 0.0.

    Args:
        probabilities: (n, k), each row sums to 1.
        labels: (n,), integers in [0, k).
    Returns:
        float64 (n,).
    Raises:
        ShapeError: the arrays are empty, disagree on n, or hold no such values.
    """
    probabilities, labels = _checked(probabilities, labels)
    hit: np.ndarray = probabilities.argmax(axis=1) == labels
    return hit.astype(np.float64)


def brier_scores(probabilities: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Squared distance between forecast and outcome, sum_k (p_k - y_k)^2, of each row.

    Brier (1950), the score P over all options: for a noul twice the (p - y)^2 that is also called
    Brier score.

    Args:
        probabilities: (n, k), each row sums to 1.
        labels: (n,), integers in [0, k).
    Returns:
        float64 (n,), in [0, 2], 0 is perfect.
    Raises:
        ShapeError: the arrays are empty, disagree on n, or hold no such values.
    """
    probabilities, labels = _checked(probabilities, labels)
    return brier_distances(probabilities, _one_hot(labels, probabilities.shape[1]))


def log_losses(probabilities: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The outcome's -ln p, in nats, of each row.

    Nothing is clipped: an outcome that was called impossible costs infinity.

    Args:
        probabilities: (n, k), each row sums to 1.
        labels: (n,), integers in [0, k).
    Returns:
        float64 (n,), from 0 up to and including infinity, 0 is perfect.
    Raises:
        ShapeError: the arrays are empty, disagree on n, or hold no such values.
    """
    probabilities, labels = _checked(probabilities, labels)
    with np.errstate(divide="ignore"):
        losses: np.ndarray = -np.log(probabilities[np.arange(len(labels)), labels])
    return losses


def ranked_probability_scores(
    probabilities: np.ndarray, labels: np.ndarray, *, normalised: bool = False
) -> np.ndarray:
    """Squared distance between cumulative forecast and outcome, sum_{j<k} (F_j - O_j)^2, per row.

    Epstein (1969): the sum of (F - O)^2 over the k - 1 events "at most level j", so a miss by one
    level costs less than a miss by two.

    Args:
        probabilities: (n, k), levels low to high, each row sums to 1.
        labels: (n,), integers in [0, k).
        normalised: divide by k - 1, so that the range is [0, 1].
    Returns:
        float64 (n,), in [0, k - 1], 0 is perfect; a single level always scores 0.
    Raises:
        ShapeError: the arrays are empty, disagree on n, or hold no such values.
    """
    probabilities, labels = _checked(probabilities, labels)
    outcomes = _one_hot(labels, probabilities.shape[1])
    return ranked_probability_distances(probabilities, outcomes, normalised=normalised)


def accuracy(probabilities: np.ndarray, labels: np.ndarray) -> float:
    """Share of rows whose most probable option is the outcome; see `hits`."""
    return float(hits(probabilities, labels).mean())


def brier_score(probabilities: np.ndarray, labels: np.ndarray) -> float:
    """Mean squared distance between forecast and outcome, in [0, 2]; see `brier_scores`."""
    return float(brier_scores(probabilities, labels).mean())


def log_loss(probabilities: np.ndarray, labels: np.ndarray) -> float:
    """Mean of -ln p of the outcome, in nats; see `log_losses`."""
    return float(log_losses(probabilities, labels).mean())


def ranked_probability_score(
    probabilities: np.ndarray, labels: np.ndarray, *, normalised: bool = False
) -> float:
    """Mean ranked probability score; see `ranked_probability_scores`."""
    return float(ranked_probability_scores(probabilities, labels, normalised=normalised).mean())


def _one_hot(labels: np.ndarray, k: int) -> np.ndarray:
    outcomes: np.ndarray = np.eye(k)[labels]  # (n, k)
    return outcomes


def _checked(probabilities: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    probabilities = as_forecasts(probabilities, "probabilities")
    labels = np.asarray(labels)
    n, k = probabilities.shape
    if labels.shape != (n,) or labels.dtype.kind not in "iu":
        raise ShapeError(
            f"{labels.dtype} of shape {labels.shape}; allowed: integers of shape ({n},)",
            field="labels",
        )
    if labels.min() < 0 or labels.max() >= k:
        raise ShapeError(
            f"values from {labels.min()} to {labels.max()}; allowed: 0 to {k - 1}", field="labels"
        )
    return probabilities, labels
