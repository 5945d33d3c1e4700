"""`steelyard decide`: one state, a few questions, the answers as bars or as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli import model_options
from steelyard.types.codec import dumps, encode_response


def decide(
    state: Annotated[
        str | None, typer.Argument(help="What is judged; - reads standard input.")
    ] = None,
    state_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Read the state from a file.")
    ] = None,
    json_state: Annotated[
        bool, typer.Option("--json-state", help="The state is JSON: an object or an array.")
    ] = False,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            "-q",
            metavar="FILE",
            help="JSON or YAML: id -> question, or a whole request.",
        ),
    ] = None,
    noul: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help='"urgent=Is it urgent?"')
    ] = None,
    choice: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help='"queue=Which team?:billing=Charges, refunds|sales"'),
    ] = None,
    score: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help='"anger=How angry?:calm|annoyed|furious", low to high'),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one line of JSON, as System One answers.")
    ] = False,
    digits: model_options.Digits = None,
    model: model_options.Model = "mini",
    readout: model_options.Readout = None,
    layout: model_options.Layout = None,
    rotations: model_options.Rotations = 1,
    reread_below: model_options.RereadBelow = 0.0,
    depth: model_options.Depth = "full",
    calibration: model_options.Calibration = None,
    runtime: model_options.Runtime = "auto",
    device: model_options.Device = "cpu",
    dtype: model_options.Dtype = "float32",
    threads: model_options.Threads = None,
) -> None:
    """Answer questions about one state, with a probability for every answer.

    The state is text from the argument, a file or standard input. Ask yes/no
    questions with --noul, one of several options with --choice, ordered levels
    with --score, each as often as you like, or give a file. "id=" in front
    names a question; a backslash before = : or | makes it text.
    """
    from steelyard.cli.questions import parse_flags
    from steelyard.cli.render import print_response
    from steelyard.cli.request import read_request

    flags = parse_flags(noul or (), choice or (), score or ())
    request = read_request(state, state_file, json_state, questions, flags)
    with model_options.load_engine(
        model,
        runtime=runtime,
        device=device,
        dtype=dtype,
        threads=threads,
        readout=readout,
        layout=layout,
        calibration=calibration,
    ) as engine:
        response = engine.decide(
            request.state,
            request.questions,
            rotations=rotations,
            reread_below=reread_below,
            depth=model_options.depth_of(depth),
        )
    for warning in dict.fromkeys((*engine.warnings, *response.warnings)):
        typer.echo(f"warning: {warning}", err=True)
    if as_json:
        line = dumps(encode_response(response, extras=True, digits=digits))
        typer.echo(line.encode("utf-8"))  # JSON is UTF-8 whatever the terminal speaks
    else:
        print_response(response, digits=digits)
