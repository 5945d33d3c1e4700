"""Calibration error without bins."""

from __future__ import annotations

import numpy as np

from steelyard.errors import ShapeError
from steelyard.metrics.reliability import as_shares

GRID = 4096
LEAST_WIDTH, MOST_WIDTH = 1e-3, 1.0
STEPS = 40


def smooth_ece(confidences: np.ndarray, outcomes: np.ndarray) -> float:
    """smECE of Blasiok and Nakkiran (2023, arXiv 2309.12236): the residuals, smoothed.

    smECE_s = integral over t of |mean_i K_s(t, c_i) (y_i - c_i)|, K_s a Gaussian of width s that is
    reflected at 0 and 1. The width is not chosen: it is the one at which smECE_s = s. Unlike the
    binned error it does not jump when a confidence crosses an edge, and it falls to 0 with more
    rows for a perfect forecaster.

    Args:
        confidences: (n,), in [0, 1].
        outcomes: (n,), in [0, 1].
    Returns:
        A number in [0, 1], 0 is perfect; one below 0.001 is what it is at that width.
    Raises:
        ShapeError: the arrays are empty, disagree on n, or leave [0, 1].
    """
    confidences, outcomes = as_shares(confidences, "confidences"), as_shares(outcomes, "outcomes")
    if outcomes.shape != confidences.shape:
        raise ShapeError(f"shape {outcomes.shape}; allowed: {confidences.shape}", field="outcomes")
    modes = _cosine_modes(confidences, (outcomes - confidences) / len(confidences))
    low, high = LEAST_WIDTH, MOST_WIDTH
    if _smoothed(modes, low) <= low:
        return _smoothed(modes, low)
    for _ in range(STEPS):  # what is smoothed more is smaller, so the two cross once
        width = (low + high) / 2
        low, high = (width, high) if _smoothed(modes, width) > width else (low, width)
    return (low + high) / 2


def _cosine_modes(places: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """Coefficients a_k of sum_k a_k cos(pi k t) for point masses on [0, 1], k up to GRID.

    Reflection at both ends is what cosines do by themselves. A mass is shared between the two
    points of the grid beside it, so that its place is kept on average.
    """
    scaled = places * GRID
    left = np.minimum(scaled.astype(np.int64), GRID - 1)
    share = scaled - left
    points = np.bincount(left, weights=masses * (1 - share), minlength=GRID + 1)
    points += np.bincount(left + 1, weights=masses * share, minlength=GRID + 1)
    around = np.concatenate([points, points[-2:0:-1]])  # even, with period 2
    around[[0, GRID]] *= 2  # an end is its own image
    sums: np.ndarray = np.fft.rfft(around).real  # 2 sum_i m_i cos(pi k t_i)
    sums[0] /= 2
    return sums


def _smoothed(modes: np.ndarray, width: float) -> float:
    """Integral of the absolute sum after a reflected Gaussian of this width."""
    k = np.arange(len(modes))
    kept = modes * np.exp(-np.square(np.pi * k * width) / 2)  # the heat kernel of an interval
    kept[1:-1] /= 2
    heights = abs(np.fft.irfft(kept, n=2 * GRID)[: GRID + 1]) * 2 * GRID
    return float((heights[1:] + heights[:-1]).sum() / (2 * GRID))
