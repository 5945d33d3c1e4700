"""ScienceQA: school questions without their pictures (Lu et al. 2022).

Lecture and solution give the answer away and stay out; rows with an image are skipped and counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data.answers import closed_pick
from steelyard.data.ask import Origin
from steelyard.data.files import read_json
from steelyard.data.groups import group_of
from steelyard.data.normal import decoded
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.example import Example

PLAIN = ("Which answer is right?", "Choose the right answer.", "Answer the question.")


def read(folder: Path, rng: Random) -> Iterator[Example]:
    with counted_skips("scienceqa") as skips:
        for row in read_json(folder / "scienceqa/problems.json").values():
            if row["split"] != "train":
                continue
            if row["image"]:
                skips["needs its image"] += 1
                continue
            choices = [decoded(text) for text in row["choices"]]
            question, hint = decoded(row["question"]), decoded(row["hint"])
            gold = choices[row["answer"]]
            origin = Origin("scienceqa", SOURCE.licence, group_of(f"{hint} {question}"))
            state, asked = (hint, question) if hint else (question, rng.choice(PLAIN))
            found = list(closed_pick(origin, state, asked, gold, choices, rng))
            skips["only one option"] += not found
            yield from found


SOURCE = Source(
    name="scienceqa",
    licence="CC-BY-NC-SA-4.0",
    read=read,
    about="Lu et al. 2022, Learn to Explain: Multimodal Reasoning via Thought Chains for Science "
    "Question Answering",
)
