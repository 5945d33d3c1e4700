"""Reading published files: CSV, TSV, JSON and JSON lines, plain or gzipped; packing our own."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from steelyard.errors import InputFileError

csv.field_size_limit(2**24)


@contextmanager
def opened(path: Path) -> Iterator[TextIO]:
    """The text of a file, which is unpacked where its name ends in .gz.

    Raises:
        InputFileError: the file is missing, cut short, no gzip or no UTF-8.
    """
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8", newline="")
            if path.suffix == ".gz"
            else path.open(encoding="utf-8", newline="")
        ) as stream:
            yield stream
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise InputFileError(f"{path} cannot be read: {error}") from error


@contextmanager
def packed(path: Path) -> Iterator[BinaryIO]:
    """A new gzip file whose bytes tell neither its name nor the hour."""
    with (
        path.open("wb") as file,
        gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as stream,
    ):
        yield stream  # type: ignore[misc]


def read_text(path: Path) -> str:
    """All text of a file, unpacked as by `opened`, without a byte order mark.

    Raises:
        InputFileError: as `opened`; where the text is no UTF-8 it names the line.
    """
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        data = data.removeprefix(BOM_UTF8)
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputFileError(f"{path}, line {line}: not UTF-8: {error.reason}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputFileError(f"{path} cannot be read: {error}") from error


def read_json(path: Path) -> Any:
    """The value of a JSON file; InputFileError where it is none."""
    return _parsed(read_text(path), str(path))


def read_jsonl(path: Path) -> Iterator[Any]:
    """The values of a file with one JSON value a line; blank lines are skipped."""
    with opened(path) as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                yield _parsed(line, f"{path}:{number}")


def read_csv(path: Path, *, delimiter: str = ",") -> Iterator[Mapping[str, str]]:
    """The rows of a file with a header, by column name.

    Raises:
        InputFileError: also where a row has another number of cells than the header.
    """
    with opened(path) as stream:
        for row in csv.DictReader(stream, delimiter=delimiter, strict=True):
            if None in row or None in row.values():
                raise InputFileError(f"{path}: a row with another number of cells: {row!r}"[:500])
            yield row


def read_rows(path: Path, *, delimiter: str = ",") -> Iterator[list[str]]:
    """The rows of a file without a header."""
    with opened(path) as stream:
        yield from csv.reader(stream, delimiter=delimiter, strict=True)


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputFileError(f"{where} is not JSON: {error}") from error
    except RecursionError as error:
        raise InputFileError(f"{where} is nested too deep to be read") from error
