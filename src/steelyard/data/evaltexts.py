"""Every text of an evaluation folder; a file in an unknown format is an error."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

from steelyard.data.files import opened
from steelyard.data.words import leaves
from steelyard.errors import InputFileError

PLAIN = (".txt", ".md", ".tsv")
ALLOWED = (".json", ".jsonl", ".csv", ".yaml", ".yml", *PLAIN)


def eval_files(folder: Path) -> list[Path]:
    """The files below a folder, in order of their paths; hidden ones are not data.

    Raises:
        InputFileError: no folder or an empty one, or a file in a format that cannot be scanned:
            passing it over would let it leak.
    """
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not any(part[0] == "." for part in path.relative_to(folder).parts)
    )
    if not files:
        raise InputFileError(f"{folder}: no folder with files in it")
    for path in files:
        if _suffix(path) not in ALLOWED:
            raise InputFileError(f"{path}: unknown format; allowed: {', '.join(ALLOWED)}, or .gz")
    return files


def eval_texts(path: Path) -> Iterator[str]:
    """The texts of a file in reading order: values of JSON and YAML, cells of tables and lines.

    Raises:
        InputFileError: the file is not what its name says.
    """
    with opened(path) as stream:
        suffix = _suffix(path)
        if suffix == ".csv":
            yield from (cell for row in csv.reader(stream) for cell in row)
        elif suffix in PLAIN:
            yield from (cell for line in stream for cell in line.split("\t"))
        elif suffix in (".yaml", ".yml"):
            yield from leaves(_yaml(stream.read(), path))
        else:
            yield from _json(stream.read(), path)


def _suffix(path: Path) -> str:
    return Path(path.stem if path.suffix == ".gz" else path.name).suffix


def _json(text: str, path: Path) -> Iterator[str]:
    try:
        yield from leaves(json.loads(text))
        return
    except ValueError:
        pass  # published .json files often hold one value a line
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield from leaves(json.loads(line))
            except ValueError as error:
                raise InputFileError(f"{path}:{number} is not JSON: {error}") from error


def _yaml(text: str, path: Path) -> object:
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputFileError(f"{path} is not YAML: {error}") from error
