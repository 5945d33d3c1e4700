"""DROP: numbers that take counting or arithmetic over a paragraph (Dua et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data.answers import ShortAnswer, ask
from steelyard.data.ask import Origin
from steelyard.data.figures import figure, numbers_in
from steelyard.data.files import read_json
from steelyard.data.normal import decoded
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.example import Example


def read(folder: Path, rng: Random) -> Iterator[Example]:
    documents = read_json(folder / "drop/drop_dataset_train.json")
    with counted_skips("drop") as skips:
        for name, document in documents.items():
            passage = decoded(document["passage"])
            nearby = numbers_in(passage)
            for row in document["qa_pairs"]:
                gold = decoded(row["answer"]["number"])
                if figure(gold) is None:
                    skips["the answer is no number"] += 1
                    continue
                sums = [a - b for a in nearby[:12] for b in nearby[:12] if a > b]
                answer = ShortAnswer(decoded(row["question"]), gold, computed=nearby, nearby=sums)
                yield from ask(Origin("drop", SOURCE.licence, name), passage, answer, rng)


SOURCE = Source(
    name="drop",
    licence="CC-BY-SA-4.0",
    read=read,
    about="Dua et al. 2019, DROP: Discrete Reasoning Over the content of Paragraphs",
)
