"""Small corpora in their published form, and facts that hold for every converter."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from random import Random

from steelyard.data.normal import normal
from steelyard.data.source import Source
from steelyard.types import Choice, Example, Noul, Score

SEEDS = range(12)


def write_text(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")


def write_json(folder: Path, name: str, value: object) -> None:
    write_text(folder, name, json.dumps(value))


def write_jsonl(folder: Path, name: str, rows: Iterable[object]) -> None:
    write_text(folder, name, "".join(json.dumps(row) + "\n" for row in rows))


def drawn(source: Source, folder: Path) -> list[Example]:
    """The examples of several seeds, after the facts that every source has to fulfil."""
    assert list(source.read(folder, Random(5))) == list(source.read(folder, Random(5)))
    assert list(source.read(folder, Random(5))) != list(source.read(folder, Random(6)))
    examples = [e for seed in SEEDS for e in source.read(folder, Random(seed))]
    for example in examples:
        assert (example.source, example.licence) == (source.name, source.licence)
        assert "{" not in str(example.question.instructions)
        if isinstance(example.question, Choice):
            labels = [normal(label) for label in example.question.criteria]
            assert len(set(labels)) == len(labels), labels
    return examples


def choices(examples: Iterable[Example]) -> list[Example]:
    return [e for e in examples if isinstance(e.question, Choice)]


def nouls(examples: Iterable[Example]) -> list[Example]:
    return [e for e in examples if isinstance(e.question, Noul)]


def scores(examples: Iterable[Example]) -> list[Example]:
    return [e for e in examples if isinstance(e.question, Score)]


def gold_label(example: Example) -> str:
    assert isinstance(example.question, Choice)
    return list(example.question.criteria)[example.gold]


def gold_text(example: Example) -> str:
    """What the right option says: its label, or the description under a letter or number."""
    assert isinstance(example.question, Choice)
    label = gold_label(example)
    return str(example.question.criteria[label] or label)
