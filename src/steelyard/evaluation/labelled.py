"""A labelled table as examples: a column with the text, and one for each question's answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from steelyard.bulk.template import Template
from steelyard.errors import InputFileError
from steelyard.evaluation.rows import Row, csv_rows, examples, json_lines
from steelyard.evaluation.suites.own import suite_of_file
from steelyard.evaluation.suites.suite import one_hot
from steelyard.types.content import Content
from steelyard.types.example import Example, num_options
from steelyard.types.question import Choice, Noul, Question

YES = ("true", "yes", "1")
NO = ("false", "no", "0")

GROUP_DIGITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """How a table is read.

    Attributes:
        questions: id -> question; the column of that name holds its answers: yes or no (or true or
            false, 1 or 0), a label of the choice, a level of the score or its number from 0. An
            empty cell is no answer.
        state: the column that is judged, or a template of several.
        columns: id -> another column than the one named like the question.
        group: the column of what is not independent, such as a customer; None: rows of one state
            are one group, wherever they stand.
    """

    questions: Mapping[str, Question]
    state: str | Template = "state"
    columns: Mapping[str, str] = field(default_factory=dict)
    group: str | None = None


def labelled(path: Path, labels: Labels | None = None) -> list[Example]:
    """The examples in a file: of a CSV or JSON Lines table, or JSON Lines of examples.

    Args:
        labels: how a table is read; None where every line is an example.
    Raises:
        InputFileError: a row that cannot be read, an answer that is none, or no answer at all.
    """
    if labels is None:
        return suite_of_file(path).load(path.parent)
    for name in labels.columns:
        if name not in labels.questions:
            raise InputFileError(
                f"no question; allowed: {', '.join(labels.questions)}", field=f"labels.{name}"
            )
    table = path.name.removesuffix(".gz").endswith(".csv")
    rows = csv_rows(path) if table else json_lines(path)
    found = examples(rows, lambda row: _examples(row, labels, path.name))
    if not found:
        raise InputFileError(f"{path}: no answers; allowed: one or more")
    return found


def _examples(row: Row, labels: Labels, source: str) -> Iterator[Example]:
    state: Content
    if isinstance(labels.state, Template):
        state = labels.state.fill(row.fields)
    else:
        state = row.content(labels.state)
    group = _content_digest(state) if labels.group is None else str(row.get(labels.group))
    for name, question in labels.questions.items():
        column = labels.columns.get(name, name)
        answer = row.get(column)
        if answer not in (None, ""):
            target = one_hot(_place(row, column, question), num_options(question))
            yield Example(state, question, target, source, group, "own")


def _content_digest(state: Content) -> str:
    """A group that stays with a row when its file moves, or gets other lines."""
    return hashlib.sha256(json.dumps(state).encode("ascii")).hexdigest()[:GROUP_DIGITS]


def _place(row: Row, column: str, question: Question) -> int:
    """Which option the answer in a column is."""
    given = row.get(column)
    text = str(given).strip()
    if isinstance(question, Noul):
        if text.lower() not in (*YES, *NO):
            raise row.error(f"{column}: got {given!r}; allowed: yes or no")
        return 0 if text.lower() in YES else 1
    names: list[Content] = list(question.criteria)
    if text in names:
        return names.index(text)
    if isinstance(question, Choice):
        raise row.error(f"{column}: got {given!r}; allowed: {', '.join(question.criteria)}")
    if not text.isdecimal() or int(text) >= len(names):
        raise row.error(f"{column}: got {given!r}; allowed: a level, or 0 to {len(names) - 1}")
    return int(text)
