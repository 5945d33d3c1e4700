"""Scaling for varying option counts, its parameters tied across them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steelyard.calibration.minimise import minimise
from steelyard.calibration.readings import Scored, stack
from steelyard.readout.scores import softmax

POSITIONS = 26
"""Places in the list of options that may have a bias of their own; those after share none."""

RIDGE = 1e-3
"""On the biases, as a mean over rows: a place that few rows reach stays near 0."""


@dataclass(frozen=True, slots=True)
class TiedScaling:
    """q_i in proportion to exp((a + c ln K) z_i + b_i) for option i of K.

    Kull et al.'s Dirichlet map (2019, 1910.12656) with the weights tied to one slope per option
    count and a bias for each place in the list: what a model prefers about a place is taken back.
    The slope is one over a temperature, so a = 1, c = 0, b = 0 is the softmax.

    Attributes:
        a, c: of the slope.
        biases: of the first places; those beyond have 0.
    """

    a: float
    c: float
    biases: tuple[float, ...]
    keeps_order: ClassVar[bool] = False

    def __call__(self, scores: np.ndarray) -> np.ndarray:
        bias = np.zeros(len(scores))
        known = min(len(scores), len(self.biases))
        bias[:known] = self.biases[:known]
        return softmax((self.a + self.c * np.log(len(scores))) * scores + bias)


def fit_tied(readings: Sequence[Scored]) -> TiedScaling:
    """The parameters of least mean cross-entropy and RIDGE / 2 |b|^2; the problem is convex.

    Where all rows have one option count, c is 0.

    Raises:
        ShapeError: no readings, or what is none.
    """
    rows = stack(readings)
    n, width = rows.scores.shape
    places = min(width, POSITIONS)
    logs = np.log(rows.num_options)
    free_c = len(set(rows.num_options)) > 1

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        slope, bias = at[0] + at[1] * logs, np.zeros(width)
        bias[:places] = at[2:]
        raised = np.where(rows.options, slope[:, None] * rows.scores + bias, -np.inf)
        raised -= raised.max(axis=1, keepdims=True)
        total = np.exp(raised).sum(axis=1, keepdims=True)
        logs_q = np.where(rows.options, raised, 0.0) - np.log(total)
        value = -(rows.targets * logs_q).sum() / n + RIDGE / 2 * float(at[2:] @ at[2:])
        gap = np.exp(raised) / total - rows.targets  # (n, width)
        pull = (gap * rows.scores).sum(axis=1)
        return value, np.concatenate(
            [
                [pull.mean(), (pull @ logs) / n if free_c else 0.0],
                gap.sum(axis=0)[:places] / n + RIDGE * at[2:],
            ]
        )

    found = minimise(loss, np.array([1.0, 0.0, *[0.0] * places]))
    return TiedScaling(float(found[0]), float(found[1]), tuple(map(float, found[2:])))
