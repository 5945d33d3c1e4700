"""Which bundles each step of a run learns from, beginning at any of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from steelyard.training.micro_batch import Asked
from steelyard.training.shelf import Bundle


@dataclass(frozen=True, slots=True)
class Cursor:
    """The next bundle to be learned from: its epoch and its place in it."""

    epoch: int = 0
    index: int = 0


def steps(
    epoch: Callable[[int], Sequence[Bundle]],
    ask: Callable[[Bundle], Asked],
    step_tokens: int,
    start: Cursor,
) -> Iterator[tuple[list[Asked], Cursor]]:
    """For each step its bundles, with at least `step_tokens` tokens, and where the next begins.

    Args:
        epoch: the bundles of an epoch, in its order; the same for the same number.
    """
    held: list[Asked] = []
    cursor = start
    while True:
        bundles = epoch(cursor.epoch)
        assert bundles, "an epoch without examples"
        for index in range(cursor.index, len(bundles)):
            held.append(ask(bundles[index]))
            if sum(one.num_tokens for one in held) >= step_tokens:
                yield held, Cursor(cursor.epoch, index + 1)
                held = []
        cursor = Cursor(cursor.epoch + 1)
