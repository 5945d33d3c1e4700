"""Where a fitted map applies: an exit, a kind, and a range of option counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from steelyard.calibration.readings import Reading
from steelyard.errors import CapabilityError, ShapeError

T = TypeVar("T")

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

    def overlaps(self, other: Slot) -> bool:
        """Whether some question belongs in both."""
        return (
            (self.kind, self.exit_layer) == (other.kind, other.exit_layer)
            and (other.most is None or self.fewest <= other.most)
            and (self.most is None or other.fewest <= self.most)
        )

    def __str__(self) -> str:
        if self.most is None:
            count = f"{self.fewest} or more"
        elif self.most == self.fewest:
            count = str(self.fewest)
        else:
            count = f"{self.fewest} to {self.most}"
        return f"{self.kind} of {count} options at layer {self.exit_layer}"


def find(fitted: Mapping[Slot, T], *, kind: str, exit_layer: int, num_options: int) -> T | None:
    """What was fitted for such questions; None where nothing was. Slots do not overlap."""
    for slot, value in fitted.items():
        if slot.holds(kind=kind, exit_layer=exit_layer, num_options=num_options):
            return value
    return None


def need(fitted: Mapping[Slot, T], what: str, *, kind: str, exit_layer: int, num_options: int) -> T:
    """What was fitted for such questions.

    Args:
        what: what it is called in the error, such as "thresholds".
    Raises:
        CapabilityError: nothing was; the message lists what there is.
    """
    value = find(fitted, kind=kind, exit_layer=exit_layer, num_options=num_options)
    if value is None:
        asked = Slot(exit_layer, kind, num_options, num_options)
        known = "; ".join(map(str, fitted)) or "nothing"
        raise CapabilityError(f"no {what} for {asked}; fitted: {known}")
    return value


def each_count(readings: Iterable[Reading]) -> tuple[Range, ...]:
    """A range for every option count that occurs, for maps that are made for one count."""
    return tuple((count, count) for count in sorted({one.num_options for one in readings}))


def by_slot(
    readings: Sequence[Reading], ranges: Sequence[Range] = BUCKETS
) -> dict[Slot, list[Reading]]:
    """The readings of each slot that has any, slots in order.

    Args:
        ranges: disjoint, and together they hold every option count of the readings.
    Raises:
        ShapeError: a count that no range holds.
    """
    found: dict[Slot, list[Reading]] = {}
    for one in readings:
        count = one.num_options
        for fewest, most in ranges:
            if fewest <= count and (most is None or count <= most):
                break
        else:
            raise ShapeError(f"none holds {count} options; got {list(ranges)}", field="ranges")
        found.setdefault(Slot(one.exit_layer, one.kind, fewest, most), []).append(one)
    return dict(
        sorted(found.items(), key=lambda item: (item[0].exit_layer, item[0].kind, item[0].fewest))
    )
