"""When to stop: the exits that are open, and the rule that uses them.

The network only offers exits; this is where stopping is decided, question by question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class ExitPolicy:
    """Which layers may speak, and how sure they must be.

    Attributes:
        layers: exits below the last layer, ascending; empty means full depth only.
        threshold: a question leaves as soon as the largest probability of each of its
            distributions is at least this (report section 5.2; theirs was 0.86).
    """

    layers: tuple[int, ...] = ()
    threshold: float = 1.0

    def open_exits(self, num_layers: int) -> tuple[int, ...]:
        """All exits, the last layer included."""
        return (*(layer for layer in self.layers if layer < num_layers), num_layers)


FULL_DEPTH = ExitPolicy()


def should_exit(distributions: Sequence[np.ndarray], threshold: float) -> bool:
    """Whether every distribution of a question is decided."""
    return all(float(distribution.max()) >= threshold for distribution in distributions)
