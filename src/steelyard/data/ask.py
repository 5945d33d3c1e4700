"""One fact asked in several ways.

A converter reads a row and says what it knows: the text, the right answer, the answers that could
be confused with it. The functions here turn that into examples of all kinds: a choice with and
without descriptions, among few options or many, with the right one missing ("none of these"), and
a yes/no question about one proposed answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from steelyard.data import soft
from steelyard.data.distractors import distractors
from steelyard.types.content import Content
from steelyard.types.example import Example
from steelyard.types.question import Choice, Noul, Score

NONE_OF_THESE = (
    "none of these",
    "none of the above",
    "something else",
    "other",
    "no option fits",
    "not listed here",
)

SIZES = (2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 10, 12, 15, 18, 20, 22, 26)
"""How many options a choice shows: drawn evenly from this list, in which some stand twice."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What all examples of a row have in common."""

    source: str
    licence: str
    group: str


@dataclass(frozen=True, slots=True)
class Wordings:
    """How a fact can be asked for, each in several wordings, one of which is drawn.

    Attributes:
        choice: instructions of a choice.
        noul: instructions of a yes/no question about one answer, with `{answer}` where it stands.
            Empty where no such question makes sense.
    """

    choice: Sequence[str]
    noul: Sequence[str] = ()


def choice(
    origin: Origin,
    state: Content,
    instructions: str | None,
    options: Mapping[str, Content | None] | Sequence[str],
    target: int | Sequence[float],
    *,
    weight: float = 1.0,
) -> Example:
    """A choice; an integer target is a hard label and gets smoothed."""
    question = Choice(instructions, options)
    size = len(question.criteria)
    shares = soft.hard(size, target) if isinstance(target, int) else tuple(target)
    return _example(origin, state, question, shares, weight)


def noul(
    origin: Origin,
    state: Content,
    instructions: str | None,
    target: bool | float,
    *,
    criteria: Mapping[str, Content | None] | None = None,
    weight: float = 1.0,
) -> Example:
    """A yes/no question; a boolean target is a hard label and gets smoothed, a float is P(yes)."""
    shares = soft.hard(2, 0 if target else 1) if isinstance(target, bool) else (target, 1 - target)
    return _example(origin, state, Noul(instructions, criteria), shares, weight)


def score(
    origin: Origin,
    state: Content,
    instructions: str | None,
    levels: Sequence[Content],
    target: int | Sequence[float],
    *,
    weight: float = 1.0,
) -> Example:
    """A grading; an integer target is a hard label and spreads to its neighbours."""
    shares = soft.ordinal(len(levels), target) if isinstance(target, int) else tuple(target)
    return _example(origin, state, Score(instructions, levels), shares, weight)


def pick(
    origin: Origin,
    state: Content,
    wordings: Wordings,
    gold: str,
    pool: Sequence[str],
    rng: Random,
    *,
    describe: Mapping[str, str] | None = None,
    described: float = 0.5,
    aliases: Sequence[str] = (),
    sizes: Sequence[int] = SIZES,
    wide: float = 0.0,
    none: float = 0.1,
    verify: float = 0.35,
    hard_share: float = 0.5,
    closed: bool = False,
) -> Iterator[Example]:
    """A choice of `gold` among distractors from `pool`, and sometimes a check of one answer.

    Args:
        pool: all answers of the right type; may contain `gold`.
        describe: descriptions of the answers.
        described: share of choices that show them.
        sizes: numbers of options to draw from, `gold` included.
        wide: share of choices that show the whole pool, up to 255 options.
        none: share of choices with an option such as "none of these"; in half of them it is right,
            because the right answer is left out.
        verify: chance of a further yes/no question, about the right answer half of the time. With
            0 the wordings need no `noul`.
        aliases, hard_share, closed: as `distractors` takes them.
    """
    size = min(255, len(pool) + 1) if rng.random() < wide else rng.choice(sizes)
    wrong = distractors(
        gold, pool, size - 1, rng, aliases=aliases, hard_share=hard_share, closed=closed
    )
    if not wrong:
        return
    if len(wrong) >= 2 and rng.random() < none:
        yield _with_none(origin, state, wordings, gold, wrong, rng, describe, described)
    else:
        labels = [gold, *wrong]
        rng.shuffle(labels)
        yield choice(
            origin,
            state,
            rng.choice(wordings.choice),
            _described(labels, describe, rng, described),
            labels.index(gold),
        )
    if rng.random() < verify:
        right = rng.random() < 0.5
        answer = gold if right else wrong[0]
        asked = rng.choice(wordings.noul).format(answer=answer)
        yield noul(origin, state, asked, right)


def _with_none(
    origin: Origin,
    state: Content,
    wordings: Wordings,
    gold: str,
    wrong: Sequence[str],
    rng: Random,
    describe: Mapping[str, str] | None,
    described: float,
) -> Example:
    missing = rng.random() < 0.5
    named = list(wrong) if missing else [gold, *wrong[1:]]
    rng.shuffle(named)
    other = rng.choice([text for text in NONE_OF_THESE if text not in named])
    options = {**_described(named, describe, rng, described), other: None}
    right = len(named) if missing else named.index(gold)
    return choice(origin, state, rng.choice(wordings.choice), options, right)


def _described(
    labels: Sequence[str], describe: Mapping[str, str] | None, rng: Random, share: float
) -> dict[str, Content | None]:
    if describe is None or rng.random() >= share:
        return dict.fromkeys(labels)
    return {label: describe.get(label) for label in labels}


def _example(
    origin: Origin,
    state: Content,
    question: Choice | Noul | Score,
    target: Sequence[float],
    weight: float,
) -> Example:
    return Example(
        state, question, tuple(target), origin.source, origin.group, origin.licence, weight
    )
