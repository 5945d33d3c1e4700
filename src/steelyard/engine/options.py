"""What a caller may choose per call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from steelyard.errors import RequestError
from steelyard.prompt.layout import LAYOUTS
from steelyard.readout.registry import READOUTS


class How(TypedDict, total=False):
    """The keyword arguments of the engine's calls, all optional.

    layout: "isolated-v1", "sandwich-v1" or "sandwich-shared-v1"; None means the model's own.
    readout: "letters", "continuation", "pairwise", "pointer" or "pointer-set" (the last two need
        a trained head); None means the model's own.
    rotations: average over this many cyclic orders of the options (letters, pointer).
    reread_below: read again with reversed options where the margin is smaller (letters, pointer).
    depth: "full"; "adaptive": a question leaves at the first of the model's exits that is sure; or
        the layer of an exit, where every question leaves; None means what `load` was told.
    """

    layout: str | None
    readout: str | None
    rotations: int
    reread_below: float
    depth: str | int | None


DEPTHS = ("full", "adaptive")


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How questions are read, decided and checked.

    Attributes:
        layout: a name in LAYOUTS.
        readout: a name in READOUTS.
        rotations: average over this many cyclic orders of the options, 1 to 26.
        reread_below: read a second time with the options reversed, and average, where the margin
            between the two likeliest answers is smaller than this; 0 never, 1 always.
        depth: "full", or for a model with exits "adaptive" or the layer of one of them.
    Raises:
        RequestError: a value outside what is allowed.
    """

    layout: str
    readout: str
    rotations: int = 1
    reread_below: float = 0.0
    depth: str | int = "full"

    def __post_init__(self) -> None:
        if not isinstance(self.layout, str) or self.layout not in LAYOUTS:
            raise RequestError(f"{self.layout!r}; allowed: {', '.join(LAYOUTS)}", field="layout")
        if not isinstance(self.readout, str) or self.readout not in READOUTS:
            raise RequestError(f"{self.readout!r}; allowed: {', '.join(READOUTS)}", field="readout")
        if isinstance(self.rotations, bool) or not isinstance(self.rotations, int):
            raise RequestError(f"{self.rotations!r}; allowed: an integer", field="rotations")
        if not 1 <= self.rotations <= 26:
            raise RequestError(f"{self.rotations}; allowed: 1 to 26", field="rotations")
        number = isinstance(self.reread_below, int | float)
        if not number or not 0.0 <= self.reread_below <= 1.0:
            raise RequestError(f"{self.reread_below!r}; allowed: 0 to 1", field="reread_below")
        layer = isinstance(self.depth, int) and not isinstance(self.depth, bool)
        if not layer and self.depth not in DEPTHS:
            raise RequestError(
                f"{self.depth!r}; allowed: {', '.join(DEPTHS)}, or the layer of an exit",
                field="depth",
            )
