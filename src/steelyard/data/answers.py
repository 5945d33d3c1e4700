"""A question about a document with one short answer: a choice, or a check of one answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random

from steelyard.data.answer_kinds import kind_of, same_kind
from steelyard.data.ask import Origin, Wordings, choice, noul, pick
from steelyard.data.distractors import distractors
from steelyard.data.figures import figure, wrong_figures
from steelyard.types.content import Content
from steelyard.types.example import Example

ASKS = (
    "{question}",
    "{question}",
    "Answer the question: {question}",
    "{question} Choose the right answer.",
    "Which answer is right? {question}",
)
CHECKS = (
    'Question: {question} Proposed answer: "{answer}". Is it right?',
    'Is "{answer}" the right answer to: {question}',
    '{question} Somebody answered "{answer}". Is that correct?',
    "{question} Would {answer} be right?",
    "{question} Is it {answer}?",
)
CLOSED_ASKS = ("{question}", "{question}", "Answer yes or no: {question}", "Is it so? {question}")
SIZES = (2, 3, 4, 4, 4, 5, 5, 6, 8, 10)
FAR = 40
"""How many answers of other rows are looked at where the document holds too few."""


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """What a row knows.

    Attributes:
        aliases: other texts that are right too.
        near: candidates from the same document, right ones included; wrong kinds are left out.
        far: answers of other rows, for want of near ones.
        computed: results of wrong operations, and nearby: numbers of the document; both serve
            numeric answers only.
    """

    question: str
    gold: str
    aliases: Sequence[str] = ()
    near: Sequence[str] = ()
    far: Sequence[str] = ()
    computed: Sequence[Decimal] = ()
    nearby: Sequence[Decimal] = ()


def ask(
    origin: Origin, state: Content, answer: ShortAnswer, rng: Random, *, verify: float = 0.35
) -> Iterator[Example]:
    """One example: a choice, or with chance `verify` a check, of a right answer half of the time.

    A question that is answered by yes or no is a noul. Nothing comes where no wrong answer of the
    right kind is at hand.
    """
    if kind_of(answer.gold) == "yes/no":
        asked = rng.choice(CLOSED_ASKS).format(question=answer.question)
        yield noul(origin, state, asked, answer.gold.casefold() == "yes")
        return
    checked = rng.random() < verify
    wrong = wrong_answers(answer, 1 if checked else rng.choice(SIZES) - 1, rng)
    if not wrong:
        return
    if checked:
        right = rng.random() < 0.5
        shown = answer.gold if right else wrong[0]
        asked = rng.choice(CHECKS).format(question=answer.question, answer=shown)
        yield noul(origin, state, asked, right)
        return
    asked = rng.choice(ASKS).format(question=answer.question)
    labels = [answer.gold, *wrong]
    rng.shuffle(labels)
    yield choice(origin, state, asked, labels, labels.index(answer.gold))


def wrong_answers(answer: ShortAnswer, count: int, rng: Random) -> list[str]:
    """Up to `count` wrong answers of gold's kind: of the document first, then of other rows."""
    number = figure(answer.gold)
    if number is not None:
        values = _figures_like(answer, number.suffix)
        return wrong_figures(
            number, count, rng, computed=answer.computed, nearby=[*answer.nearby, *values]
        )
    wrong = distractors(
        answer.gold, same_kind(answer.gold, answer.near), count, rng, aliases=answer.aliases
    )
    if len(wrong) < count and answer.far:
        far = rng.sample(answer.far, min(FAR, len(answer.far)))
        taken = [*answer.aliases, *wrong]
        wrong += distractors(
            answer.gold, same_kind(answer.gold, far), count - len(wrong), rng, aliases=taken
        )
    return wrong


def _figures_like(answer: ShortAnswer, suffix: str) -> list[Decimal]:
    found = [figure(text) for text in answer.near]
    right = {figure(text) for text in answer.aliases}
    return [f.value for f in found if f is not None and f.suffix == suffix and f not in right]


def closed_pick(
    origin: Origin,
    state: Content,
    question: str,
    gold: str,
    options: Iterable[str],
    rng: Random,
) -> Iterator[Example]:
    """A question whose own options are given: all of them are shown, in an order by chance."""
    labels = list(options)
    wordings = Wordings(choice=[ask.format(question=question) for ask in ASKS])
    yield from pick(
        origin,
        state,
        wordings,
        gold,
        labels,
        rng,
        sizes=(len(labels),),
        none=0,
        verify=0,
        closed=True,
    )
