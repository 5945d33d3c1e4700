"""Rows of a JSONL file: one JSON object on each line, blank lines skipped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from steelyard.bulk.lines import MAX_LINE_BYTES, Line, open_input, read_lines
from steelyard.bulk.record import Recipe, read_row
from steelyard.bulk.row import Row
from steelyard.errors import RequestError
from steelyard.types.codec import loads
from steelyard.types.content import describe


def jsonl_rows(path: Path, recipe: Recipe, after: int = 0) -> Iterator[Row]:
    """Rows on the lines after line `after`, read one at a time.

    A line that is no request is a row all the same: one that says what is wrong.

    Raises:
        InputFileError: the file cannot be read.
    """
    with open_input(path) as file:
        for line in read_lines(file):
            if line.number > after and (line.data is None or line.data.strip()):
                yield _row(line, recipe)


def _row(line: Line, recipe: Recipe) -> Row:
    try:
        if line.data is None:
            raise RequestError(f"the line is longer than {MAX_LINE_BYTES:,} bytes")
        record = loads(line.data)
        if not isinstance(record, Mapping):
            raise RequestError(f"the line is {describe(record)}; allowed: an object")
    except RequestError as error:
        return Row(line=line.number, end=line.end, id=None, asked=error)
    return read_row(record, recipe, line=line.number, end=line.end)
