"""Temperatures: one number, or one that grows with the logarithm of the number of options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steelyard.calibration.exit_temperature import fit_temperature
from steelyard.calibration.minimise import minimise
from steelyard.calibration.readings import Scored, Stacked, stack
from steelyard.models.manifest import COLDEST, HOTTEST
from steelyard.readout.scores import softmax


@dataclass(frozen=True, slots=True)
class Temperature:
    """softmax(scores / T) (Guo et al. 2017, 1706.04599).

    Attributes:
        temperature: above 0; below 1 sharpens.
    """

    temperature: float
    keeps_order: ClassVar[bool] = True

    def __call__(self, scores: np.ndarray) -> np.ndarray:
        return softmax(scores / self.temperature)


@dataclass(frozen=True, slots=True)
class SmoothTemperature:
    """softmax(scores / T(n)) with T(n) = a + b ln n for n options (decider-ai 1.10).

    Between buckets nothing jumps, and counts without rows of their own get a temperature from their
    neighbours. T stays within [COLDEST, HOTTEST], however far n is from what was fitted.
    """

    a: float
    b: float
    keeps_order: ClassVar[bool] = True

    def __call__(self, scores: np.ndarray) -> np.ndarray:
        return softmax(scores / self.at(len(scores)))

    def at(self, num_options: int) -> float:
        """The temperature for so many options."""
        return float(np.clip(self.a + self.b * np.log(num_options), COLDEST, HOTTEST))


def fit_constant(readings: Sequence[Scored]) -> Temperature:
    """The temperature of least mean cross-entropy from targets to probabilities.

    Raises:
        ShapeError: no readings, or what is none.
    """
    return Temperature(fit_temperature(readings))


def fit_smooth(readings: Sequence[Scored]) -> SmoothTemperature:
    """The a and b of least mean cross-entropy; where all rows have one option count, b is 0.

    The cross-entropy is convex in 1/T and not in (a, b), so the search starts from the best
    constant, and ends no worse than it.

    Raises:
        ShapeError: no readings, or what is none.
    """
    rows = stack(readings)
    constant = fit_temperature(readings)
    if len(set(rows.num_options)) == 1:
        return SmoothTemperature(constant, 0.0)
    logs = np.log(rows.num_options)

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        free = at[0] + at[1] * logs
        heat = free.clip(COLDEST, HOTTEST)  # (n,)
        value, gap = _loss(rows, heat)
        # d loss / d T = gap * -1/T^2, and nothing where the clamp holds
        slope = np.where(free == heat, -gap / heat**2, 0.0) / len(heat)
        return value, np.array([slope.sum(), slope @ logs])

    a, b = minimise(loss, np.array([constant, 0.0]))
    return SmoothTemperature(float(a), float(b))


def _loss(rows: Stacked, heat: np.ndarray) -> tuple[float, np.ndarray]:
    """Mean cross-entropy at temperatures (n,), and (n,) its slope of each row in 1/T."""
    raised = np.where(rows.options, rows.scores / heat[:, None], -np.inf)
    raised -= raised.max(axis=1, keepdims=True)
    weights = np.exp(raised)
    total = weights.sum(axis=1, keepdims=True)
    logs = np.where(rows.options, raised, 0.0) - np.log(total)
    expected = (weights / total * rows.scores).sum(axis=1)
    wanted = (rows.targets * rows.scores).sum(axis=1)
    return float(-(rows.targets * logs).sum(axis=1).mean()), expected - wanted
