"""Do probabilities come true as often as they say?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import ShapeError


@dataclass(frozen=True, slots=True, eq=False)
class ReliabilityBins:
    """Stated and observed frequencies by bins of equal width.

    Attributes:
        places: (n,), the bin of each row.
        counts: (bins,); confidences, outcomes: (bins,), means; 0 in an empty bin.
    """

    places: np.ndarray
    counts: np.ndarray
    confidences: np.ndarray
    outcomes: np.ndarray


def reliability_bins(
    confidences: np.ndarray, outcomes: np.ndarray, num_bins: int = 10
) -> ReliabilityBins:
    """The bins (0, 1/B], (1/B, 2/B], ... of a reliability diagram; 0 itself is in the first.

    Args:
        confidences: (n,), in [0, 1]; outcomes: (n,), in [0, 1].
        num_bins: 1 or more.
    Raises:
        ShapeError: the arrays are empty, disagree on n, or leave [0, 1]; no bins.
    """
    confidences = as_shares(confidences, "confidences")
    outcomes = as_shares(outcomes, "outcomes")
    if outcomes.shape != confidences.shape:
        raise ShapeError(f"shape {outcomes.shape}; allowed: {confidences.shape}", field="outcomes")
    if num_bins < 1:
        raise ShapeError(f"{num_bins}; allowed: 1 or more", field="num_bins")
    inner_edges = np.arange(1, num_bins) / num_bins
    places = np.digitize(confidences, inner_edges, right=True)  # (n,), an edge closes its bin
    counts = np.bincount(places, minlength=num_bins)
    most = np.maximum(counts, 1)
    return ReliabilityBins(
        places,
        counts,
        np.bincount(places, weights=confidences, minlength=num_bins) / most,
        np.bincount(places, weights=outcomes, minlength=num_bins) / most,
    )


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
    bins = reliability_bins(confidences, outcomes, num_bins)
    gaps = abs(bins.outcomes - bins.confidences)
    return float(bins.counts @ gaps / len(bins.places))


def as_shares(values: np.ndarray, field: str) -> np.ndarray:
    """float64 (n,), each in [0, 1].

    Raises:
        ShapeError: another shape, or a value outside.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ShapeError(f"shape {values.shape}; allowed: (n,) with n from 1", field=field)
    if not ((values >= 0) & (values <= 1)).all():
        raise ShapeError(f"{values.min()} to {values.max()}; allowed: 0 to 1", field=field)
    return values
