"""Converters run on small files in the published format, and what must hold of every example."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data.normal import normal
from steelyard.data.source import Source
from steelyard.types.example import Example
from steelyard.types.question import Choice, Noul, Score


def write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def write_jsonl(path: Path, rows: Iterable[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def converted(source: Source, folder: Path, *, seeds: int = 12) -> list[Example]:
    """All examples of several readings, each with other wordings, options and orders by chance.

    Checked of each: source and licence are the converter's, a hard choice has one best option, and
    no two options are the same answer.
    """
    examples = [example for seed in range(seeds) for example in source.read(folder, Random(seed))]
    for example in examples:
        assert example.source == source.name and example.licence == source.licence
        if isinstance(example.question, Choice):
            options = list(example.question.criteria)
            assert len({normal(option) for option in options}) == len(options) >= 2, options
    return examples


def choices(examples: Iterable[Example]) -> list[Example]:
    return [each for each in examples if isinstance(each.question, Choice)]


def nouls(examples: Iterable[Example]) -> list[Example]:
    return [each for each in examples if isinstance(each.question, Noul)]


def scores(examples: Iterable[Example]) -> list[Example]:
    return [each for each in examples if isinstance(each.question, Score)]


def right(example: Example) -> str:
    """The label of the most probable option of a choice."""
    assert isinstance(example.question, Choice)
    return list(example.question.criteria)[example.gold]


def options(example: Example) -> list[str]:
    assert isinstance(example.question, Choice)
    return list(example.question.criteria)


def asked(example: Example) -> str:
    assert isinstance(example.question.instructions, str)
    return example.question.instructions


def shown(example: Example) -> str:
    """Everything that a model gets to read, as one text."""
    criteria = example.question.criteria
    parts = [example.state, example.question.instructions]
    parts += list(criteria.items()) if hasattr(criteria, "items") else [criteria]
    return json.dumps(parts, ensure_ascii=False)


def assert_hidden(examples: Sequence[Example], *secrets: str) -> None:
    """No example lets a model read what the annotation says about the answer."""
    for example in examples:
        for secret in secrets:
            assert secret not in shown(example), secret
