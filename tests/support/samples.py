"""Small files in the published formats, and the converters' examples of them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data.source import Source
from steelyard.types.example import Example, decode_example, encode_example
from steelyard.types.question import kind_of


def write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        with gzip.open(path, "wt", encoding="utf-8", newline="") as stream:
            stream.write(text)
    else:
        path.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value))


def write_jsonl(path: Path, rows: Iterable[Any]) -> None:
    write_text(path, "".join(f"{json.dumps(row)}\n" for row in rows))


def examples(source: Source, folder: Path, *, seeds: int = 1) -> list[Example]:
    """What the source makes of the folder with seeds 0 to seeds - 1; each seed is read twice to
    see that it decides everything, and each example survives its own codec."""
    found: list[Example] = []
    for seed in range(seeds):
        once = list(source.read(folder, Random(seed)))
        assert once == list(source.read(folder, Random(seed)))
        found.extend(once)
    assert all(decode_example(encode_example(example)) == example for example in found)
    assert all(example.source == source.name for example in found)
    return found


def of_kind(found: Iterable[Example], kind: str) -> list[Example]:
    return [example for example in found if kind_of(example.question) == kind]


def options(example: Example) -> list[str]:
    return list(example.question.criteria or ())


def gold(example: Example) -> str:
    """The most probable option of a choice, which must stand there once."""
    labels = options(example)
    assert len({label.casefold() for label in labels}) == len(labels)
    return labels[example.gold]


def asked(example: Example) -> str:
    """Everything a question says apart from its options' labels."""
    question = example.question
    described = question.criteria.values() if isinstance(question.criteria, dict) else ()
    return " ".join(str(part) for part in (question.instructions, *described) if part)
