"""`steelyard pull`: fetch a model."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer


def pull(
    name: Annotated[str, typer.Argument(help="A name of `steelyard models`, or an id org/name.")],
) -> None:
    """Fetch a model: a named one, verified by its sha256, or one of the Hugging Face hub.

    Prints where it lies. An interrupted pull goes on where it stopped.
    """
    from steelyard.models.catalog import CATALOG
    from steelyard.models.pull import pull as fetch

    if (entry := CATALOG.get(name)) is not None:
        typer.echo(f"{entry.title}, {entry.licence}; {entry.origin}", err=True)
    try:
        with _bar(name) as progress:
            path = fetch(name, progress=progress)
    except KeyboardInterrupt:
        typer.echo("interrupted; the same command goes on from here", err=True)
        raise
    typer.echo(path)


@contextmanager
def _bar(name: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr, where that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(name), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    console = Console(file=sys.stderr)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
