"""Lines of a file that may be larger than memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from steelyard.errors import InputFileError

MAX_LINE_BYTES = 64 * 1024 * 1024
"""Far above any request that fits a model; it keeps a file without newlines out of memory."""

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its newline. `data` is None where it is longer than MAX_LINE_BYTES."""

    number: int
    end: int
    data: bytes | None


def open_input(path: Path) -> BufferedReader:
    """Open a file of the user's for reading.

    Raises:
        InputFileError: it is missing, a folder, or not readable.
    """
    try:
        return path.open("rb")
    except OSError as error:
        raise InputFileError(f"{path}: {error.strerror}") from None


def read_lines(file: BufferedReader, limit: int = MAX_LINE_BYTES) -> Iterator[Line]:
    """Lines from the start of `file`, numbered from 1, without a byte order mark and CR or LF."""
    number = end = 0
    while piece := file.readline(limit + 1):
        number += 1
        end += len(piece)
        data: bytes | None = piece.removeprefix(_BOM) if number == 1 else piece
        if not piece.endswith(b"\n") and len(piece) > limit:
            data = None
            while piece and not piece.endswith(b"\n"):
                piece = file.readline(limit)
                end += len(piece)
        yield Line(number, end, None if data is None else data.rstrip(b"\r\n"))
