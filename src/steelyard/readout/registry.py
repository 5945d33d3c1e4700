"""Readouts by name, as model directories and callers choose them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Protocol

from steelyard.errors import CapabilityError
from steelyard.prompt.layout import Frame
from steelyard.prompt.options import OptionSet
from steelyard.readout.continuation import continuation
from steelyard.readout.letters import letters
from steelyard.readout.pairwise import pairwise
from steelyard.readout.pointer import pointer, pointer_set
from steelyard.readout.pointer_head import PointerHead
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


class PointingReadout(Protocol):
    """A readout that scores with a pointer head."""

    def __call__(
        self,
        options: OptionSet,
        frame: Frame,
        *,
        head: PointerHead,
        rotations: int = 1,
        reread_below: float = 0.0,
    ) -> Reading: ...


PLAIN: Mapping[str, Readout] = {
    "letters": letters,
    "continuation": continuation,
    "pairwise": pairwise,
}
"""Readouts that need the language model only."""

POINTING: Mapping[str, PointingReadout] = {"pointer": pointer, "pointer-set": pointer_set}
"""Readouts that need a trained pointer head."""

READOUTS = (*PLAIN, *POINTING)


def readout(name: str, head: PointerHead | None) -> Readout:
    """The readout of that name, one of READOUTS, for a model that has this head or none.

    Raises:
        CapabilityError: the readout needs a head, and the model has none.
    """
    if name in PLAIN:
        return PLAIN[name]
    if head is None:
        raise CapabilityError(
            f"the readout {name!r} needs a trained pointer head, and this model has none; "
            f"without one there are: {', '.join(PLAIN)}",
            field="readout",
        )
    return partial(POINTING[name], head=head)
