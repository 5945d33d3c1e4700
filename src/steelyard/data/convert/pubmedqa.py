"""PubMedQA: does an abstract answer its title's question with yes, no or maybe (Jin et al. 2019).

The conclusion (LONG_ANSWER) gives the answer away and is never shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data import ask, soft
from steelyard.data.ask import Origin, Wordings, pick
from steelyard.data.files import read_json
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

ANSWERS = ("yes", "no", "maybe")
MEANINGS = {
    "yes": "the findings support it",
    "no": "the findings speak against it",
    "maybe": "the findings are mixed or not conclusive",
}

CHOICE = (
    "{question}",
    "{question} Answer by the abstract.",
    "What do the findings say? {question}",
    "The study asked: {question} What is its answer?",
    "Choose the conclusion that the results support. Question: {question}",
    "question: {question}",
    "A clinician wants to know: {question}",
)

NOUL = (
    "{question}",
    "Do the results support a yes to: {question}",
    "Judge by the abstract. {question}",
    "According to the study: {question}",
    "Is the answer to the research question yes? {question}",
    "Would the authors answer yes? {question}",
    "The title asks: {question} Do the data say so?",
)

TITLE = Wordings(
    choice=(
        "Which research question does this abstract answer?",
        "Choose the title that belongs to the abstract.",
        "What did the study want to find out?",
        "Match the abstract with its question.",
        "title",
        "Under which heading was this published?",
    ),
    noul=(
        "Does the study answer this question? {answer}",
        'Is "{answer}" the title of this abstract?',
        "Is the abstract about the following? {answer}",
        "A reader searches for: {answer} Is this abstract the one?",
        "matches the query? {answer}",
        "Does the text belong to the question: {answer}",
    ),
)

SUBJECT = Wordings(
    choice=(
        "Which subject heading fits the abstract?",
        "Index the abstract: choose its heading.",
        "Choose the term that a librarian would assign.",
        "subject heading",
        "What is the study about?",
        "File the article under one of these terms.",
    ),
    noul=(
        'Does the subject heading "{answer}" fit the abstract?',
        "Is {answer} a topic of this study?",
        "index term {answer}: yes?",
        "Would a librarian assign the term {answer}?",
        "Should a search for {answer} find this article?",
        'The article was filed under "{answer}". Is that right?',
    ),
)

COMMON = 10
"""Headings of more articles than this ("Humans", "Female") say little about any."""


def read(folder: Path, rng: Random) -> Iterator[Example]:
    rows = read_json(folder / "pubmedqa/ori_pqal_train500.json.gz")
    questions = [row["QUESTION"] for row in rows.values()]
    used = Counter(heading for row in rows.values() for heading in row["MESHES"])
    headings = sorted(heading for heading, count in used.items() if count <= COMMON)
    for number, row in rows.items():
        origin = Origin(SOURCE.name, SOURCE.licence, number)
        state = _abstract(row, rng)
        yield from _answered(origin, state, row, rng)
        some = rng.sample(questions, min(150, len(questions)))
        sizes = (2, 3, 4, 5, 6, 8, 12, 16)
        yield from pick(origin, state, TITLE, row["QUESTION"], some, rng, verify=0.5, sizes=sizes)
        own = [heading for heading in row["MESHES"] if used[heading] <= COMMON]
        if own:
            gold = rng.choice(own)
            some = rng.sample(headings, min(200, len(headings)))
            yield from pick(origin, state, SUBJECT, gold, some, rng, aliases=row["MESHES"])


def _answered(
    origin: Origin, state: Content, row: dict[str, Any], rng: Random
) -> Iterator[Example]:
    question, answer = row["QUESTION"], row["final_decision"]
    options: list[str] = list(ANSWERS)
    rng.shuffle(options)
    described = rng.random() < 0.5
    yield ask.choice(
        origin,
        state,
        rng.choice(CHOICE).format(question=question),
        {option: MEANINGS[option] if described else None for option in options},
        options.index(answer),
    )
    yes = soft.hard(3, ANSWERS.index(answer))
    asked = rng.choice(NOUL).format(question=question)
    yield ask.noul(origin, state, asked, yes[0] + yes[2] / 2)


def _abstract(row: dict[str, Any], rng: Random) -> Content:
    form = rng.randrange(3)
    parts = row["CONTEXTS"]
    if form == 0:
        return "\n\n".join(parts)
    labelled = list(zip(row["LABELS"], parts, strict=True))
    if form == 1:
        return "\n".join(f"{label}: {text}" for label, text in labelled)
    return {"abstract": [{"section": label.lower(), "text": text} for label, text in labelled]}


SOURCE = Source(
    name="pubmedqa",
    licence="MIT",
    read=read,
    about="Jin et al. 2019, PubMedQA: the labelled rows outside of its test list",
)
