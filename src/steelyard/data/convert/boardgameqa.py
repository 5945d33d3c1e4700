"""BoardgameQA: defeasible rules with preferences, depths 2 and 3 (Kazemi et al. 2023)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data.ask import Origin, choice, noul
from steelyard.data.files import read_json
from steelyard.data.groups import group_of
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.example import Example

DEPTHS = (2, 3)
QUESTION = re.compile(
    r"\s*(Based on the game state and the rules and preferences, (.+\?))\s*$", re.DOTALL
)
CONCLUSION = re.compile(r'the answer is "(yes|no|unknown)"', re.IGNORECASE)
ANSWER_OF = {"proved": "yes", "disproved": "no", "unknown": "unknown"}

ANSWERS = (
    {"yes": "yes", "no": "no", "unknown": "unknown"},
    {"yes": "proved", "no": "disproved", "unknown": "cannot be derived"},
    {"yes": "Yes", "no": "No", "unknown": "The rules do not tell"},
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    with counted_skips("boardgameqa") as skips:
        for depth in DEPTHS:
            path = folder / f"boardgameqa/BoardgameQA-Main-depth{depth}/train.json"
            for row in read_json(path):
                match = QUESTION.search(row["example"])
                if match is None:
                    skips["no question at the end"] += 1
                    continue
                answer = ANSWER_OF[row["label"]]
                if concluded(row["proof"]) != answer:
                    skips["label and proof disagree"] += 1
                    continue
                state = row["example"][: match.start()]
                origin = Origin("boardgameqa", SOURCE.licence, group_of(state))
                asked = match[1] if rng.random() < 0.5 else match[2][0].upper() + match[2][1:]
                yield example(origin, state, asked, answer, rng)


def example(origin: Origin, state: str, asked: str, answer: str, rng: Random) -> Example:
    """Three times in four the three-way choice, else whether the answer can be told at all."""
    if rng.random() < 0.25:
        told = f"Do the rules settle this, either way? {asked}"
        return noul(origin, state, told, answer != "unknown")
    answers = rng.choice(ANSWERS)
    labels = list(answers.values())
    rng.shuffle(labels)
    return choice(origin, state, asked, labels, labels.index(answers[answer]))


def concluded(proof: str) -> str | None:
    """The answer that the last sentence of a proof gives."""
    found = CONCLUSION.findall(proof)
    return found[-1].lower() if found else None


SOURCE = Source(
    name="boardgameqa",
    licence="CC-BY-4.0",
    read=read,
    about="Kazemi et al. 2023, BoardgameQA: Natural Language Reasoning with Contradictory "
    "Information",
)
