"""A question that brings its own answers, asked in the ways callers ask it.

The question stands in the state or in the instructions; the answers are labels or the descriptions
of letters; all of them are shown, a part, or more than there were; the right one may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from steelyard.data import ask
from steelyard.data.ask import NONE_OF_THESE, Origin
from steelyard.data.distractors import distractors
from steelyard.data.normal import normal
from steelyard.types.content import Content
from steelyard.types.example import Example

CHOOSE = (
    "Choose the right answer.",
    "Which answer is correct?",
    "Answer the question by choosing one of the options.",
    "Which of these is the best answer to the question?",
    "Select the option that answers the question or completes the sentence best.",
    "Pick the correct option.",
    "Read the question and decide which of the candidate answers is right.",
    "correct answer",
    "What is the answer?",
    "Route to the answer that a knowledgeable person would give.",
)

VERIFY = (
    'Is "{answer}" the right answer?',
    'Somebody answered "{answer}". Is that correct?',
    'Would "{answer}" be marked as correct?',
    'The proposed answer is "{answer}". Accept it?',
    "Is this the correct answer to the question: {answer}",
    "A student wrote: {answer}. Does the student get the point?",
)

VERIFY_PAIR = (
    "Is the answer correct?",
    "Does the answer fit the question?",
    "Would you accept this answer?",
    "Is this answer right?",
    "answer is correct",
    "Grade the answer: is it the right one?",
)

VERIFY_ASKED = (
    "{question} Is it {answer}?",
    "{question} The given answer is: {answer}. Is that right?",
    'Is "{answer}" the correct answer to this question? {question}',
    "Question: {question}\nAnswer: {answer}\nIs the answer correct?",
    "{question}\n\nCheck this answer: {answer}",
    "A quiz asks: {question} Would the answer {answer} be right?",
)

LETTERS = ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")

REFERS = re.compile(r"\b(above|both|all of (them|these)|none of (them|these))\b", re.IGNORECASE)
"""Answers that speak of other answers: such a row cannot be shuffled or cut."""

LAST_QUESTION = re.compile(r"(?s)(?P<before>.{20,}\w{4,}[.!?])\s+(?P<question>[A-Z][^.!?]{10,}\?)")


@dataclass(frozen=True, slots=True)
class Quiz:
    """A row: a question, its answers, and which of them is right.

    Attributes:
        answers: as published, `gold` an index into them.
        context: a document or a hint that the question is about; None where there is none.
        settings: short states for the case that the question alone is the instructions.
    """

    question: str
    answers: Sequence[str]
    gold: int
    context: str | None = None
    settings: Sequence[str] = ("A quiz.",)


def quiz(
    origin: Origin,
    row: Quiz,
    rng: Random,
    *,
    others: Sequence[str] = (),
    none: float = 0.1,
    verify: float = 0.35,
    asked: float = 0.4,
) -> Iterator[Example]:
    """A choice among the answers, and sometimes a check of one of them.

    Rows whose answers repeat or speak of one another ("all of the above") give nothing.

    Args:
        others: answers of other rows, which make some choices longer.
        none: share of choices with an option such as "none of these", right in half of them.
        verify: chance of a further yes/no question, about the right answer half of the time.
        asked: share of rows whose question stands in the instructions.
    """
    answers = row.answers
    if len({normal(text) for text in answers}) < len(answers) or any(map(REFERS.search, answers)):
        return
    right = answers[row.gold]
    state, question = framed(row, rng, asked=asked)
    wrong = _wrong(row, others, rng)
    shown, gold = _shown(right, wrong, rng, none)
    instructions = rng.choice(CHOOSE) if question is None else question
    yield ask.choice(origin, state, instructions, _labelled(shown, rng), gold)
    if rng.random() < verify:
        answer, is_right = (right, True) if rng.random() < 0.5 else (rng.choice(wrong), False)
        yield _check(origin, row, state, question, answer, is_right, rng)


def framed(row: Quiz, rng: Random, *, asked: float = 0.4) -> tuple[Content, str | None]:
    """The state, and the question where it stands in the instructions, else None.

    A question of several sentences is cut before the last one, which asks.
    """
    parts = LAST_QUESTION.fullmatch(row.question)
    if rng.random() < asked:
        if row.context is not None:
            return row.context, row.question
        if parts is not None:
            return parts["before"], parts["question"]
        return rng.choice(row.settings), row.question
    if row.context is None:
        return rng.choice((row.question, row.question, {"question": row.question})), None
    state: tuple[Content, ...] = (
        f"{row.context}\n\n{row.question}",
        {"context": row.context, "question": row.question},
    )
    return rng.choice(state), None


def _wrong(row: Quiz, others: Sequence[str], rng: Random) -> list[str]:
    own = [text for index, text in enumerate(row.answers) if index != row.gold]
    rng.shuffle(own)
    chance = rng.random()
    if chance < 0.15 and others:
        some = rng.sample(others, min(len(others), 60))
        count = rng.choice((1, 2, 3, 5, 8, 12, 20)) if len(own) < 20 else 0
        right = row.answers[row.gold]
        return own + distractors(right, some, count, rng, aliases=own, hard_share=0.0)
    if chance < 0.4:
        return own[: rng.randint(1, len(own))]
    return own


def _shown(right: str, wrong: Sequence[str], rng: Random, none: float) -> tuple[list[str], int]:
    """Options in their order, and the index of the right one."""
    if len(wrong) < 2 or rng.random() >= none:
        shown = [right, *wrong]
        rng.shuffle(shown)
        return shown, shown.index(right)
    missing = rng.random() < 0.5
    shown = list(wrong) if missing else [right, *wrong[1:]]
    rng.shuffle(shown)
    gold = len(shown) if missing else shown.index(right)
    taken = {normal(text) for text in shown}
    return [*shown, rng.choice([t for t in NONE_OF_THESE if normal(t) not in taken])], gold


def _labelled(shown: Sequence[str], rng: Random) -> Mapping[str, str | None]:
    """The answers as labels, or as the descriptions of letters or numbers."""
    chance = rng.random()
    if chance < 0.7 or len(shown) > 26:
        return dict.fromkeys(shown)
    if chance < 0.9:
        return dict(zip(rng.choice(LETTERS), shown, strict=False))
    return {str(number): text for number, text in enumerate(shown, start=1)}


def _check(
    origin: Origin,
    row: Quiz,
    state: Content,
    question: str | None,
    answer: str,
    is_right: bool,
    rng: Random,
) -> Example:
    if question is not None:
        asked = rng.choice(VERIFY_ASKED).format(question=question, answer=answer.rstrip("."))
        return ask.noul(origin, state, asked, is_right)
    if rng.random() < 0.7:
        asked = rng.choice(VERIFY).format(answer=answer.rstrip("."))
        return ask.noul(origin, state, asked, is_right)
    pair = {"question": row.question, "answer": answer}
    if row.context is not None:
        pair = {"context": row.context, **pair}
    return ask.noul(origin, pair, rng.choice(VERIFY_PAIR), is_right)
