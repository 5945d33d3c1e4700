"""What every generator shares: numbered rows, each with its own seeded chance, and questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from steelyard.data import ask
from steelyard.data.ask import Origin
from steelyard.types.content import Content
from steelyard.types.example import Example

LICENCE = "CC0-1.0"
STATES = 15_000
"""How many states a generator deals before it ends."""

Row = Callable[[Origin, Random], Iterator[Example]]


def rows(name: str, rng: Random, row: Row, states: int = STATES) -> Iterator[Example]:
    """The examples of `states` rows; the number of a row is its group."""
    for index in range(states):
        yield from row(Origin(name, LICENCE, str(index)), Random(f"{name}/{rng.getrandbits(64)}"))


@dataclass(frozen=True, slots=True)
class Query:
    """A question with its answer, not yet put to a state.

    Attributes:
        instructions: the question; None where the options say it all.
        options: label -> description; None for a yes/no question.
        gold: index of the right option; 0 is yes.
        ordered: the options are levels, lowest first; their descriptions are not shown.
        target: a distribution to use instead of `gold`.
        criteria: what yes ("true") and no ("false") mean, for a yes/no question.
        key: what the question is about, such as the attribute's key.
    """

    instructions: str | None
    options: Mapping[str, str | None] | None
    gold: int
    ordered: bool = False
    target: tuple[float, ...] | None = None
    criteria: Mapping[str, str] | None = None
    key: str = ""

    @property
    def size(self) -> int:
        return 2 if self.options is None else len(self.options)

    @property
    def answer(self) -> str:
        return ("yes", "no")[self.gold] if self.options is None else list(self.options)[self.gold]


def yes_no(
    instructions: str, answer: bool, *, criteria: Mapping[str, str] | None = None, key: str = ""
) -> Query:
    return Query(instructions, None, 0 if answer else 1, criteria=criteria, key=key)


def one_of(
    instructions: str | None,
    gold: str,
    wrong: Sequence[str],
    rng: Random,
    *,
    describe: Mapping[str, str] | None = None,
    key: str = "",
) -> Query:
    """A choice, shuffled; descriptions are shown for all options or for none."""
    labels = [gold, *wrong]
    assert len(set(labels)) == len(labels), f"repeated options: {labels}"
    rng.shuffle(labels)
    options = {label: None if describe is None else describe[label] for label in labels}
    return Query(instructions, options, labels.index(gold), key=key)


def graded(instructions: str | None, levels: Sequence[str], gold: int, *, key: str = "") -> Query:
    return Query(instructions, dict.fromkeys(levels), gold, ordered=True, key=key)


def put(origin: Origin, state: Content, query: Query) -> Example:
    """The question, put to a state."""
    target = query.target
    if query.options is None:
        share = query.gold == 0 if target is None else target[0]
        return ask.noul(origin, state, query.instructions, share, criteria=query.criteria)
    goal = query.gold if target is None else target
    if query.ordered:
        levels = list(query.options)
        return ask.score(origin, state, query.instructions, levels, goal)
    return ask.choice(origin, state, query.instructions, query.options, goal)


def flat(query: Query) -> Query:
    """The same question where nothing speaks for any option."""
    return replace(query, target=(1 / query.size,) * query.size)


def sample(items: Sequence[str], count: int, rng: Random) -> list[str]:
    """Up to `count` of the items."""
    return rng.sample(items, min(count, len(items)))


def near(value: int, count: int, step: int, rng: Random, lowest: int = 0) -> list[int]:
    """Other numbers not far from a value, all different, none below `lowest`."""
    # The window is shifted at random, so that the right value is no more often in the middle.
    below = rng.randint(0, min(2 * count, (value - lowest) // step))
    reach = range(-below, 2 * count - below + 1)
    pool = [value + step * k for k in reach if k]
    return rng.sample(pool, min(count, len(pool)))
