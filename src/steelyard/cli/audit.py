"""`steelyard audit`: what a server has recorded, shown, exported and asked again."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.cli import model_options

if TYPE_CHECKING:
    from steelyard.server.audit import Decision

app = typer.Typer(
    no_args_is_help=True, help="Read what `steelyard serve --audit FILE` has recorded."
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="An audit file.")]
Last = Annotated[
    int | None, typer.Option(min=1, help="Only so many of the newest.", show_default="all")
]


@app.command()
def show(
    file: File,
    last: Annotated[int, typer.Option(min=1, help="So many of the newest.")] = 20,
) -> None:
    """Show recorded decisions, one a line; the newest comes last."""
    from steelyard.server.audit import read_decisions

    for decision in read_decisions(file, last=last):
        typer.echo(_line(decision))


@app.command()
def export(file: File, last: Last = None) -> None:
    """Write recorded decisions as JSON lines, with requests and responses as JSON."""
    from steelyard.server.audit import read_decisions
    from steelyard.types.codec import dumps, loads

    for decision in read_decisions(file, last=last):
        fields = asdict(decision)
        for name in ("request", "response"):
            if fields[name] is not None:
                fields[name] = loads(fields[name])
        typer.echo(dumps(fields))


@app.command()
def replay(
    file: File,
    last: Last = None,
    bound: Annotated[
        float | None,
        typer.Option(min=0.0, help="How far a number may move.", show_default="0.001"),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object for each decision.")
    ] = False,
    model: model_options.Model = "mini",
    readout: model_options.Readout = None,
    layout: model_options.Layout = None,
    runtime: model_options.Runtime = "auto",
    device: model_options.Device = "cpu",
    dtype: model_options.Dtype = "float32",
    threads: model_options.Threads = None,
) -> None:
    """Ask recorded decisions again and say what differs; exit code 1 if anything does.

    Only what was recorded with --audit-requests can be asked again.
    """
    from steelyard.server.audit import read_decisions
    from steelyard.server.replay import BOUND
    from steelyard.server.replay import replay as ask_again

    asked = skipped = differing = 0
    largest = 0.0
    with model_options.load_engine(
        model,
        runtime=runtime,
        device=device,
        dtype=dtype,
        threads=threads,
        readout=readout,
        layout=layout,
    ) as engine:
        decisions = read_decisions(file, last=last)
        for one in ask_again(decisions, engine, BOUND if bound is None else bound):
            asked += one.skipped is None
            skipped += one.skipped is not None
            differing += bool(one.differences)
            largest = max(largest, one.largest)
            if as_json:
                typer.echo(json.dumps(asdict(one)))
                continue
            for difference in one.differences:
                typer.echo(f"{one.id}  {difference}")
            if one.differences and one.basis:
                typer.echo(f"{one.id}  other than recorded: {', '.join(one.basis)}")
    typer.echo(
        f"{asked} asked again, {differing} differ, {skipped} skipped; "
        f"the largest difference is {largest:.2g}",
        err=as_json,
    )
    raise typer.Exit(1 if differing else 0)


def _line(decision: Decision) -> str:
    """When, who, where, and every answer in short."""
    from steelyard.types.codec import loads

    response = loads(decision.response)
    assert isinstance(response, dict) and isinstance(response["answers"], dict)
    answers = "  ".join(f"{name}={_short(one)}" for name, one in response["answers"].items())
    return (
        f"{decision.at}  {decision.id}  {decision.key}  {response['model']}  "
        f"{decision.request_sha256[:12]}  {answers}"
    )


def _short(answer: object) -> str:
    assert isinstance(answer, dict)
    if answer["type"] == "choice":
        return f"{answer['choice']!r} {answer['probabilities'][answer['choice']]:.3f}"
    return f"{answer[answer['type']]:.3f}"
