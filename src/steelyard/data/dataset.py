"""Files of examples, one JSON object a line: read back one at a time, and written whole."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from steelyard.data.files import opened, packed
from steelyard.errors import InputFileError, OutputError, RequestError
from steelyard.types.codec import dumps, loads
from steelyard.types.example import Example, decode_example, encode_example

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


def encode_line(example: Example) -> bytes:
    """The line that `read_examples` reads the example from."""
    return dumps(encode_example(example)).encode("utf-8") + b"\n"


def write_examples(path: Path, examples: Iterable[Example]) -> None:
    """Write a new file of examples, packed where its name ends in .gz; it appears when complete.

    The same examples give the same bytes.

    Raises:
        OutputError: the file exists, or cannot be written.
    """
    if path.exists():
        raise OutputError(f"{path} exists already; nothing is overwritten")
    part = path.with_name(f"{path.name}.part-{os.getpid()}")
    try:
        with packed(part) if path.suffix == ".gz" else part.open("wb") as file:
            for example in examples:
                file.write(encode_line(example))
        part.rename(path)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
