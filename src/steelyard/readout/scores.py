"""Arithmetic on the scores of one distribution: log-probabilities up to a constant, (options,)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def log_softmax(scores: np.ndarray) -> np.ndarray:
    """Normalised log-probabilities of unnormalised log-scores (options,)."""
    shifted = scores - scores.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))


def softmax(scores: np.ndarray) -> np.ndarray:
    """Probabilities of unnormalised log-scores (options,); -inf scores get 0."""
    exponentials = np.exp(scores - scores.max())
    return np.asarray(exponentials / exponentials.sum())


def margin(probabilities: np.ndarray) -> float:
    """Distance between the two largest of `probabilities`; 1.0 for a single option."""
    if len(probabilities) == 1:
        return 1.0
    second, first = np.sort(probabilities)[-2:]
    return float(first - second)


def mean_of(scores: Sequence[np.ndarray]) -> np.ndarray:
    """Log of the arithmetic mean of several distributions over the same options."""
    stacked = np.stack([log_softmax(one) for one in scores])  # (readings, options)
    return np.asarray(np.logaddexp.reduce(stacked, axis=0) - np.log(len(stacked)))
