"""Vector and Dirichlet scaling, for questions that all have the same options.

A weight belongs to an option by its place, so the place must mean the same in every row: the levels
of one scale, yes and no, or one choice asked again and again. For choices that differ see tied.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steelyard.calibration.minimise import minimise
from steelyard.calibration.readings import Scored, Stacked, stack
from steelyard.errors import ShapeError
from steelyard.readout.scores import log_softmax, softmax

OFF_DIAGONAL, BIAS = 1e-3, 1e-3
"""lambda and mu of Kull et al.'s ODIR penalty; they chose among 10^-7 to 10^3 by folds."""


@dataclass(frozen=True, slots=True)
class MatrixScaling:
    """softmax(W ln p + b), where p = softmax(scores).

    Attributes:
        weights: K rows of K; diagonal for vector scaling (Guo et al. 2017), full for Dirichlet
            calibration (Kull et al. 2019, 1910.12656).
        biases: K.
    """

    weights: tuple[tuple[float, ...], ...]
    biases: tuple[float, ...]
    keeps_order: ClassVar[bool] = False

    def __call__(self, scores: np.ndarray) -> np.ndarray:
        """Probabilities.

        Raises:
            ShapeError: another number of options than was fitted.
        """
        if len(scores) != len(self.biases):
            raise ShapeError(
                f"{len(scores)} options; allowed: {len(self.biases)}, for which it was fitted"
            )
        return softmax(np.array(self.weights) @ log_softmax(scores) + np.array(self.biases))


def fit_vector(readings: Sequence[Scored]) -> MatrixScaling:
    """A weight and a bias for each option, of least mean cross-entropy and mu/K sum b^2.

    Raises:
        ShapeError: no readings, option counts that differ, scores that separate the targets.
    """
    rows = _same_options(readings)
    k = rows.scores.shape[1]

    def unpack(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.diag(at[:k]), at[k:]

    return _fit(rows, unpack, lambda slope: np.diag(slope), np.ones(k))


def fit_dirichlet(readings: Sequence[Scored]) -> MatrixScaling:
    """All weights and biases, of least mean cross-entropy with the ODIR penalty.

    lambda/(K(K-1)) sum_{i != j} W_ij^2 + mu/K sum b^2; the diagonal is free.

    Raises:
        ShapeError: no readings, option counts that differ, scores that separate the targets.
    """
    rows = _same_options(readings)
    k = rows.scores.shape[1]

    def unpack(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return at[:-k].reshape(k, k), at[-k:]

    return _fit(rows, unpack, lambda slope: slope.ravel(), np.eye(k).ravel())


def _fit(
    rows: Stacked,
    unpack: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    pack: Callable[[np.ndarray], np.ndarray],
    identity: np.ndarray,
) -> MatrixScaling:
    """Both fits: `unpack` makes (K, K) and (K,) of parameters, `pack` a slope's (K, K) theirs."""
    n, k = rows.scores.shape
    logs = np.apply_along_axis(log_softmax, 1, rows.scores)  # (n, K)
    off_diagonal = OFF_DIAGONAL * (1 - np.eye(k)) / max(1, k * (k - 1))

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        weights, bias = unpack(at)
        raised = logs @ weights.T + bias
        raised -= raised.max(axis=1, keepdims=True)
        logs_q = raised - np.log(np.exp(raised).sum(axis=1, keepdims=True))
        penalty = (off_diagonal * weights**2).sum() + BIAS / k * float(bias @ bias)
        gap = (np.exp(logs_q) - rows.targets) / n  # (n, K)
        slope = gap.T @ logs + 2 * off_diagonal * weights
        bias_slope = gap.sum(axis=0) + 2 * BIAS / k * bias
        value = float(-(rows.targets * logs_q).sum() / n + penalty)
        return value, np.concatenate([pack(slope), bias_slope])

    weights, bias = unpack(minimise(loss, np.concatenate([identity, np.zeros(k)])))
    return MatrixScaling(tuple(tuple(map(float, row)) for row in weights), tuple(map(float, bias)))


def _same_options(readings: Sequence[Scored]) -> Stacked:
    rows = stack(readings)
    if not rows.options.all():
        counts = sorted(set(rows.num_options.tolist()))
        raise ShapeError(f"readings of {counts} options; allowed: one count for all of them")
    return rows
