"""A built data set read back, one example at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from steelyard.data.files import opened
from steelyard.errors import InputFileError, RequestError
from steelyard.types.codec import loads
from steelyard.types.example import Example, decode_example

TRAIN, VALID, REPORT = "train.jsonl.gz", "valid.jsonl.gz", "build.json"


def read_examples(path: Path) -> Iterator[Example]:
    """The examples of a file with one JSON object a line, as `encode_example` makes them.

    Raises:
        InputFileError: the file cannot be read, or a line is no example; it names file and line.
    """
    with opened(path) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                yield decode_example(loads(line))
            except RequestError as error:
                raise InputFileError(f"{path}:{number}: {error}") from error


def read_by_source(path: Path) -> Iterator[tuple[str, list[Example]]]:
    """The examples of a built file, one source after another: the name, and all that it has.

    Raises:
        InputFileError: as in `read_examples`, or a source's lines do not stand together.
    """
    seen = set()
    for name, examples in groupby(read_examples(path), key=lambda example: example.source):
        if name in seen:
            raise InputFileError(f"{path}: lines of {name!r} stand apart; a build writes one run")
        seen.add(name)
        yield name, list(examples)
