"""What is written for a row, and tables made of it.

JSONL records are System One response bodies with the row's `id` and `line` in front. Tables have
one flat row per record: `queue.choice`, `queue.confidence`, `queue.p.billing`, `urgent.noul`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from steelyard.bulk.parquet_rows import import_polars
from steelyard.bulk.row import Row
from steelyard.errors import OutputError, SteelyardError
from steelyard.types.answer import ChoiceAnswer, Response, Verdict
from steelyard.types.codec import encode_response, loads
from steelyard.types.content import Json

FIRST_COLUMNS = ("id", "line", "model")
GUARANTEED = ("committed", "action", "set")
"""Columns of answers of which a calibration says more; the options of a set stand between bars."""

ERROR_COLUMNS = ("error.code", "error.message", "error.field")


@dataclass(frozen=True, slots=True)
class Format:
    """How results are written: as nested or flat records, and what makes a table of the latter."""

    flat: bool
    convert: Callable[[Path, Path], None] | None


def record_of(row: Row, outcome: Response | SteelyardError, digits: int | None) -> dict[str, Json]:
    """The JSON object for a row: its answers, or its error."""
    head: dict[str, Json] = {"id": row.id, "line": row.line}
    if isinstance(outcome, SteelyardError):
        error = {"code": outcome.code, "message": outcome.message, "field": outcome.field}
        return head | {"error": error}
    return head | encode_response(_renamed(outcome, row.names), extras=True, digits=digits)


def flatten(record: Mapping[str, Any]) -> dict[str, Json]:
    """The table row for a record of `record_of`.

    Raises:
        OutputError: two values would share a column, as with questions named `q` and `q.p`.
    """
    if "error" in record:
        errors = {f"error.{key}": value for key, value in record["error"].items()}
        return {"id": record["id"], "line": record["line"], **errors}
    flat: dict[str, Json] = {name: record[name] for name in FIRST_COLUMNS}
    for question, answer in record["answers"].items():
        values = {answer["type"]: answer[answer["type"]]}
        if "probabilities" in answer:
            values["confidence"] = answer["confidence"]
            values |= {f"p.{label}": p for label, p in answer["probabilities"].items()}
        values |= {name: answer[f"x_{name}"] for name in GUARANTEED if f"x_{name}" in answer}
        if "set" in values:
            values["set"] = "|".join(values["set"])
        for name, value in values.items():
            column = f"{question}.{name}"
            if column in flat or column in ERROR_COLUMNS:
                raise OutputError(f"two values for the column {column!r}; write JSONL instead")
            flat[column] = value
    return flat


def write_csv(part: Path, out: Path) -> None:
    """Write the flat records of `part` as CSV, with the columns of all of them."""
    columns = _columns(part)
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(_records(part))


def write_parquet(part: Path, out: Path) -> None:
    """Write the flat records of `part` as Parquet, with the columns of all of them.

    Raises:
        OutputError: a column holds text in one row and numbers in another, or polars fails.
        MissingExtraError: polars is not installed.
    """
    polars = import_polars()
    types = {int: polars.Int64, float: polars.Float64, str: polars.String}
    schema = {name: types[kind] for name, kind in _columns(part).items()}
    try:
        polars.scan_ndjson(part, schema=schema).sink_parquet(out)
    except polars.exceptions.PolarsError as error:
        raise OutputError(f"cannot write {out} as Parquet: {error}") from None


FORMATS: Mapping[str, Format] = {
    ".jsonl": Format(flat=False, convert=None),
    ".ndjson": Format(flat=False, convert=None),
    ".csv": Format(flat=True, convert=write_csv),
    ".parquet": Format(flat=True, convert=write_parquet),
}


def format_of(out: Path) -> Format:
    """The format that a file name asks for.

    Raises:
        OutputError: its ending is none of FORMATS.
        MissingExtraError: Parquet without polars; better now than after the run.
    """
    suffix = out.suffix.lower()
    if suffix not in FORMATS:
        raise OutputError(f"{out}: unknown format {suffix!r}; allowed: {', '.join(FORMATS)}")
    if suffix == ".parquet":
        import_polars()
    return FORMATS[suffix]


def _renamed(response: Response, names: Mapping[str, str]) -> Response:
    if not names:
        return response
    answers = dict(response.answers)
    for question, answer in answers.items():
        assert isinstance(answer, ChoiceAnswer), "only choices have names"
        answers[question] = replace(
            answer,
            choice=names[answer.choice],
            probabilities={names[label]: p for label, p in answer.probabilities.items()},
            verdict=_renamed_verdict(answer.verdict, names),
        )
    return replace(response, answers=answers)


def _renamed_verdict(verdict: Verdict | None, names: Mapping[str, str]) -> Verdict | None:
    if verdict is None or verdict.options is None:
        return verdict
    return replace(verdict, options=tuple(names[label] for label in verdict.options))


def _columns(part: Path) -> dict[str, type]:
    """Every column in order of appearance, errors last, with the type that holds its values."""
    kinds: dict[str, set[type]] = {name: set() for name in FIRST_COLUMNS}
    kinds["line"].add(int)
    for record in _records(part):
        for name, value in record.items():
            kinds.setdefault(name, set()).update([] if value is None else [type(value)])
    for name in ERROR_COLUMNS:
        kinds[name] = kinds.pop(name, set())
    return {name: _common(name, found) for name, found in kinds.items()}


def _common(column: str, kinds: set[type]) -> type:
    if kinds == {int}:
        return int
    if kinds and kinds <= {int, float}:
        return float
    if kinds <= {str} or column == "id":
        return str
    raise OutputError(f"the column {column!r} holds text and numbers; write JSONL instead")


def _records(part: Path) -> Iterator[dict[str, Any]]:
    with part.open("rb") as file:
        for line in file:
            record = loads(line)
            assert isinstance(record, dict)
            yield record
