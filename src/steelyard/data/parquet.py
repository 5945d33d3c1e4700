"""Reading published Parquet files; needs the extra `tables`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from steelyard.errors import InputFileError, MissingExtraError


def read_parquet(path: Path) -> Iterator[Mapping[str, Any]]:
    """The rows by column name.

    Raises:
        InputFileError: the file is missing or no Parquet.
        MissingExtraError: polars is not installed.
    """
    try:
        import polars
    except ImportError as error:
        raise MissingExtraError("polars", "tables") from error
    try:
        frame = polars.read_parquet(path)
    except (OSError, polars.exceptions.PolarsError) as error:
        raise InputFileError(f"{path} cannot be read: {error}") from error
    yield from frame.iter_rows(named=True)
