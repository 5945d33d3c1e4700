"""`steelyard data`: data sets for training, built and audited."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from steelyard.data.build import SourceReport

GUESSES = ("yes", "first", "longest", "chance")

app = typer.Typer(no_args_is_help=True, help="Build and audit data sets for training.")


@app.command()
def build(
    folder: Annotated[
        Path, typer.Argument(metavar="DATA_FOLDER", help="Where the published files lie.")
    ],
    out: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="A new folder.")],
    seed: Annotated[int, typer.Option(help="Another seed draws other options and wordings.")],
    sources: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this source; may be repeated.")
    ] = None,
    evaluation: Annotated[
        Path | None,
        typer.Option(
            "--eval", metavar="FOLDER", help="Drop what these evaluation files hold as well."
        ),
    ] = None,
    cap: Annotated[
        int | None, typer.Option(min=1, help="Most examples of any source.", show_default="its own")
    ] = None,
    include_unshippable: Annotated[
        bool,
        typer.Option(
            "--include-unshippable",
            help="Also texts whose licence forbids giving away a model trained on them.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print build.json.")] = False,
) -> None:
    """Make labelled decisions of public data and generators.

    Writes train.jsonl.gz, valid.jsonl.gz and build.json, which says what was
    read, kept and dropped, and why. The same data, seed and version give the
    same bytes.
    """
    from steelyard.data.build import build as build_data
    from steelyard.data.sources import select

    report = build_data(
        folder,
        out,
        select(sources),
        seed=seed,
        evaluation=evaluation,
        cap=cap,
        include_unshippable=include_unshippable,
        on_source=_say,
    )
    for name, licence in report["skipped"].items():
        typer.echo(f"skipped {name}: its licence is {licence}", err=True)
    if evaluation is None:
        typer.echo("warning: not scanned for leaks; give --eval FOLDER", err=True)
    if include_unshippable:
        typer.echo(f"warning: {report['warning']}", err=True)
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False).encode("utf-8"))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("source", box=None)
    for heading in ("read", "train", "valid", "dropped", "leaks", "entities"):
        table.add_column(heading, justify="right")
    for row in report["sources"]:
        leaks = None if row["leaks"] is None else sum(row["leaks"]["removed"].values())
        dropped = sum(row["dropped"].values())
        counts = (row["read"], row["train"], row["valid"], dropped, leaks, row["html_entities"])
        table.add_row(row["name"], *map(_count, counts))
    Console().print(table)


@app.command()
def audit(
    build: Annotated[Path, typer.Argument(metavar="OUT", help="A folder that build wrote.")],
    evaluation: Annotated[
        Path | None,
        typer.Option("--eval", metavar="FOLDER", help="Look for these evaluation files in it."),
    ] = None,
    sheet: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write 20 examples of every source, to be read."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Check a built data set; findings are said on stderr and end with exit code 1.

    Counted per source: impossible and repeated examples, groups on both sides
    of the split, licences, passages of the evaluation files, and how far the
    cheap guesses get: yes, the first option, the longest.
    """
    from steelyard.data.audit import audit as audit_build

    report = audit_build(build, evaluation)
    if sheet is not None:
        from steelyard.data.sheet import write_sheet

        write_sheet(build, sheet)
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False).encode("utf-8"))
    else:
        _print_audit(report["sources"])
    for finding in report["findings"]:
        typer.echo(f"finding: {finding}", err=True)
    if evaluation is None:
        typer.echo("warning: not scanned for leaks; give --eval FOLDER", err=True)
    if report["findings"]:
        raise typer.Exit(1)


def _print_audit(sources: Sequence[Mapping[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    checks = Table("source", box=None)
    guesses = Table("source", box=None)
    for heading in ("train", "valid", "faults", "repeated", "split", "licence", "leaks"):
        checks.add_column(heading, justify="right")
    for heading in GUESSES:
        guesses.add_column(heading, justify="right")
    for row in sources:
        counts = (
            row["train"],
            row["valid"],
            sum(row["faults"].values()),
            row["repeated"],
            row["shared_groups"],
            sum(row["unshippable"].values()),
            None if row["leaks"] is None else sum(row["leaks"]["removed"].values()),
        )
        checks.add_row(row["name"], *map(_count, counts))
        shares = (row["balance"][name] for name in GUESSES)
        guesses.add_row(row["name"], *("-" if s is None else f"{s:.2f}" for s in shares))
    for table in (checks, guesses):
        Console().print(table)


def _count(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def _say(report: SourceReport) -> None:
    dropped = "".join(f", {count:,} {reason}" for reason, count in report.dropped.items())
    typer.echo(
        f"{report.name}: {report.train:,} to train, {report.valid:,} to validate{dropped}", err=True
    )
