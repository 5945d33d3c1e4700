"""A temperature for each exit layer and kind: probabilities are softmax(scores / T).

Temperature scaling (Guo et al. 2017, 1706.04599) fitted on target distributions. An exit's logits
have their own scale; it is part of its temperature.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.calibration.readings import Scored, stack
from steelyard.errors import CapabilityError
from steelyard.models.manifest import COLDEST, HOTTEST
from steelyard.readout.scores import softmax

HALVINGS = 60
"""Of the interval of log T, whose length is 6: beyond the precision of a float."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Scores that were read for a question, and what they should have said.

    Attributes:
        kind: "noul", "choice" or "score".
        scores: finite float64 (options,).
        target: float64 (options,), summing to 1.
    """

    kind: str
    scores: np.ndarray
    target: np.ndarray


@dataclass(frozen=True, slots=True)
class ExitTemperature:
    """A `Calibrator`: layer -> kind -> temperature, each finite and above 0."""

    temperatures: Mapping[int, Mapping[str, float]]

    def apply(self, scores: np.ndarray, *, kind: str, exit_layer: int) -> np.ndarray:
        """softmax(scores / T).

        Raises:
            CapabilityError: no temperature was fitted for the layer or the kind.
        """
        try:
            temperature = self.temperatures[exit_layer][kind]
        except KeyError:
            fitted = "; ".join(
                f"{layer}: {', '.join(kinds)}" for layer, kinds in self.temperatures.items()
            )
            raise CapabilityError(
                f"no temperature was fitted for a {kind} at layer {exit_layer}; fitted: {fitted}"
            ) from None
        return softmax(scores / temperature)

    def covers(self, *, kind: str, exit_layer: int, num_options: int) -> bool:
        """Whether a temperature was fitted for the layer and the kind."""
        return kind in self.temperatures.get(exit_layer, ())

    @property
    def digest(self) -> str:
        """sha256 over the temperatures, hexadecimal."""
        ordered = sorted((layer, sorted(of.items())) for layer, of in self.temperatures.items())
        return hashlib.sha256(json.dumps(ordered).encode()).hexdigest()


def fit_exit_temperature(readings: Mapping[int, Sequence[Labelled]]) -> ExitTemperature:
    """One temperature for each layer and each kind among its readings.

    Args:
        readings: layer -> what was read there. None of it may have trained the weights.
    """
    return ExitTemperature(
        {
            layer: {
                kind: fit_temperature([one for one in labelled if one.kind == kind])
                for kind in sorted({one.kind for one in labelled})
            }
            for layer, labelled in sorted(readings.items())
        }
    )


def fit_temperature(labelled: Sequence[Scored]) -> float:
    """The T in [COLDEST, HOTTEST] of least mean cross-entropy from targets to softmax(scores / T).

    The cross-entropy is convex in 1/T, and its slope there is the mean over readings of
    (expected score under the forecast) - (expected score under the target). So the slope changes
    its sign once, and halving finds where.

    Raises:
        ShapeError: nothing to fit on, scores that are not finite, targets of another shape.
    """
    rows = stack(labelled)
    scores, options = rows.scores, rows.options
    wanted = (rows.targets * scores).sum()

    def too_hot(temperature: float) -> bool:
        raised = np.where(options, scores / temperature, -np.inf)
        weights = np.exp(raised - raised.max(axis=1, keepdims=True))
        expected = (weights * scores).sum(axis=1) / weights.sum(axis=1)
        return bool(expected.sum() < wanted)

    low, high = np.log(COLDEST), np.log(HOTTEST)
    if not too_hot(HOTTEST):
        return HOTTEST
    if too_hot(COLDEST):
        return COLDEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if too_hot(float(np.exp(middle))) else (middle, high)
    return float(np.exp((low + high) / 2).clip(COLDEST, HOTTEST))  # exp(log x) may miss x
