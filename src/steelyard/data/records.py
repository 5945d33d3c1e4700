"""Files as hubs publish them: shards under one pattern, and `.json` that is one array or lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steelyard.data.files import opened, read_json, read_jsonl
from steelyard.errors import InputFileError


def read_records(path: Path) -> Iterator[Any]:
    """The objects of a file that holds one array, or one object a line."""
    with opened(path) as stream:
        first = stream.read(256).lstrip()[:1]
    yield from read_json(path) if first == "[" else read_jsonl(path)


def shards(folder: Path, pattern: str) -> list[Path]:
    """The files of a pattern such as "mind2web/train_*.json", by name.

    Raises:
        InputFileError: there is none.
    """
    found = sorted(folder.glob(pattern))
    if not found:
        raise InputFileError(f"{folder / pattern}: no such file")
    return found
