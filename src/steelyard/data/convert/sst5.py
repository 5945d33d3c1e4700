"""SST-5: sentences of film reviews in five levels of sentiment (Socher et al. 2013)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data import ask
from steelyard.data.ask import Origin
from steelyard.data.files import opened
from steelyard.data.source import Source
from steelyard.errors import InputFileError
from steelyard.types.example import Example

SCORE = (
    "How positive is this sentence?",
    "Rate the sentiment of the review.",
    "What does the critic think of the film?",
    "sentiment",
    "Grade the sentence from very negative to very positive.",
    "How favourable is the reviewer's opinion?",
)

CHOICE = (
    "Which sentiment does the sentence express?",
    "Choose the label that fits the critic's opinion.",
    "Route the review by its sentiment.",
    "sentiment label",
    "How does the reviewer feel about the film?",
    "Classify the opinion.",
)

NOUL = (
    "Is the review positive?",
    "Does the critic like the film?",
    "positive sentiment",
    "Would this sentence make people want to see the film?",
    "Is the opinion favourable?",
    "Should it count as praise?",
)

SCALES = (
    ("very negative", "negative", "neutral", "positive", "very positive"),
    ("terrible", "bad", "okay", "good", "great"),
    ("strong dislike", "dislike", "neither", "liking", "strong liking"),
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    path = folder / "sst5/sst_train.txt.gz"
    with opened(path) as stream:
        lines = stream.read().rstrip("\n").split("\n")
    for index, line in enumerate(lines):
        label, tab, text = line.partition("\t")
        if not tab or label[:-1] != "__label__" or label[-1] not in "12345":
            raise InputFileError(f"{path}:{index + 1} has no label: {line!r}"[:500])
        level = int(label[-1]) - 1
        origin = Origin(SOURCE.name, SOURCE.licence, str(index))
        yield ask.score(origin, text, rng.choice(SCORE), rng.choice(SCALES), level)
        if rng.random() < 0.3:
            labels = list(rng.choice(SCALES))
            right = labels[level]
            rng.shuffle(labels)
            yield ask.choice(origin, text, rng.choice(CHOICE), labels, labels.index(right))
        if level != 2 and rng.random() < 0.3:
            yield ask.noul(origin, text, rng.choice(NOUL), level > 2)


SOURCE = Source(
    name="sst5",
    licence="not stated",
    read=read,
    about="Socher et al. 2013, Recursive Deep Models for Semantic Compositionality",
)
