"""Where a fitted map applies: an exit, a kind, and a range of option counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from steelyard.calibration.readings import Reading

Range: TypeAlias = tuple[int, int | None]
"""Fewest and most options, both included; None has no upper end."""

BUCKETS: tuple[Range, ...] = ((1, 2), (3, 5), (6, 10), (11, None))
"""Laya 0.4.15's option buckets: a temperature depends on how many options share the mass."""

ANY_COUNT: tuple[Range, ...] = ((1, None),)


@dataclass(frozen=True, slots=True)
class Slot:
    """Questions that share one map.

    Attributes:
        exit_layer: at which their scores are read.
        kind: "noul", "choice" or "score".
        fewest, most: options, both included; None has no upper end.
    """

    exit_layer: int
    kind: str
    fewest: int
    most: int | None

    def holds(self, *, kind: str, exit_layer: int, num_options: int) -> bool:
        """Whether a question belongs here."""
        return (
            (self.kind, self.exit_layer) == (kind, exit_layer)
            and self.fewest <= num_options
            and (self.most is None or num_options <= self.most)
        )

    def __str__(self) -> str:
        if self.most is None:
            count = f"{self.fewest} or more"
        elif self.most == self.fewest:
            count = str(self.fewest)
        else:
            count = f"{self.fewest} to {self.most}"
        return f"{self.kind} of {count} options at layer {self.exit_layer}"


def each_count(readings: Iterable[Reading]) -> tuple[Range, ...]:
    """A range for every option count that occurs, for maps that are made for one count."""
    return tuple((count, count) for count in sorted({one.num_options for one in readings}))


def by_slot(
    readings: Sequence[Reading], ranges: Sequence[Range] = BUCKETS
) -> dict[Slot, list[Reading]]:
    """The readings of each slot that has any, slots in order.

    Args:
        ranges: disjoint, and together they hold every option count of the readings.
    """
    found: dict[Slot, list[Reading]] = {}
    for one in readings:
        count = one.num_options
        fewest, most = next(
            (low, high) for low, high in ranges if low <= count and (high is None or count <= high)
        )
        found.setdefault(Slot(one.exit_layer, one.kind, fewest, most), []).append(one)
    return dict(
        sorted(found.items(), key=lambda item: (item[0].exit_layer, item[0].kind, item[0].fewest))
    )
