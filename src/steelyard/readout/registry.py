"""Readouts by name, as model directories and callers choose them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from steelyard.prompt.layout import Frame
from steelyard.prompt.options import OptionSet
from steelyard.readout.continuation import continuation
from steelyard.readout.letters import letters
from steelyard.readout.pairwise import pairwise
from steelyard.readout.reading import Reading


class Readout(Protocol):
    """Begins the reading of one question; ends with log-scores, float64 (options,)."""

    def __call__(
        self,
        options: OptionSet,
        frame: Frame,
        *,
        rotations: int = 1,
        reread_below: float = 0.0,
    ) -> Reading: ...


READOUTS: Mapping[str, Readout] = {
    "letters": letters,
    "continuation": continuation,
    "pairwise": pairwise,
}
