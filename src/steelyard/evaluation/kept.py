"""Rows kept in a JSON Lines file as they come, so that a killed run goes on where it stopped.

A kill may tear the last line, even inside a character. Who reads leaves that line out and never
writes; who appends cuts it off first, and only from a file that begins as kept rows do.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from steelyard.errors import InputFileError, OutputError
from steelyard.evaluation.rows import parse_json
from steelyard.files import lock
from steelyard.types.content import describe

Row: TypeAlias = dict[str, Any]

BEGIN = b"{"
"""What a file of kept rows begins with, where nothing closer is known of it."""


def append_rows(path: Path, rows: Iterable[Row]) -> None:
    """Add rows and see them on the disk before returning.

    Raises:
        OutputError: they cannot be written, or the file ends in half a line and is none of ours.
    """
    text = "".join(
        json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows
    )
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _mend(path, BEGIN)
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())


def read_rows(path: Path) -> list[Row]:
    """The kept rows without a torn last one, none if there is no file; the file is left as it is.

    Raises:
        InputFileError: it cannot be read, or a line in it is no JSON object.
    """
    if not path.exists():
        return []
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputFileError(f"{path} cannot be read: {error}") from error
    lines = data[: data.rfind(b"\n") + 1].split(b"\n")
    return [_row(path, line, number) for number, line in enumerate(lines, start=1) if line]


@contextmanager
def hold(path: Path, begin: bytes = BEGIN) -> Iterator[None]:
    """Hold a file of rows against other processes that append, with a torn last line cut off.

    The lock goes with the process, however it ends. A file that got no row is not left behind.

    Args:
        begin: what the file begins with if it is one of ours.
    Raises:
        OutputError: another process holds it; or it cannot be written, or is none of ours.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = _locked(path)
    try:
        with writing(path):
            _mend(path, begin)
        yield
    finally:
        if os.fstat(handle).st_size == 0:
            path.unlink(missing_ok=True)
        os.close(handle)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say of which file the system speaks: of a full disk it names none.

    Raises:
        OutputError: what the system refuses.
    """
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error


def _locked(path: Path) -> int:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            lock(handle, f"another process writes answers to {path}")
            if path.exists() and os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        except OutputError:
            os.close(handle)
            raise
        os.close(handle)  # whoever held it has removed it in between


def _mend(path: Path, begin: bytes) -> None:
    """Cut off a torn last line; refuses a file that does not begin with `begin`."""
    if not path.exists():
        return
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return
        file.seek(-1, os.SEEK_END)
        if file.read() == b"\n":
            return
        file.seek(0)
        data = file.read()
    if data[: len(begin)] != begin[: len(data)]:
        raise OutputError(f"{path}: holds something else; allowed: a new file, or kept rows")
    os.truncate(path, data.rfind(b"\n") + 1)


def _row(path: Path, line: bytes, number: int) -> Row:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputFileError(f"{path}, line {number}: not UTF-8: {error.reason}") from error
    value = parse_json(path, text, number)
    if not isinstance(value, dict):
        raise InputFileError(f"{path}, line {number}: {describe(value)}; allowed: an object")
    return value
