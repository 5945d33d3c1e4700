"""From one record (a JSON object, or the columns of a table row) to a request.

Three forms are understood:

    a System One request    {"state": ..., "questions": {...}}
    a SemIf row             {"state": ..., "question": "...", "options": [{"id", "description"}]}
    any record, with a `Recipe` that brings the questions and says where the state is
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.bulk.row import Row
from steelyard.bulk.template import Template
from steelyard.errors import InputFileError, RequestError
from steelyard.types.codec import decode_request
from steelyard.types.content import as_text, describe
from steelyard.types.question import Choice, Question
from steelyard.types.request import Request

SEMIF_QUESTION = "question"
"""Id of the one question of a SemIf row."""

SEMIF_OPTIONS = range(2, 17)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How to make requests of records.

    Attributes:
        questions: asked of every record; None where each brings its own.
        state: the column that holds the state, or a template that makes one of several columns.
            Used only with `questions`.
        id: the column that holds a row's own id; a record may lack it.
    """

    questions: Mapping[str, Question] | None = None
    state: str | Template = "state"
    id: str = "id"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of which the state is made."""
        return self.state.columns if isinstance(self.state, Template) else (self.state,)


def check_columns(path: Path, columns: Sequence[str], recipe: Recipe) -> None:
    """Refuse a table that lacks a column of the recipe.

    Raises:
        InputFileError: naming the column and those there are.
    """
    for column in recipe.columns:
        if column not in columns:
            raise InputFileError(
                f"{path}: no column {column!r} to make the state of; "
                f"the columns are {', '.join(map(repr, columns))}"
            )


def read_row(record: Mapping[str, Any], recipe: Recipe, *, line: int, end: int) -> Row:
    """The row that a record stands for; one that is not allowed becomes a row that says so."""
    name: str | int | None = None
    try:
        name = _read_id(record, recipe)
        asked, names = _read_request(record, recipe)
    except RequestError as error:
        return Row(line=line, end=end, id=name, asked=error)
    return Row(line=line, end=end, id=name, asked=asked, names=names)


def _read_id(record: Mapping[str, Any], recipe: Recipe) -> str | int | None:
    value = record.get(recipe.id)
    if isinstance(value, str):
        return as_text(value, recipe.id)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise RequestError(f"got {describe(value)}; allowed: a string or an integer", field=recipe.id)


def _read_request(record: Mapping[str, Any], recipe: Recipe) -> tuple[Request, Mapping[str, str]]:
    if recipe.questions is not None:
        return Request(_read_state(record, recipe), recipe.questions), {}
    if "options" in record and "questions" not in record:
        return _read_semif(record)
    if "questions" not in record:
        raise RequestError(
            "missing; a row without questions needs a question file (--questions)",
            field="questions",
        )
    # The limit of 255 options is the wire's; the engine has its own.
    return decode_request(record, max_options=sys.maxsize), {}


def _read_state(record: Mapping[str, Any], recipe: Recipe) -> Any:
    if isinstance(recipe.state, Template):
        return recipe.state.fill(record)
    if recipe.state == "state" and "questions" in record:
        raise RequestError(
            "the row has questions of its own, and a question file was given as well",
            field="questions",
        )
    return _get(record, recipe.state)


def _read_semif(record: Mapping[str, Any]) -> tuple[Request, Mapping[str, str]]:
    """SemIf does not show option ids to the model: the descriptions become the labels."""
    state, question, options = (_get(record, key) for key in ("state", "question", "options"))
    if not isinstance(question, str):
        raise RequestError(f"got {describe(question)}; allowed: a string", field="question")
    if not isinstance(options, list) or len(options) not in SEMIF_OPTIONS:
        shown = f"{len(options)} options" if isinstance(options, list) else describe(options)
        raise RequestError(f"got {shown}; allowed: an array of 2 to 16", field="options")
    names: dict[str, str] = {}
    for index, option in enumerate(options):
        field = f"options.{index}"
        if not isinstance(option, Mapping):
            raise RequestError(f"got {describe(option)}; allowed: an object", field=field)
        name, text = (_read_label(option, key, f"{field}.{key}") for key in ("id", "description"))
        if name in names.values():
            raise RequestError(f"{describe(name)} is given twice", field=f"{field}.id")
        if text in names:
            raise RequestError(f"{describe(text)} is given twice", field=f"{field}.description")
        names[text] = name
    try:
        choice = Choice(question, tuple(names))
    except RequestError as error:  # all else was checked above
        raise RequestError(error.message, field="question") from None
    return Request(state, {SEMIF_QUESTION: choice}), names


def _read_label(option: Mapping[str, Any], key: str, field: str) -> str:
    value = _get(option, key, field)
    if not isinstance(value, str) or not value.strip():
        raise RequestError(f"got {describe(value)}; allowed: a non-empty string", field=field)
    return as_text(value, field)


def _get(record: Mapping[str, Any], key: str, field: str | None = None) -> Any:
    if key not in record:
        fields = ", ".join(describe(name) for name in record) or "no fields"
        raise RequestError(f"missing; there are {fields}", field=field or key)
    return record[key]
