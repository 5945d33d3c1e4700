"""`steelyard compare`: two runs on the same questions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from steelyard.evaluation.compare import Comparison


def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="A run's folder, or a file of answers.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="What it is compared with.")],
    noise: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RUN",
            help="A run of A's recipe with another seed; give two or more.",
        ),
    ] = None,
    slices: Annotated[
        bool, typer.Option("--slices/--no-slices", help="Show parts of suites as well.")
    ] = True,
    seed: Annotated[int, typer.Option(min=0, help="Another seed draws other samples.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say where two runs differ by more than chance, on the questions that both answered.

    Differences are B less A, with intervals that draw whole groups of questions.
    A verdict is given only where the interval excludes 0, and not where runs of
    one recipe differ as much. Of many slices one in twenty seems to differ by
    chance alone.
    """
    from steelyard.cli.evaluation_tables import print_comparison

    found = compared(a, b, noise or (), seed)
    if as_json:
        typer.echo(json.dumps(as_dict(found)))
    else:
        print_comparison(found, slices)


def compared(a: Path, b: Path, noise: Sequence[Path] = (), seed: int = 0) -> Comparison:
    """The comparison of two runs on disk.

    Raises:
        OutputError: one of them holds no answers.
        InputFileError: they share no questions.
        TooFewRowsError: one run is no noise.
    """
    from steelyard.evaluation.compare import compare as compare_suites
    from steelyard.evaluation.compare import figures
    from steelyard.evaluation.retrain_noise import retrain_noise
    from steelyard.evaluation.run_folder import read_run

    spreads = None
    if noise:
        spreads = retrain_noise([figures(read_run(path).suites) for path in noise])
    return compare_suites(read_run(a).suites, read_run(b).suites, noise=spreads, seed=seed)


def as_dict(found: Comparison) -> dict[str, Any]:
    """The comparison as JSON, with its verdicts."""
    told = asdict(found)
    for one, shown in zip(found.compared, told["compared"], strict=True):
        for difference, row in zip(one.differences, shown["differences"], strict=True):
            row["verdict"] = difference.verdict
    return told
