"""Small examples and sources."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.data.source import Source
from steelyard.types import Choice, Example, Noul, Score

LICENCE = "CC-BY-4.0"


def choice(
    state: str,
    labels: Sequence[str] = ("one", "two", "three"),
    *,
    instructions: str = "Which is it?",
    source: str = "made",
    group: str | None = None,
    licence: str = LICENCE,
) -> Example:
    """A choice whose first option is right; its group is the state if none is given."""
    target = (1.0, *([0.0] * (len(labels) - 1)))
    return Example(state, Choice(instructions, labels), target, source, group or state, licence)


def noul(
    state: str, instructions: str = "Is it?", *, yes: float = 1.0, group: str | None = None
) -> Example:
    return Example(state, Noul(instructions), (yes, 1 - yes), "made", group or state, LICENCE)


def score(state: str, levels: Sequence[str]) -> Example:
    target = (1.0, *([0.0] * (len(levels) - 1)))
    return Example(state, Score("How much?", levels), target, "made", state, LICENCE)


def source(
    examples: Sequence[Example], *, name: str = "made", licence: str = LICENCE, cap: int = 1000
) -> Source:
    return Source(name, licence, lambda folder, rng: iter(examples), "a test", cap=cap)
