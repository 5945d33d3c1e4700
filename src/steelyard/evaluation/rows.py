"""Rows of published files, each of which knows where it stands, so that an error can say it.

Files that end in .gz are unpacked on the way. Every reader gives `Row`s; a suite turns one row
into examples, and `examples` reports what goes wrong with the row's place.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from steelyard.data.files import read_text
from steelyard.errors import InputFileError, RequestError
from steelyard.types.content import Content, as_content, describe
from steelyard.types.example import Example


@dataclass(frozen=True, slots=True)
class Row:
    """A record of a file and its place, such as `test.csv.gz, line 3`.

    The readers of a field raise InputFileError when it is missing or of another type.
    """

    place: str
    fields: Mapping[str, object]

    def get(self, name: str) -> object:
        if name not in self.fields:
            raise self.error(f"no field {name!r}; found: {', '.join(map(str, self.fields))}")
        return self.fields[name]

    def text(self, name: str) -> str:
        value = self.get(name)
        if not isinstance(value, str):
            raise self.wrong(name, "a string")
        return value

    def number(self, name: str) -> float:
        """A JSON number, or text that spells one."""
        value = self.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise self.wrong(name, "a number")
        try:
            return float(value)
        except ValueError:
            raise self.wrong(name, "a number") from None

    def flag(self, name: str) -> bool:
        value = self.get(name)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def content(self, name: str) -> Content:
        """Text, or JSON that stands for text."""
        return as_content(self.get(name), name)

    def within(self, name: str) -> Row:
        """The object in a field."""
        value = self.get(name)
        if not isinstance(value, Mapping):
            raise self.wrong(name, "an object")
        return Row(f"{self.place}, {name}", value)

    def entries(self, name: str) -> list[object]:
        """The array in a field."""
        value = self.get(name)
        if not isinstance(value, list):
            raise self.wrong(name, "an array")
        return value

    def objects(self, name: str) -> list[Row]:
        """The array of objects in a field."""
        return [
            _row(f"{self.place}, {name}.{index}", value)
            for index, value in enumerate(self.entries(name))
        ]

    def wrong(self, name: str, allowed: str) -> InputFileError:
        return self.error(f"{name}: got {describe(self.get(name))}; allowed: {allowed}")

    def error(self, message: str) -> InputFileError:
        return InputFileError(f"{self.place}: {message}")


def examples(rows: Iterable[Row], convert: Callable[[Row], Iterable[Example]]) -> list[Example]:
    """All examples of all rows.

    Raises:
        InputFileError: a row that `convert` cannot read or that makes no valid example.
    """
    made: list[Example] = []
    for row in rows:
        try:
            made.extend(convert(row))
        except RequestError as error:
            raise row.error(str(error)) from error
    return made


def json_lines(path: Path) -> Iterator[Row]:
    """One JSON object a line; empty lines are skipped."""
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield _row(f"{path}, line {number}", parse_json(path, line, number))


def json_array(path: Path) -> list[Row]:
    """The objects of a file that is one JSON array; places count entries from 1."""
    value = parse_json(path, read_text(path))
    if not isinstance(value, list):
        raise InputFileError(f"{path}: {describe(value)}; allowed: an array of objects")
    return [_row(f"{path}, entry {number}", item) for number, item in enumerate(value, start=1)]


def json_object(path: Path) -> Row:
    """A file that is one JSON object."""
    return _row(str(path), parse_json(path, read_text(path)))


def csv_rows(path: Path, columns: Sequence[str] | None = None) -> Iterator[Row]:
    """Comma-separated rows; `columns` names them where the file has no header."""
    yield from _table(path, columns, csv.excel)


def tab_rows(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """Tab-separated rows without a header and without quoting."""
    yield from _table(path, columns, _Tabs)


class _Tabs(csv.excel_tab):
    quoting = csv.QUOTE_NONE


def _table(path: Path, columns: Sequence[str] | None, form: type[csv.Dialect]) -> Iterator[Row]:
    cells = csv.reader(StringIO(read_text(path), newline=""), form)
    try:
        for values in cells:
            if not values:  # a blank line
                continue
            place = f"{path}, line {cells.line_num}"
            if columns is None:
                columns = values
                twice = [name for name, count in Counter(columns).items() if count > 1]
                if twice:
                    raise InputFileError(
                        f"{place}: column {twice[0]!r} is there twice; allowed: one of each name"
                    )
                continue
            if len(values) != len(columns):
                raise InputFileError(f"{place}: {len(values)} columns; allowed: {len(columns)}")
            yield Row(place, dict(zip(columns, values, strict=True)))
    except csv.Error as error:
        raise InputFileError(f"{path}, line {cells.line_num}: {error}") from error


def parse_json(path: Path, text: str, line: int | None = None) -> object:
    """The value that a file, or one line of it, spells.

    Raises:
        InputFileError: it is no JSON, or nested so deep that it cannot be read.
    """
    try:
        return json.loads(text)
    except ValueError as error:
        number = line or getattr(error, "lineno", 1)
        raise InputFileError(f"{path}, line {number}: not JSON: {error}") from error
    except RecursionError as error:
        raise InputFileError(f"{path}, line {line or 1}: nested too deep to be read") from error


def _row(place: str, value: object) -> Row:
    if not isinstance(value, dict):
        raise InputFileError(f"{place}: {describe(value)}; allowed: an object")
    return Row(place, value)
