"""A calibrator made of one map for each slot: exit, kind and range of option counts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

import numpy as np

from steelyard.calibration.calibrator import Calibrator
from steelyard.calibration.maps import Map
from steelyard.calibration.readings import Reading
from steelyard.calibration.slots import BUCKETS, Range, Slot, by_slot, find, need
from steelyard.errors import TooFewRowsError
from steelyard.readout.scores import softmax

Fit: TypeAlias = Callable[[Sequence[Reading]], Map]
"""Learns one map from the readings of one slot. It keeps nothing, so a second fit forgets."""

MIN_ROWS = 100
"""For a temperature. At 150 rows its interval is already wide (SemIf's authored144: ECE .038
[.032, .108]); below 100 the fit tells more about the sample than about the model."""


@dataclass(frozen=True, slots=True)
class SlottedCalibrator:
    """A `Calibrator`: slot -> map. Slots do not overlap."""

    maps: Mapping[Slot, Map]

    def apply(self, scores: np.ndarray, *, kind: str, exit_layer: int) -> np.ndarray:
        """Probabilities float64 (options,), summing to 1, of scores float64 (options,).

        Raises:
            CapabilityError: no map was fitted for the exit, the kind or the option count.
        """
        count = len(scores)
        fitted = need(self.maps, "map", kind=kind, exit_layer=exit_layer, num_options=count)
        return fitted(scores)

    def covers(self, *, kind: str, exit_layer: int, num_options: int) -> bool:
        """Whether a map was fitted for such questions."""
        found = find(self.maps, kind=kind, exit_layer=exit_layer, num_options=num_options)
        return found is not None

    @property
    def keeps_order(self) -> bool:
        """Whether an option with more of the scores never gets less of the probability."""
        return all(fitted.keeps_order for fitted in self.maps.values())

    @property
    def digest(self) -> str:
        """sha256 over slots and maps, hexadecimal."""
        parts = sorted(
            json.dumps([asdict(slot), type(fitted).__name__, asdict(fitted)])
            for slot, fitted in self.maps.items()
        )
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def fit_slotted(
    readings: Sequence[Reading],
    fit: Fit,
    *,
    ranges: Sequence[Range] = BUCKETS,
    min_rows: int = MIN_ROWS,
) -> SlottedCalibrator:
    """One map for each exit, kind and range of option counts among the readings.

    Args:
        readings: none of it may have trained the weights.
        ranges: of option counts that share a map; disjoint, and holding all counts.
        min_rows: least rows of a slot.
    Raises:
        TooFewRowsError: a slot has fewer; `needed` is the number for the slot it names.
        ShapeError: what `fit` raises.
    """
    slots = by_slot(readings, ranges)
    if not slots:
        raise TooFewRowsError("a calibrator", rows=0, needed=min_rows)
    for slot, rows in slots.items():
        if len(rows) < min_rows:
            raise TooFewRowsError(f"a calibrator for {slot}", rows=len(rows), needed=min_rows)
    return SlottedCalibrator({slot: fit(rows) for slot, rows in slots.items()})


def served(calibrator: Calibrator, reading: Reading) -> np.ndarray:
    """The probabilities (options,) that an answer gets: a softmax where there is no map."""
    kind, layer = reading.kind, reading.exit_layer
    if calibrator.covers(kind=kind, exit_layer=layer, num_options=reading.num_options):
        return calibrator.apply(reading.scores, kind=kind, exit_layer=layer)
    return softmax(reading.scores)


def joined(*parts: SlottedCalibrator) -> SlottedCalibrator:
    """One calibrator of several, such as Platt for nouls and temperatures for the rest.

    Where slots overlap the first part counts.
    """
    maps: dict[Slot, Map] = {}
    for part in parts:
        for slot, fitted in part.maps.items():
            maps.setdefault(slot, fitted)
    return SlottedCalibrator(maps)
