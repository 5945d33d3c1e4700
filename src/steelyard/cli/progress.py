"""A progress bar with rate and time left, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from steelyard.bulk.run import Progress


@contextmanager
def progress_bar(size: int) -> Iterator[Callable[[Progress], None]]:
    """A function to call with every progress; it draws on stderr, or nothing where that is a file.

    Args:
        size: what `Progress.position` reaches at the end.
    """
    bar = Bar(
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[shown]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    task = bar.add_task("", total=size, shown="")

    def show(progress: Progress) -> None:
        bar.update(task, completed=progress.position, shown=describe(progress))

    with bar:
        yield show


def describe(progress: Progress) -> str:
    """Rows, errors and rate as a short text."""
    text = f"{progress.rows:,} row{'' if progress.rows == 1 else 's'}"
    if progress.errors:
        text += f", {progress.errors:,} error{'' if progress.errors == 1 else 's'}"
    if progress.seconds > 0:
        text += f", {progress.rows / progress.seconds:,.1f} rows/s"
    return text
