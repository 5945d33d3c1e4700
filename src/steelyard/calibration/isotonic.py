"""Isotonic regression for nouls: the best non-decreasing map, whatever its shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steelyard.calibration.platt import log_odds
from steelyard.calibration.readings import Scored


@dataclass(frozen=True, slots=True)
class Isotonic:
    """P(yes) by interpolation between knots on the log-odds of yes, constant beyond the ends.

    Attributes:
        odds: of the knots, ascending.
        shares: P(yes) at them, non-decreasing, strictly between 0 and 1.
    """

    odds: tuple[float, ...]
    shares: tuple[float, ...]
    keeps_order: ClassVar[bool] = False

    def __call__(self, scores: np.ndarray) -> np.ndarray:
        yes = float(np.interp(scores[0] - scores[1], self.odds, self.shares))
        return np.array([yes, 1.0 - yes])


def fit_isotonic(readings: Sequence[Scored]) -> Isotonic:
    """The non-decreasing map of least squares, by pooling adjacent violators (Ayer et al. 1955).

    Its ends would say 0 and 1 wherever the outermost rows agree, and one surprise would then cost
    an infinite log loss. So shares stay within [1/(n+2), (n+1)/(n+2)], Laplace's rule of succession
    for a block of all n rows.

    Raises:
        ShapeError: no readings, or one that has not two options.
    """
    odds, yes = log_odds(readings)
    places, where, counts = np.unique(odds, return_inverse=True, return_counts=True)
    shares = pooled(np.bincount(where, weights=yes) / counts, counts.astype(np.float64))
    least = 1 / (len(odds) + 2)
    shares = shares.clip(least, 1 - least)
    # of a flat stretch only its ends say something
    inner = (shares[1:-1] == shares[:-2]) & (shares[1:-1] == shares[2:])
    kept = np.concatenate([[True], ~inner, [True]])[: len(places)]
    return Isotonic(tuple(places[kept].tolist()), tuple(shares[kept].tolist()))


def pooled(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The non-decreasing sequence nearest to the values (n,) in weighted squares."""
    blocks: list[tuple[float, float, int]] = []  # (mean, weight, length)
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        block = (value, weight, 1)
        while blocks and blocks[-1][0] >= block[0]:
            mean, mass, length = blocks.pop()
            total = mass + block[1]
            block = ((mean * mass + block[0] * block[1]) / total, total, length + block[2])
        blocks.append(block)
    return np.repeat([mean for mean, _, _ in blocks], [length for _, _, length in blocks])
