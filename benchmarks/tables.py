"""Markdown for documents that are generated from records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.record import RECORDS, ROOT


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; cells must not hold a bar.

    >>> print(table(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    lines = [head, *rows]
    return "\n".join(
        [_row(lines[0]), "|" + "---|" * len(head), *(_row(line) for line in lines[1:])]
    )


def with_interval(figure: Mapping[str, Any], digits: int = 2) -> str:
    """`0.61 [0.53, 0.69]`, or `0.61` where one group says nothing about the spread."""
    if figure["interval"] is None:
        return f"{figure['value']:.{digits}f}"
    low, high = figure["interval"]
    return f"{figure['value']:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def source(record: Mapping[str, Any]) -> str:
    """Where a number comes from: record, commit and day, machine, command."""
    origin = record["provenance"]
    dirty = ", with uncommitted changes" if origin["dirty"] else ""
    threads = record["settings"].get("threads")
    used = "" if threads is None else f", {threads} thread{'s' if threads != 1 else ''}"
    path = RECORDS.relative_to(ROOT) / f"{record['name']}.json"
    return (
        f"`{path}`: commit {origin['commit'][:10]}{dirty}, {origin['date'][:10]}, "
        f"{origin['machine']['cpu']}{used}\n\n"
        f"```\n{origin['command']}\n```"
    )


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
