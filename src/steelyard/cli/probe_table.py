"""A probe on the terminal: a bar while it runs, then a line for every finding."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from steelyard.probe.finding import Verdict
from steelyard.probe.page import estimate_text
from steelyard.probe.run import Run

STYLES: dict[Verdict, str] = {
    "holds": "green",
    "does not hold": "red",
    "not shown": "yellow",
    "not supported by this server": "dim",
}


@contextmanager
def request_bar() -> Iterator[Callable[[str, int, int], None]]:
    """A function to call before every request; it draws on stderr, or nothing where that is a file.

    It takes the experiment's name, the requests sent so far and their number.
    """
    bar = Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    task = bar.add_task("", total=None)
    with bar:
        yield lambda name, done, total: bar.update(
            task, description=name, completed=done, total=total
        )


def print_run(run: Run) -> None:
    """Every null with its estimate and verdict, and what was refused."""
    table = Table("experiment", "null", "estimate", "verdict", box=None)
    for result in run.results:
        name = result.experiment.name
        for finding in result.judgement.findings:
            verdict = Text(finding.verdict, style=STYLES[finding.verdict])
            table.add_row(name, Text(finding.null), estimate_text(finding), verdict)
            name = ""
    console = Console(highlight=False)
    console.print(table)
    for result in run.results:
        for message, count in result.refusals.items():
            console.print(Text(f"{result.experiment.name}: {count} refused: {message}"))
