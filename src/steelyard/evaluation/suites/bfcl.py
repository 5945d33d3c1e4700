"""BFCL v4, single turn: which function a request calls for, and whether any does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from steelyard.evaluation.rows import Row, examples, json_lines
from steelyard.evaluation.suites.suite import NO, YES, one_hot
from steelyard.types.content import Content, Json
from steelyard.types.example import Example
from steelyard.types.question import Choice, Noul

LICENCE = "Apache-2.0"
WHICH = "Which function should be called for the last message of the user?"
FITS = Noul("Can one of the functions do what the last message of the user asks?")

RELEVANCE: Mapping[str, bool] = {"irrelevance": False, "simple_python": True}
LIVE_RELEVANCE: Mapping[str, bool] = {
    "live_irrelevance": False,
    "live_relevance": True,
    "live_simple": True,
}


def multiple(folder: Path) -> list[Example]:
    """Which of 2 to 4 functions, requests written for the purpose."""
    return _which(folder, "multiple", "bfcl-multiple")


def live_multiple(folder: Path) -> list[Example]:
    """Which of 2 and more functions, requests of users; those to one set of functions a group."""
    return _which(folder, "live_multiple", "bfcl-live-multiple")


def relevance(folder: Path) -> list[Example]:
    """Whether the one function offered fits, requests written for the purpose."""
    return _fits(folder, RELEVANCE, "bfcl-relevance")


def live_relevance(folder: Path) -> list[Example]:
    """Whether one of the functions fits, requests of users; those to one set of them a group."""
    return _fits(folder, LIVE_RELEVANCE, "bfcl-live-relevance")


def _which(folder: Path, part: str, source: str) -> list[Example]:
    answers = folder / "bfcl" / "possible_answer" / f"BFCL_v4_{part}.json.gz"
    called = {row.text("id"): _called(row) for row in json_lines(answers)}

    def convert(row: Row) -> Iterator[Example]:
        functions = _functions(row)
        if called.get(row.text("id")) not in functions:
            raise row.error(f"{answers} calls none of its functions")
        gold = list(functions).index(called[row.text("id")])
        yield Example(
            _conversation(row),
            Choice(WHICH, functions),
            one_hot(gold, len(functions)),
            source,
            _group(row),
            LICENCE,
        )

    return examples(json_lines(_part(folder, part)), convert)


def _fits(folder: Path, parts: Mapping[str, bool], source: str) -> list[Example]:
    found: list[Example] = []
    for part, fits in parts.items():
        target = YES if fits else NO

        def convert(row: Row, target: tuple[float, ...] = target) -> Iterator[Example]:
            state: Content = {"conversation": _conversation(row), "functions": _functions(row)}
            yield Example(state, FITS, target, source, _group(row), LICENCE)

        found.extend(examples(json_lines(_part(folder, part)), convert))
    return found


def _functions(row: Row) -> dict[str, str]:
    """Name -> description."""
    functions = {item.text("name"): item.text("description") for item in row.objects("function")}
    if len(functions) != len(row.entries("function")):
        raise row.error("function: a name is there twice")
    return functions


def _conversation(row: Row) -> str | Sequence[Mapping[str, Json]]:
    """The text of a single message, or all messages with their roles."""
    turns = row.entries("question")
    if len(turns) != 1 or not isinstance(turns[0], list):
        raise row.wrong("question", "one turn, an array of messages")
    messages = Row(row.place, {"question": turns[0]}).objects("question")
    if len(messages) == 1:
        return messages[0].text("content")
    return [{name: item.text(name) for name in ("role", "content")} for item in messages]


def _called(row: Row) -> str:
    """The function of an answer: `[{"name": {...arguments}}]`."""
    calls = row.objects("ground_truth")
    if len(calls) != 1 or len(calls[0].fields) != 1:
        raise row.wrong("ground_truth", "one call of one function")
    return next(iter(calls[0].fields))


def _group(row: Row) -> str:
    text = json.dumps(row.get("function"), sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def _part(folder: Path, part: str) -> Path:
    return folder / "bfcl" / f"BFCL_v4_{part}.json.gz"
