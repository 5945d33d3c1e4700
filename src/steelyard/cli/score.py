"""`steelyard score`: a file of rows in, a file of answers out."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.__about__ import __version__
from steelyard.cli import model_options
from steelyard.errors import RequestError

if TYPE_CHECKING:
    from steelyard.bulk.record import Recipe


def score(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN",
            help="JSONL (System One requests or SemIf rows), or with --questions any JSONL, CSV "
            "or Parquet.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="OUT", help="A new file: .jsonl, .csv or .parquet."),
    ],
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions", "-q", metavar="FILE", help="JSON or YAML: id -> question, for every row."
        ),
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="The column that holds the state.", show_default="state"
        ),
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help=r'Makes the state: "Subject: {subject}\n{body}".'),
    ] = None,
    id_column: Annotated[
        str, typer.Option("--id", metavar="COLUMN", help="The column that holds a row's id.")
    ] = "id",
    batch: Annotated[int, typer.Option(min=1, help="Rows computed together.")] = 32,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the unfinished run, if there is one.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first bad row instead of recording it.")
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
    """Answer questions about every row of a file.

    Each row gives one record in input order, or an error record, after which
    the run goes on. A run that was stopped or killed goes on with --resume and
    neither loses nor repeats a row.
    """
    from steelyard.bulk.journal import check_free
    from steelyard.bulk.run import score as score_file
    from steelyard.bulk.source import open_source
    from steelyard.bulk.write import format_of
    from steelyard.cli.progress import describe, progress_bar

    format_of(out)
    check_free(out, resume=resume)  # before the time that loading takes
    rows = open_source(source, read_recipe(questions, state, template, id_column))
    options = {
        "steelyard": __version__,
        "model": model,
        "runtime": runtime,
        "dtype": dtype,
        "readout": str(readout),
        "layout": str(layout),
        "rotations": str(rotations),
        "reread_below": str(reread_below),
        "depth": depth,
    }
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
        options["weights"] = engine.digest  # the name alone could mean another model tomorrow
        options["calibration"] = str(engine.calibration)
        for warning in engine.warnings:
            typer.echo(f"warning: {warning}", err=True)
        decide = partial(
            engine.decide_many,
            return_errors=True,
            rotations=rotations,
            reread_below=reread_below,
            depth=model_options.depth_of(depth),
        )
        with progress_bar(rows.size) as on_progress:
            done = score_file(
                rows,
                out,
                decide,
                options=options,
                batch=batch,
                digits=digits,
                strict=strict,
                resume=resume,
                on_progress=on_progress,
            )
    typer.echo(f"{describe(done)}, {done.tokens:,} tokens", err=True)
    if done.refused is not None:
        line, error = done.refused
        typer.echo(
            f"steelyard: {source}: line {line}: {error}\n"
            "Stopped because of --strict; --resume without it records the row and goes on.",
            err=True,
        )
        raise typer.Exit(1)
    if done.interrupted:
        typer.echo(
            f"Interrupted after line {done.line}; the same command with --resume goes on.", err=True
        )
        raise typer.Exit(130)
    if 0 < done.rows == done.errors:
        typer.echo(f"steelyard: no row could be answered; {out} says why.", err=True)
        raise typer.Exit(1)


def read_recipe(
    questions: Path | None, state: str | None, template: str | None, id_column: str
) -> Recipe:
    """How rows become requests, from the options.

    Raises:
        RequestError: options that exclude or need one another, or a bad template.
        InputFileError: the question file cannot be read or understood.
    """
    from steelyard.bulk.record import Recipe
    from steelyard.bulk.template import parse_template
    from steelyard.cli.questions import read_questions

    if state is not None and template is not None:
        raise RequestError(
            "given together with --state; the state is one of them", field="--template"
        )
    if questions is None:
        for option, value in (("--state", state), ("--template", template)):
            if value is not None:
                raise RequestError("needs --questions FILE", field=option)
        return Recipe(id=id_column)
    file = read_questions(questions)
    if file.state is not None:
        raise RequestError(
            f"{questions} has a state of its own; the rows bring theirs", field="--questions"
        )
    made_of = "state" if state is None else state
    return Recipe(
        questions=file.questions,
        state=made_of if template is None else parse_template(template),
        id=id_column,
    )
