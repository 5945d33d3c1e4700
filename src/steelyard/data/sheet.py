"""A few examples of every source on a page for a person: the eye finds what no rule looks for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from steelyard.data.dataset import TRAIN, read_by_source
from steelyard.errors import OutputError
from steelyard.types.content import Content
from steelyard.types.example import Example
from steelyard.types.question import Choice, Noul, kind_of

ROWS = 20
CHARACTERS = 3000
OPTIONS = 12


def write_sheet(build: Path, file: Path, *, seed: int = 0, rows: int = ROWS) -> None:
    """Write a Markdown page of training examples drawn at random from each source of a build.

    Raises:
        OutputError: the file exists, or cannot be written.
        InputFileError: the build cannot be read.
    """
    if file.exists():
        raise OutputError(f"{file} exists already; nothing is overwritten")
    sections = [
        section(name, Random(f"{seed}:{name}").sample(examples, min(rows, len(examples))))
        for name, examples in read_by_source(build / TRAIN)
    ]
    try:
        file.write_text("\n".join(sections), encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{file} cannot be written: {error.strerror}") from error


def section(source: str, examples: Sequence[Example]) -> str:
    """Markdown for some examples of a source."""
    parts = [f"## {source}\n"]
    for number, example in enumerate(examples, start=1):
        text = "\n".join(lines(example))
        fence = "~" * 4
        while fence in text:  # a state may hold a fence of its own
            fence += "~"
        title = f"### {number}. {kind_of(example.question)}, group {example.group}"
        parts.append(f"{title}, {example.licence}\n\n{fence}text\n{text}\n{fence}\n")
    return "\n".join(parts)


def lines(example: Example) -> Iterator[str]:
    """The text of one example; what a page has no room for is counted, not dropped in silence."""
    question = example.question
    state = _spelt(example.state)
    yield state[:CHARACTERS]
    if len(state) > CHARACTERS:
        yield f"[... {len(state) - CHARACTERS:,} more characters]"
    yield ""
    yield "? " + ("-" if question.instructions is None else _spelt(question.instructions))
    options = _options(example)
    order: Sequence[int] = range(len(options))
    if len(options) > OPTIONS:  # the likeliest are what a reader wants to see
        order = sorted(order, key=lambda index: -example.target[index])[:OPTIONS]
    for index in sorted(order):
        yield f"  {example.target[index]:.3f}  {options[index]}"
    if len(options) > OPTIONS:
        yield f"  [... {len(options) - OPTIONS} more options]"


def _options(example: Example) -> list[str]:
    question = example.question
    if isinstance(question, Choice):
        return [_described(label, text) for label, text in question.criteria.items()]
    if isinstance(question, Noul):
        criteria: Mapping[str, Content | None] = question.criteria or {}
        return [
            _described(label, criteria.get(key))
            for label, key in (("yes", "true"), ("no", "false"))
        ]
    return [f"{level}: {_spelt(text)}" for level, text in enumerate(question.criteria)]


def _described(label: str, description: Content | None) -> str:
    return label if description is None else f"{label}: {_spelt(description)}"


def _spelt(content: Content) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
