"""Distances of forecasts from target distributions: votes, an exact law, or an outcome as one-hot.

One number per row, which is what `bootstrap_interval` resamples. Rows with fewer options than
others are padded with zeros at the end of both, which changes no distance but the normalised RPS.
"""

from __future__ import annotations

import numpy as np

from steelyard.errors import ShapeError
from steelyard.metrics.forecasts import as_forecasts


def mode_hits(probabilities: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """1.0 where the most probable option (the first of several) is one that no other beats.

    Args:
        probabilities, targets: (n, k), each row sums to 1.
    Returns:
        float64 (n,); any of several equally voted options is right.
    Raises:
        ShapeError: the arrays are empty, disagree in shape, or hold no distributions.
    """
    probabilities, targets = _checked(probabilities, targets)
    hit: np.ndarray = _mass_at_mode(probabilities, targets) == targets.max(axis=1)
    return hit.astype(np.float64)


def masses_at_mode(probabilities: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """The target's mass on the most probable option: how often a random voter agrees with it.

    Args:
        probabilities, targets: (n, k), each row sums to 1.
    Returns:
        float64 (n,), in [0, 1].
    Raises:
        ShapeError: the arrays are empty, disagree in shape, or hold no distributions.
    """
    return _mass_at_mode(*_checked(probabilities, targets))


def cross_entropies(probabilities: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Expected -ln p under the target, -sum_k t_k ln p_k, in nats.

    Nothing is clipped: what has a share of the target and was called impossible costs infinity.

    Args:
        probabilities, targets: (n, k), each row sums to 1.
    Returns:
        float64 (n,), from the target's entropy up to and including infinity.
    Raises:
        ShapeError: the arrays are empty, disagree in shape, or hold no distributions.
    """
    probabilities, targets = _checked(probabilities, targets)
    voted = targets > 0
    with np.errstate(divide="ignore"):
        logs = np.log(np.where(voted, probabilities, 1.0))  # 0 where it does not count
    losses: np.ndarray = -(targets * logs).sum(axis=1)
    return losses


def kl_divergences(probabilities: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """KL(target || forecast) = sum_k t_k ln(t_k / p_k), in nats (Kullback and Leibler 1951).

    Args:
        probabilities, targets: (n, k), each row sums to 1.
    Returns:
        float64 (n,), from 0 up to and including infinity; the log loss where a target is one-hot.
    Raises:
        ShapeError: the arrays are empty, disagree in shape, or hold no distributions.
    """
    divergences: np.ndarray = cross_entropies(probabilities, targets) - cross_entropies(
        targets, targets
    )
    return divergences


def total_variations(probabilities: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Total variation sum_k |p_k - t_k| / 2: the mass that would have to move.

    Args:
        probabilities, targets: (n, k), each row sums to 1.
    Returns:
        float64 (n,), in [0, 1], 0 is perfect; 1 - p of the outcome where a target is one-hot.
    Raises:
        ShapeError: the arrays are empty, disagree in shape, or hold no distributions.
    """
    probabilities, targets = _checked(probabilities, targets)
    distances: np.ndarray = np.abs(probabilities - targets).sum(axis=1) / 2
    return distances


def brier_distances(probabilities: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Squared distance sum_k (p_k - t_k)^2, the Brier score where a target is one-hot.

    Args:
        probabilities, targets: (n, k), each row sums to 1.
    Returns:
        float64 (n,), in [0, 2], 0 is perfect.
    Raises:
        ShapeError: the arrays are empty, disagree in shape, or hold no distributions.
    """
    probabilities, targets = _checked(probabilities, targets)
    distances: np.ndarray = np.square(probabilities - targets).sum(axis=1)
    return distances


def ranked_probability_distances(
    probabilities: np.ndarray, targets: np.ndarray, *, normalised: bool = False
) -> np.ndarray:
    """Squared distance between cumulative distributions, sum_{j<k} (F_j - T_j)^2 (Epstein 1969).

    Over the k - 1 events "at most level j", so a miss by one level costs less than a miss by two.
    With votes it is the expected RPS less the votes' own spread, so that 0 can be reached.

    Args:
        probabilities, targets: (n, k), levels low to high, each row sums to 1.
        normalised: divide by k - 1, so that the range is [0, 1].
    Returns:
        float64 (n,), in [0, k - 1], 0 is perfect; a single level always scores 0.
    Raises:
        ShapeError: the arrays are empty, disagree in shape, or hold no distributions.
    """
    probabilities, targets = _checked(probabilities, targets)
    k = probabilities.shape[1]
    difference = (probabilities - targets).cumsum(axis=1)[:, :-1]  # (n, k - 1), F - T
    distances: np.ndarray = np.square(difference).sum(axis=1)
    return distances / max(1, k - 1) if normalised else distances


def _mass_at_mode(probabilities: np.ndarray, targets: np.ndarray) -> np.ndarray:
    masses: np.ndarray = targets[np.arange(len(targets)), probabilities.argmax(axis=1)]
    return masses


def _checked(probabilities: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    probabilities = as_forecasts(probabilities, "probabilities")
    targets = as_forecasts(targets, "targets")
    if targets.shape != probabilities.shape:
        raise ShapeError(
            f"shape {targets.shape}; allowed: {probabilities.shape}, like the forecasts",
            field="targets",
        )
    return probabilities, targets
