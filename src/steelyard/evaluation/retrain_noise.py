"""How far apart runs of one recipe are that differ in nothing but the seed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TypeVar

import numpy as np

from steelyard.errors import TooFewRowsError

Key = TypeVar("Key", bound=Hashable)

T_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
)  # fmt: skip
"""Student's t at 97.5 % for 1 to 20 degrees of freedom; beyond, the last: a little wide."""


@dataclass(frozen=True, slots=True)
class Noise:
    """Attributes:
    runs: how many runs it was seen on.
    deviation: standard deviation of a measure between them.
    """

    runs: int
    deviation: float

    @property
    def range(self) -> float:
        """Two runs of the recipe differ by less than this in 95 % of pairs: t sqrt(2) s.

        With two runs t is 12.7, for they say little; with five it is 2.8.
        """
        return T_975[min(self.runs - 2, len(T_975) - 1)] * sqrt(2) * self.deviation


def retrain_noise(
    runs: Sequence[Mapping[Key, Mapping[str, float]]],
) -> dict[tuple[Key, str], Noise]:
    """(part, measure) -> noise, of the parts and measures that all runs have.

    Args:
        runs: of each run, on the same questions: part -> measure -> value.
    Raises:
        TooFewRowsError: fewer than two runs.
    """
    if len(runs) < 2:
        raise TooFewRowsError("retrain noise, a run each", rows=len(runs), needed=2)
    first, *others = runs
    return {
        (part, measure): Noise(
            len(runs), float(np.std([run[part][measure] for run in runs], ddof=1))
        )
        for part, measures in first.items()
        for measure in measures
        if all(measure in run.get(part, {}) for run in others)
    }
