"""How well a number tells true from false, whatever its scale and the share of each."""

from __future__ import annotations

import numpy as np

from steelyard.errors import ShapeError


def auroc(scores: np.ndarray, truths: np.ndarray) -> float:
    """P(a true one scores more than a false one), ties half (Hanley and McNeil 1982).

    Args:
        scores: (n,).
        truths: (n,), 0 or 1.
    Returns:
        A number in [0, 1]; 0.5 does not tell them apart; NaN where one of the two is missing.
    Raises:
        ShapeError: the arrays disagree on n.
    """
    scores, true = _checked(scores, truths)
    if true.all() or not true.any():
        return float("nan")
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    mean_rank = np.cumsum(counts) - (counts - 1) / 2  # of each distinct score, from 1
    num_true, num_false = int(true.sum()), int((~true).sum())
    wins = mean_rank[place][true].sum() - num_true * (num_true + 1) / 2  # Mann and Whitney's U
    return float(wins / (num_true * num_false))


def balanced_accuracy(scores: np.ndarray, truths: np.ndarray, threshold: float = 0.5) -> float:
    """Mean of the accuracies on true and on false, where more than the threshold says true.

    Args:
        scores: (n,).
        truths: (n,), 0 or 1.
    Returns:
        A number in [0, 1]; 0.5 for an answer that does not look; NaN where one of the two is
        missing.
    Raises:
        ShapeError: the arrays disagree on n.
    """
    scores, true = _checked(scores, truths)
    if true.all() or not true.any():
        return float("nan")
    said = scores > threshold
    return float((said[true].mean() + (~said[~true]).mean()) / 2)


def _checked(scores: np.ndarray, truths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores, true = np.asarray(scores, dtype=np.float64), np.asarray(truths) == 1
    if scores.ndim != 1 or true.shape != scores.shape:
        raise ShapeError(f"shapes {scores.shape} and {true.shape}; allowed: (n,) both")
    return scores, true
