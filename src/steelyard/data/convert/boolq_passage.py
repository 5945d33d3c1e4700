"""BoolQ with its passage: yes/no questions that people searched for (Clark et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data.ask import Origin, noul
from steelyard.data.files import read_jsonl
from steelyard.data.groups import group_of
from steelyard.data.normal import decoded
from steelyard.data.source import Source
from steelyard.types.example import Example

ASKS = (
    "{question}?",
    "{question}?",
    "{question}",
    "Answer from the passage: {question}?",
    "According to the text, {question}?",
    "Does the passage say yes to this question? {question}?",
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    for row in read_jsonl(folder / "boolq/train.jsonl"):
        passage = decoded(row["passage"])
        title = decoded(row["title"])
        state = {"title": title, "text": passage} if rng.random() < 0.2 else passage
        question = decoded(row["question"]).rstrip("?")
        if rng.random() < 0.5:
            question = question[:1].upper() + question[1:]
        origin = Origin("boolq-passage", SOURCE.licence, group_of(row["passage"]))
        yield noul(origin, state, rng.choice(ASKS).format(question=question), row["answer"])


SOURCE = Source(
    name="boolq-passage",
    licence="CC-BY-SA-3.0",
    read=read,
    about="Clark et al. 2019, BoolQ: Exploring the Surprising Difficulty of Natural Yes/No "
    "Questions",
)
