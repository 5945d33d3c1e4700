"""The step from scores to probabilities."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from steelyard.readout.scores import softmax


class Calibrator(Protocol):
    """Turns the scores of one distribution into probabilities.

    Attributes:
        digest: sha256 of what was fitted, or None when nothing was.
    """

    @property
    def digest(self) -> str | None: ...

    def apply(self, scores: np.ndarray, *, kind: str, exit_layer: int) -> np.ndarray:
        """Probabilities float64 (options,), summing to 1, of scores float64 (options,).

        Args:
            kind: "noul", "choice" or "score".
            exit_layer: the layer at which the scores were read.
        """
        ...

    def covers(self, *, kind: str, exit_layer: int, num_options: int) -> bool:
        """Whether `apply` takes such questions."""
        ...


class Uncalibrated:
    """Softmax, and the plain statement that nothing was fitted."""

    digest: str | None = None

    def apply(self, scores: np.ndarray, *, kind: str, exit_layer: int) -> np.ndarray:
        return softmax(scores)

    def covers(self, *, kind: str, exit_layer: int, num_options: int) -> bool:
        return True
