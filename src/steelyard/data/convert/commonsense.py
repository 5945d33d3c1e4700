"""ARC, OpenBookQA and BoolQ's questions, as LLM-Adapters packages them (Hu et al. 2023).

All of a row stands in one instruction, so question and answers are parsed out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

from steelyard.data import ask
from steelyard.data.ask import Origin
from steelyard.data.files import read_json
from steelyard.data.quiz import Quiz, quiz
from steelyard.data.source import Source
from steelyard.errors import InputFileError
from steelyard.types.example import Example

ROW = re.compile(
    r"(?s)Please choose the correct answer to the question: (.*)\n\n(Answer1: .*)"
    r"\n\nAnswer format: [\w/]+"
)
ANSWER = re.compile(r"\s*Answer\d+: ")
TRUE_OR_FALSE = re.compile(
    r"(?s)Please answer the following question with true or false, question: (.*)"
    r"\n\nAnswer format: true/false"
)

SETTINGS = (
    "A science test.",
    "A question from a school science exam.",
    "Subject: general science",
    "Quiz: science and everyday life",
    "A pupil asks the following.",
    "No document is given; answer from general knowledge.",
)

ANSWER_IT = (
    "Answer the question.",
    "Is the answer yes?",
    "yes or no?",
    "Decide whether this is so.",
    "Answer the user's yes/no question from what is generally known.",
    "Would a well informed person say yes?",
    "Is it true?",
    "The question can be answered with yes or no. Is it yes?",
)

ANSWER_CHOICE = (
    "Choose the answer.",
    "What is the right answer to the question?",
    "Which is it?",
    "Answer from general knowledge.",
    "Select the reply that is correct.",
    "answer",
)

ANSWER_PAIRS = (("yes", "no"), ("true", "false"), ("Yes", "No"), ("correct", "incorrect"))

SEARCHES = (
    "A user typed a question into a search box.",
    "Question of a visitor.",
    "Trivia night, yes/no round.",
    "General knowledge.",
    "No document is given; answer from general knowledge.",
    "A reader asks the encyclopedia's help desk.",
)


def read_quiz(file: str, source: str, licence: str, folder: Path, rng: Random) -> Iterator[Example]:
    rows = [_parsed(row) for row in read_json(folder / "commonsense" / file)]
    others = [text for _, answers, _ in rows for text in answers]
    for index, (question, answers, gold) in enumerate(rows):
        origin = Origin(source, licence, str(index))
        row = Quiz(question, answers, gold, settings=SETTINGS)
        yield from quiz(origin, row, rng, others=others, asked=0.3)


def read_boolq(folder: Path, rng: Random) -> Iterator[Example]:
    for index, row in enumerate(read_json(folder / "commonsense/boolq_train.json.gz")):
        found = TRUE_OR_FALSE.fullmatch(row["instruction"])
        if found is None or row["answer"] not in ("true", "false"):
            raise InputFileError(f"boolq_train.json.gz, row {index}: unknown form {row!r}"[:500])
        origin = Origin(BOOLQ.name, BOOLQ.licence, str(index))
        yield _yes_or_no(origin, found[1], row["answer"] == "true", rng)


def _yes_or_no(origin: Origin, question: str, yes: bool, rng: Random) -> Example:
    chance = rng.random()
    if chance < 0.3:
        return ask.noul(origin, rng.choice(SEARCHES), question, yes)
    if chance < 0.85:
        state = rng.choice((question, {"question": question}))
        return ask.noul(origin, state, rng.choice(ANSWER_IT), yes)
    named = list(rng.choice(ANSWER_PAIRS))
    right = named[0 if yes else 1]
    rng.shuffle(named)
    return ask.choice(origin, question, rng.choice(ANSWER_CHOICE), named, named.index(right))


def _parsed(row: dict[str, str]) -> tuple[str, list[str], int]:
    found = ROW.fullmatch(row["instruction"])
    number = re.fullmatch(r"answer(\d)", row["answer"])
    if found is None or number is None:
        raise InputFileError(f"a row of unknown form: {row!r}"[:500])
    answers = [text.strip() for text in ANSWER.split(found[2])[1:]]
    gold = int(number[1]) - 1
    if not all(answers) or not 0 <= gold < len(answers):
        raise InputFileError(f"a row without its right answer: {row!r}"[:500])
    return found[1].strip(), answers, gold


def _source(name: str, file: str, licence: str, about: str) -> Source:
    return Source(name, licence, partial(read_quiz, file, name, licence), about)


ARC_CHALLENGE = _source(
    "arc_challenge",
    "ARC-Challenge_train.json.gz",
    "CC-BY-SA-4.0",
    "Clark et al. 2018, AI2 Reasoning Challenge, hard questions",
)
ARC_EASY = _source(
    "arc_easy",
    "ARC-Easy_train.json.gz",
    "CC-BY-SA-4.0",
    "Clark et al. 2018, AI2 Reasoning Challenge, easy questions",
)
OPENBOOKQA = _source(
    "openbookqa",
    "openbookqa_train.json.gz",
    "Apache-2.0",
    "Mihaylov et al. 2018, Can a Suit of Armor Conduct Electricity?",
)
BOOLQ = Source(
    name="boolq",
    licence="CC-BY-SA-3.0",
    read=read_boolq,
    about="Clark et al. 2019, BoolQ: the questions without their passages",
)
