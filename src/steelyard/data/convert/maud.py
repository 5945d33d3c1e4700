"""MAUD: what a merger agreement says on a deal point (Wang et al. 2023)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

from steelyard.data.answers import closed_pick
from steelyard.data.ask import Origin
from steelyard.data.documents import LONGEST_STATE
from steelyard.data.files import read_csv
from steelyard.data.normal import decoded
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.example import Example

NONE = "<NONE>"


def read(folder: Path, rng: Random) -> Iterator[Example]:
    rows = list(read_csv(folder / "maud/MAUD_train.csv"))
    # No list of answers is published: the answers that a question ever got are its options.
    options: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        options[question_of(row)].setdefault(decoded(row["answer"]))
    with counted_skips("maud") as skips:
        for row in rows:
            question = question_of(row)
            if len(options[question]) < 2:
                skips["only one answer ever given"] += 1
                continue
            if len(row["text"]) > LONGEST_STATE:
                skips["the passage is too long"] += 1
                continue
            origin = Origin("maud", SOURCE.licence, row["contract_name"])
            gold = decoded(row["answer"])
            yield from closed_pick(origin, row["text"], question, gold, options[question], rng)


def question_of(row: Mapping[str, str]) -> str:
    """The question, with its subquestion where it has one."""
    parts = [row["question"], row["subquestion"]]
    return ": ".join(decoded(part) for part in parts if part and part != NONE)


SOURCE = Source(
    name="maud",
    licence="CC-BY-4.0",
    read=read,
    about="Wang et al. 2023, MAUD: An Expert-Annotated Legal NLP Dataset for Merger Agreement "
    "Understanding",
)
