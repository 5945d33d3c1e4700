"""An input file as a stream of rows, whatever its format."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from steelyard.bulk.csv_rows import csv_rows
from steelyard.bulk.jsonl import jsonl_rows
from steelyard.bulk.lines import open_input
from steelyard.bulk.parquet_rows import count_parquet_rows, parquet_rows
from steelyard.bulk.record import Recipe
from steelyard.bulk.row import Row
from steelyard.errors import InputFileError, RequestError

READERS: dict[str, Callable[[Path, Recipe, int], Iterator[Row]]] = {
    ".jsonl": jsonl_rows,
    ".ndjson": jsonl_rows,
    ".csv": csv_rows,
    ".parquet": parquet_rows,
}


@dataclass(frozen=True, slots=True)
class Source:
    """A file that can be read as rows.

    Attributes:
        path: the file.
        recipe: how its records become requests.
        size: what `Row.end` reaches at the end: bytes, or rows for Parquet.
        digest: sha256 of the file, hexadecimal.
    """

    path: Path
    recipe: Recipe
    size: int
    digest: str

    def rows(self, after: int = 0) -> Iterator[Row]:
        """The rows whose `line` is above `after`, one at a time.

        Raises:
            InputFileError: the file as a whole cannot be understood.
        """
        return READERS[self.path.suffix.lower()](self.path, self.recipe, after)


def open_source(path: Path, recipe: Recipe) -> Source:
    """Check that a file can be read as rows, and take its digest.

    Raises:
        InputFileError: the file is missing or of no known format.
        RequestError: a table without questions.
        MissingExtraError: Parquet without polars.
    """
    suffix = path.suffix.lower()
    if suffix not in READERS:
        raise InputFileError(f"{path}: unknown format {suffix!r}; allowed: {', '.join(READERS)}")
    with open_input(path) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if recipe.questions is None and suffix in (".csv", ".parquet"):
        raise RequestError(f"missing; a {suffix} file needs a question file", field="questions")
    size = count_parquet_rows(path) if suffix == ".parquet" else path.stat().st_size
    return Source(path, recipe, size, digest)
