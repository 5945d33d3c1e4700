"""Rows of a Parquet file, read in slices with polars."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from steelyard.bulk.record import Recipe, check_columns, read_row
from steelyard.bulk.row import Row
from steelyard.errors import InputFileError, MissingExtraError

SLICE_ROWS = 1024


def parquet_rows(path: Path, recipe: Recipe, after: int = 0) -> Iterator[Row]:
    """Rows after the first `after` of a Parquet file; only the recipe's columns are read.

    Raises:
        InputFileError: the file cannot be read or lacks a column of the recipe.
        MissingExtraError: polars is not installed.
    """
    polars = import_polars()
    try:
        table = polars.scan_parquet(path)
        columns = table.collect_schema().names()
        check_columns(path, columns, recipe)
        wanted = [name for name in columns if name in {*recipe.columns, recipe.id}]
        while records := table.select(wanted).slice(after, SLICE_ROWS).collect().to_dicts():
            for record in records:
                after += 1
                yield read_row(record, recipe, line=after, end=after)
    except (polars.exceptions.PolarsError, OSError) as error:
        raise InputFileError(f"{path}: not readable as Parquet: {error}") from None


def count_parquet_rows(path: Path) -> int:
    """Number of rows, from the file's metadata.

    Raises:
        InputFileError, MissingExtraError: as for `parquet_rows`.
    """
    polars = import_polars()
    try:
        return int(polars.scan_parquet(path).select(polars.len()).collect().item())
    except (polars.exceptions.PolarsError, OSError) as error:
        raise InputFileError(f"{path}: not readable as Parquet: {error}") from None


def import_polars() -> ModuleType:
    """polars, which is imported only where a Parquet file is read or written.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        import polars
    except ImportError:
        raise MissingExtraError("polars", "tables") from None
    return polars
