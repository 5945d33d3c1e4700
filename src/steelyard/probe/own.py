"""The user's own questions, read as `steelyard score` reads them, or the built-in scenes.

A row of a JSONL file may bring other wordings of its questions, which mean the same:

    {"state": "...", "questions": {"urgent": {...}}, "paraphrases": {"urgent": ["Is it pressing?"]}}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from steelyard.bulk.lines import MAX_LINE_BYTES, open_input, read_lines
from steelyard.bulk.record import Recipe, read_row
from steelyard.errors import InputFileError, RequestError
from steelyard.probe.experiment import OwnQuestion, Setting
from steelyard.probe.scenes import scenes
from steelyard.probe.trial import ASKED
from steelyard.types.codec import loads
from steelyard.types.content import Json, describe
from steelyard.types.request import Request

QUICK_QUESTIONS = 8
FIELD = "paraphrases"


def questions_of(setting: Setting) -> tuple[OwnQuestion, ...]:
    """The questions about which the user wants to know; of many, a quick run takes a sample."""
    if not setting.own:
        return tuple(
            OwnQuestion(scene.name, scene.name, scene.ask(scene.choice))
            for scene in scenes(setting.quick)
        )
    if not setting.quick or len(setting.own) <= QUICK_QUESTIONS:
        return setting.own
    taken = set(setting.random("own questions").sample(range(len(setting.own)), QUICK_QUESTIONS))
    return tuple(own for index, own in enumerate(setting.own) if index in taken)


def read_own(path: Path) -> tuple[OwnQuestion, ...]:
    """Every question of a JSONL file, each with its state.

    Raises:
        InputFileError: the file cannot be read, a row is no request, or it has no row.
    """
    try:
        with open_input(path) as file:
            found = [
                own
                for line in read_lines(file)
                if line.data is None or line.data.strip()
                for own in _questions(line.data, line.number)
            ]
    except RequestError as error:
        raise InputFileError(f"{path}: {error}") from None
    if not found:
        raise InputFileError(f"{path}: no rows; allowed: one JSON object on each line")
    return tuple(found)


def _questions(data: bytes | None, number: int) -> Iterator[OwnQuestion]:
    name = f"line {number}"
    if data is None:
        raise RequestError(f"longer than {MAX_LINE_BYTES:,} bytes", field=name)
    try:
        record = loads(data)
        if not isinstance(record, Mapping):
            raise RequestError(f"got {describe(record)}; allowed: an object")
        row = read_row(record, Recipe(), line=number, end=0)
        if isinstance(row.asked, RequestError):
            raise row.asked
        others = _paraphrases(record.get(FIELD), row.asked)
    except RequestError as error:
        raise error.within(name) from None
    for key, question in row.asked.questions.items():
        yield OwnQuestion(
            name=f"{name}, {key}",
            state_name=name,
            request=Request(row.asked.state, {ASKED: question}),
            wordings=others.get(key, ()),
        )


def _paraphrases(value: Json, request: Request) -> dict[str, tuple[str, ...]]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise RequestError(f"got {describe(value)}; allowed: id -> texts", field=FIELD)
    found = {}
    for key, texts in value.items():
        field = f"{FIELD}.{key}"
        if key not in request.questions:
            asked = ", ".join(map(describe, request.questions))
            raise RequestError(f"no such question; there are {asked}", field=field)
        if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
            raise RequestError(f"got {describe(texts)}; allowed: an array of strings", field=field)
        found[key] = tuple(str(one) for one in texts)
    return found
