"""Labelled rows and a model's answers to them: what `calibrate` and `verify` begin with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.__about__ import __version__
from steelyard.cli.news import news
from steelyard.errors import RequestError

if TYPE_CHECKING:
    from steelyard import Engine
    from steelyard.calibration.readings import Reading
    from steelyard.calibration.recipe import Origin
    from steelyard.types.example import Example

_PANEL = "Labelled rows"

Data = Annotated[
    Path,
    typer.Option(
        "--data",
        "-d",
        metavar="FILE",
        help="JSONL of examples, or with --questions a CSV or JSONL table.",
        rich_help_panel=_PANEL,
    ),
]
Questions = Annotated[
    Path | None,
    typer.Option(
        "--questions",
        "-q",
        metavar="FILE",
        help="JSON or YAML: id -> question. The table's columns of these names hold the answers.",
        rich_help_panel=_PANEL,
    ),
]
State = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column that holds the state.",
        show_default="state",
        rich_help_panel=_PANEL,
    ),
]
Template = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help=r'Makes the state: "Subject: {subject}\n{body}".',
        rich_help_panel=_PANEL,
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--label",
        metavar="ID=COLUMN",
        help="Another column for a question's answers; may be repeated.",
        rich_help_panel=_PANEL,
    ),
]
Group = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Rows with the same value are not independent, such as those of one customer.",
        rich_help_panel=_PANEL,
    ),
]


def read_labelled(
    data: Path,
    questions: Path | None,
    state: str | None,
    template: str | None,
    columns: Sequence[str],
    group: str | None,
) -> list[Example]:
    """The examples that the options name.

    Raises:
        RequestError: options that exclude or need one another.
        InputFileError: a file cannot be read or understood.
    """
    from steelyard.bulk.template import parse_template
    from steelyard.cli.questions import read_questions
    from steelyard.evaluation.labelled import Labels, labelled

    if state is not None and template is not None:
        raise RequestError("given together with --state", field="--template")
    if questions is None:
        for option, value in (
            ("--state", state),
            ("--template", template),
            ("--label", columns),
            ("--group", group),
        ):
            if value:
                raise RequestError("needs --questions FILE", field=option)
        return labelled(data)
    named = {}
    for text in columns:
        name, equals, column = text.partition("=")
        if not (name and equals and column):
            raise RequestError(f"got {text!r}; allowed: ID=COLUMN", field="--label")
        named[name] = column
    labels = Labels(
        questions=read_questions(questions).questions,
        state=(state or "state") if template is None else parse_template(template),
        columns=named,
        group=group,
    )
    return labelled(data, labels)


def answer_labelled(
    engine: Engine,
    examples: Sequence[Example],
    answers: Path,
    *,
    name: str,
    rotations: int,
    reread_below: float,
) -> tuple[list[Reading], Origin]:
    """The answers to all examples, kept in a file as they come, and where they come from.

    Args:
        engine: loaded with calibrated=False.
        name: of the rows.
    """
    from steelyard.evaluation.readings import origin_of, readings_of
    from steelyard.evaluation.run import read_predictions, run

    for warning in engine.warnings:
        typer.echo(f"warning: {warning}", err=True)
    predictions = run(
        engine,
        name,
        examples,
        answers,
        how={"rotations": rotations, "reread_below": reread_below},
        settings={"readout": engine.readout, "layout": engine.layout},
        code=__version__,
        progress=news(),
    )
    maker, _ = read_predictions(answers)
    return readings_of(maker, predictions), origin_of(maker)
