"""Rows of a CSV file: one record per row, its columns as fields.

The standard library reads it, because it tells the line of every row and goes on after a bad one.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from steelyard.bulk.lines import MAX_LINE_BYTES, open_input, read_lines
from steelyard.bulk.record import Recipe, check_columns, read_row
from steelyard.bulk.row import Row
from steelyard.errors import InputFileError, RequestError
from steelyard.types.content import Json


def csv_rows(path: Path, recipe: Recipe, after: int = 0) -> Iterator[Row]:
    """Rows that begin after line `after` of a comma-separated file in UTF-8 with a header.

    A row with too many or too few cells, a stray quote or a byte that is no UTF-8 is a row that
    says so.

    Raises:
        InputFileError: the file cannot be read, has no header, lacks a column of the recipe, or
            has a line longer than MAX_LINE_BYTES.
    """
    csv.field_size_limit(MAX_LINE_BYTES)  # the default, 128 KiB, is less than a model may read
    end = 0

    def text() -> Iterator[str]:
        nonlocal end
        for line in read_lines(file):
            if line.data is None:
                raise InputFileError(
                    f"{path}: line {line.number} is longer than {MAX_LINE_BYTES:,} bytes"
                )
            end = line.end
            yield line.data.decode("utf-8", "surrogateescape") + "\n"

    with open_input(path) as file:
        reader = csv.reader(text(), strict=True)
        header = _read_header(path, reader)
        check_columns(path, header, recipe)
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader)
                problem = None
            except StopIteration:
                return
            except csv.Error as error:
                cells, problem = [], RequestError(f"not CSV: {error}")
            if line > after and (cells or problem):
                asked = problem or _record(header, cells)
                yield _row(line, end, asked, recipe)


def _read_header(path: Path, reader: Iterator[list[str]]) -> list[str]:
    try:
        header = next(reader, [])
    except csv.Error as error:
        raise InputFileError(f"{path}: the header is not CSV: {error}") from None
    if not header:
        raise InputFileError(f"{path}: no header; the first line must name the columns")
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise InputFileError(f"{path}: the header names {repeated[0]!r} twice")
    return header


def _record(header: Sequence[str], cells: Sequence[str]) -> dict[str, Json] | RequestError:
    if len(cells) != len(header):
        return RequestError(f"{len(cells)} cells; the header names {len(header)} columns")
    for column, cell in zip(header, cells, strict=True):
        try:
            cell.encode("utf-8")
        except UnicodeEncodeError as error:  # what surrogateescape made of a byte
            byte = ord(cell[error.start]) - 0xDC00
            return RequestError(
                f"byte 0x{byte:02x} after {error.start} characters is not UTF-8", field=column
            )
    return dict(zip(header, cells, strict=True))


def _row(line: int, end: int, record: dict[str, Json] | RequestError, recipe: Recipe) -> Row:
    if isinstance(record, RequestError):
        return Row(line=line, end=end, id=None, asked=record)
    return read_row(record, recipe, line=line, end=end)
