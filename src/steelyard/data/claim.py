"""A yes/no question in one of several wordings: an instruction, or the two outcomes described."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import TypeAlias

from steelyard.data.ask import Origin, noul
from steelyard.types.content import Content
from steelyard.types.example import Example

Claim: TypeAlias = str | Mapping[str, str]
"""An instruction, or criteria with the keys "true" and "false"; `{name}` marks a part to fill."""


def claim(
    origin: Origin,
    state: Content,
    wordings: Sequence[Claim],
    target: bool | float,
    rng: Random,
    **parts: str,
) -> Example:
    """One wording drawn and filled; the target is as `ask.noul` takes it."""
    drawn = rng.choice(wordings)
    if isinstance(drawn, str):
        return noul(origin, state, drawn.format(**parts), target)
    criteria: dict[str, Content | None] = {
        outcome: text.format(**parts) for outcome, text in drawn.items()
    }
    return noul(origin, state, None, target, criteria=criteria)
