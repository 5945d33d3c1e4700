"""`steelyard report`: a run, or two, as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN [RUN]", help="Folders that `steelyard evaluate` wrote."),
    ],
    out: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The HTML file; replaced.")
    ],
) -> None:
    """Write a report that opens anywhere and prints well: one HTML file, nothing outside it.

    Reliability, risk against coverage, accuracy by exit, by number of options and
    by the place of the right one, confusion, time against accuracy, and the worst
    errors with their texts. Of two runs it also tells the differences.
    """
    from steelyard.evaluation.report.page import report_page
    from steelyard.evaluation.run_folder import read_run

    text = report_page([read_run(path) for path in runs])
    out.write_text(text, encoding="utf-8")
    typer.echo(f"{out}: {len(text.encode()) / 1000:,.0f} kB", err=True)
