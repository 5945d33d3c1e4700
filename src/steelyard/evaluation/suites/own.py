"""A suite of one's own: a file of examples, or of tasks as JevBench publishes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from steelyard.errors import InputFileError
from steelyard.evaluation.rows import Row, examples, json_lines
from steelyard.evaluation.suites.jevbench_tasks import is_task, task_example
from steelyard.evaluation.suites.suite import Suite
from steelyard.types.example import Example, decode_example


def suite_of_file(path: Path) -> Suite:
    """The examples of a JSON Lines file, plain or .gz, as a suite named like the file.

    Raises:
        InputFileError: when it loads: a line that is neither, or no line at all.
    """
    name = suite_name(path)

    def convert(row: Row) -> Iterator[Example]:
        yield from task_example(row, name) if is_task(row) else _example(row)

    def load(_: Path) -> list[Example]:
        found = examples(json_lines(path), convert)
        if not found:
            raise InputFileError(f"{path}: empty; allowed: an example a line")
        return found

    return Suite(name=name, load=load, what=f"the examples of {path.name}", licence="mixed")


def suite_name(path: Path) -> str:
    """The file's, without what says how it is written."""
    name = path.name.removesuffix(".gz")
    return name.removesuffix(".jsonl").removesuffix(".csv")


def _example(row: Row) -> Iterator[Example]:
    yield decode_example(row.fields)
