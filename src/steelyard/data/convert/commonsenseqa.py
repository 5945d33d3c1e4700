"""CommonsenseQA: everyday questions with five answers (Talmor et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data.ask import Origin
from steelyard.data.files import read_jsonl
from steelyard.data.quiz import Quiz, quiz
from steelyard.data.source import Source
from steelyard.types.example import Example

SETTINGS = (
    "A question about everyday life.",
    "Common sense quiz.",
    "No document is given; answer with common sense.",
    "Somebody asks a riddle about ordinary things.",
    "General knowledge",
    "A conversation at the kitchen table.",
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    rows = list(read_jsonl(folder / "commonsenseqa/train_rand_split.jsonl.gz"))
    others = [choice["text"] for row in rows for choice in row["question"]["choices"]]
    for row in rows:
        asked = row["question"]
        labels = [choice["label"] for choice in asked["choices"]]
        settings = [*SETTINGS, f"Topic: {asked['question_concept']}"]
        yield from quiz(
            Origin(SOURCE.name, SOURCE.licence, row["id"]),
            Quiz(
                " ".join(asked["stem"].split()),
                [choice["text"] for choice in asked["choices"]],
                labels.index(row["answerKey"]),
                settings=settings,
            ),
            rng,
            others=others,
            asked=0.3,
        )


SOURCE = Source(
    name="commonsenseqa",
    licence="MIT",
    read=read,
    about="Talmor et al. 2019, CommonsenseQA: A Question Answering Challenge",
)
