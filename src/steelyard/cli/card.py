"""`steelyard card`: what a calibration was fitted on, and what it promises."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def card(
    calibration: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="What `steelyard calibrate` wrote.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print calibration.json.")] = False,
) -> None:
    """Show what a calibration was fitted on, what for, and what it promises."""
    from steelyard.calibration.stored import dumps_calibration, read_calibration
    from steelyard.cli.trust_tables import print_card

    fitted = read_calibration(calibration)
    if as_json:
        typer.echo(dumps_calibration(fitted))
    else:
        print_card(fitted)
