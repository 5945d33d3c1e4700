"""Do probabilities come true as often as they say?"""

from __future__ import annotations

import numpy as np

from steelyard.errors import ShapeError


def expected_calibration_error(
    confidences: np.ndarray, outcomes: np.ndarray, num_bins: int = 10
) -> float:
    """Mean distance between stated and observed frequency over bins of equal width.

    Naeini, Cooper and Hauskrecht (2015): sum_b (n_b / n) |mean outcome - mean confidence| over the
    bins (0, 1/B], (1/B, 2/B], ...; 0 itself belongs to the first. It is biased upwards: even a
    perfect forecaster has a positive one on a finite sample.

    Args:
        confidences: (n,), in [0, 1], such as the largest probability of each answer.
        outcomes: (n,), in [0, 1]: 1 where the answer came true, or the share of votes for it.
        num_bins: 1 or more.
    Returns:
        A number in [0, 1], 0 is perfect.
    Raises:
        ShapeError: the arrays are empty, disagree on n, or leave [0, 1]; no bins.
    """
    confidences = _shares(confidences, "confidences")
    outcomes = _shares(outcomes, "outcomes")
    if outcomes.shape != confidences.shape:
        raise ShapeError(f"shape {outcomes.shape}; allowed: {confidences.shape}", field="outcomes")
    if num_bins < 1:
        raise ShapeError(f"{num_bins}; allowed: 1 or more", field="num_bins")
    inner_edges = np.arange(1, num_bins) / num_bins
    bins = np.digitize(confidences, inner_edges, right=True)  # (n,), an edge closes its bin
    gaps = np.bincount(bins, weights=outcomes - confidences, minlength=num_bins)
    return float(abs(gaps).sum() / len(confidences))


def _shares(values: np.ndarray, field: str) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ShapeError(f"shape {values.shape}; allowed: (n,) with n from 1", field=field)
    if not ((values >= 0) & (values <= 1)).all():
        raise ShapeError(f"{values.min()} to {values.max()}; allowed: 0 to 1", field=field)
    return values
