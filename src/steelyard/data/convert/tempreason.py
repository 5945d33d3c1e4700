"""TempReason, level 2: who held what at a given time, from dated facts (Tan et al. 2023)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data.answers import ShortAnswer, ask
from steelyard.data.ask import Origin
from steelyard.data.files import read_jsonl
from steelyard.data.normal import decoded
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.example import Example


def read(folder: Path, rng: Random) -> Iterator[Example]:
    with counted_skips("tempreason") as skips:
        for row in read_jsonl(folder / "tempreason/train_l2.json"):
            golds = [decoded(text) for text in row["text_answers"]["text"]]
            facts = row["fact_context"].strip()
            if not golds or not facts:
                skips["no answer or no facts"] += 1
                continue
            near = [decoded(text) for text in row["neg_answers"]]
            answer = ShortAnswer(decoded(row["question"]), golds[0], aliases=golds[1:], near=near)
            # "L2_Q367750_P39_0": all questions on one person and property share their facts.
            origin = Origin("tempreason", SOURCE.licence, row["id"].rpartition("_")[0])
            found = list(ask(origin, facts, answer, rng))
            skips["no other answer of its kind"] += not found
            yield from found


SOURCE = Source(
    name="tempreason",
    licence="CC-BY-SA-3.0",
    read=read,
    about="Tan et al. 2023, Towards Benchmarking and Improving the Temporal Reasoning Capability "
    "of Large Language Models; the file is JSON lines in spite of its name",
)
