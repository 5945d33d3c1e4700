"""`steelyard audit`: what a server has recorded, shown, exported and asked again."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from steelyard.cli import model_options
from steelyard.errors import InputFileError, RequestError

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

    damaged = False
    for decision in read_decisions(file, last=last):
        try:
            typer.echo(_line(decision))
        except InputFileError as error:
            damaged = True
            typer.echo(f"error: {error}", err=True)
    raise typer.Exit(1 if damaged else 0)


@app.command()
def export(file: File, last: Last = None) -> None:
    """Write recorded decisions as JSON lines, with requests and responses as JSON."""
    from steelyard.server.audit import read_decisions
    from steelyard.types.codec import dumps, loads

    damaged = False
    for decision in read_decisions(file, last=last):
        fields = asdict(decision)
        try:
            for name in ("request", "response"):
                if fields[name] is not None:
                    fields[name] = loads(fields[name])
        except RequestError as error:
            damaged = True
            typer.echo(f"error: {decision.id}: the {name} is damaged: {error}", err=True)
        else:
            typer.echo(dumps(fields))
    raise typer.Exit(1 if damaged else 0)


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
    depth: model_options.Depth = "full",
    calibration: model_options.Calibration = None,
    runtime: model_options.Runtime = "auto",
    device: model_options.Device = "cpu",
    dtype: model_options.Dtype = "float32",
    threads: model_options.Threads = None,
) -> None:
    """Ask recorded decisions again and say what differs.

    Exit code 1 if anything differs, or nothing was asked. Only what was recorded
    with --audit-requests can be asked again, with the same --model, --depth and
    --calibration that it was served with.
    """
    from steelyard.server.audit import read_decisions
    from steelyard.server.replay import BOUND
    from steelyard.server.replay import replay as ask_again

    asked = differing = 0
    skipped: Counter[str] = Counter()
    largest = 0.0
    with model_options.load_engine(
        model,
        runtime=runtime,
        device=device,
        dtype=dtype,
        threads=threads,
        readout=readout,
        layout=layout,
        depth=depth,
        calibration=calibration,
    ) as engine:
        decisions = read_decisions(file, last=last)
        for one in ask_again(decisions, engine, BOUND if bound is None else bound):
            asked += one.skipped is None
            if one.skipped is not None:
                skipped[one.skipped] += 1
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
        f"{asked} asked again, {differing} differ, {skipped.total()} skipped; "
        f"the largest difference is {largest:.2g}",
        err=as_json,
    )
    if not asked:
        reasons = "; ".join(f"{count}: {reason}" for reason, count in skipped.items())
        typer.echo(f"nothing was asked again ({reasons or 'no decisions are recorded'})", err=True)
    raise typer.Exit(1 if differing or not asked else 0)


def _line(decision: Decision) -> str:
    """When, who, where, and every answer in short.

    Raises:
        InputFileError: its response is damaged.
    """
    from steelyard.server.recorded import recorded

    response = recorded(decision)
    answers = "  ".join(f"{name}={_short(one)}" for name, one in response.answers.items())
    return (
        f"{decision.at}  {decision.id}  {decision.key}  {response.model}  "
        f"{decision.request_sha256[:12]}  {answers}"
    )


def _short(answer: Mapping[str, Any]) -> str:
    if answer["type"] == "choice":
        share = answer["probabilities"].get(answer["choice"], math.nan)  # edited by hand
        return f"{answer['choice']!r} {share:.3f}"
    return f"{answer[answer['type']]:.3f}"
