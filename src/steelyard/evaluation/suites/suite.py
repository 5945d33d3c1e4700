"""What a suite is, and the targets that its labels become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from steelyard.types.example import Example

YES, NO = (1.0, 0.0), (0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A named, fixed list of labelled questions.

    Attributes:
        name: what records and the command line call it.
        load: from the folder of evaluation sets to all examples, always the same in the same order.
        what: what a good answer takes, in a few words.
        licence: of the texts.
    """

    name: str
    load: Callable[[Path], list[Example]]
    what: str
    licence: str


def one_hot(gold: int, num_options: int) -> tuple[float, ...]:
    """All of the probability on one option."""
    return tuple(float(index == gold) for index in range(num_options))


def flat(num_options: int) -> tuple[float, ...]:
    """The same probability for every option: what nobody can know."""
    return (1 / num_options,) * num_options


def shares(votes: Iterable[int], num_options: int) -> tuple[float, ...]:
    """The share of votes for each option."""
    counts = Counter(votes)
    return tuple(counts[index] / counts.total() for index in range(num_options))


def between_levels(mean: float, num_levels: int) -> tuple[float, ...]:
    """A mean grade as a distribution: on the two levels beside it, with that mean."""
    low = min(int(mean), num_levels - 2)
    upper = mean - low
    target = [0.0] * num_levels
    target[low], target[low + 1] = 1 - upper, upper
    return tuple(target)
