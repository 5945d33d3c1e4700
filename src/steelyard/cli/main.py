"""The `steelyard` command: options for all subcommands, and what an error does to the exit code.

A subcommand imports what it needs when it runs, so that `steelyard --help` answers at once.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from steelyard.__about__ import __version__
from steelyard.cli.audit import app as audit
from steelyard.cli.calibrate import calibrate
from steelyard.cli.card import card
from steelyard.cli.compare import compare
from steelyard.cli.data import app as data
from steelyard.cli.decide import decide
from steelyard.cli.evaluate import evaluate
from steelyard.cli.mcp import mcp
from steelyard.cli.mine import mine
from steelyard.cli.models import models
from steelyard.cli.probe import probe
from steelyard.cli.pull import pull
from steelyard.cli.report import report
from steelyard.cli.score import score
from steelyard.cli.serve import serve
from steelyard.cli.show import show
from steelyard.cli.train import export, train
from steelyard.cli.verify import verify
from steelyard.errors import InputFileError, RequestError, SteelyardError, UnknownModelError

FAILED, ASKED_WRONGLY = 1, 2
LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 failed, 2 asked wrongly.",
)
for command in (
    decide, score, serve, mcp, calibrate, verify, evaluate, compare, report, probe, card, models,
    pull, show, train, export, mine,
):  # fmt: skip
    app.command()(command)
app.add_typer(data, name="data")
app.add_typer(audit, name="audit")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def options(
    verbose: Annotated[
        int, typer.Option("--verbose", "-v", count=True, help="Log to stderr; twice for more.")
    ] = 0,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version.")
    ] = False,
) -> None:
    """Typed decisions with probabilities, read off a local language model in one forward pass."""
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")
    logging.getLogger("steelyard").setLevel(LEVELS[min(verbose, len(LEVELS) - 1)])


def main() -> None:
    """Run the command line of this process, then end it."""
    # What oneDNN prepares for a shape it keeps, for up to 1,024 shapes. Every number of tokens is
    # another, so a server or a long file would grow for as long as it runs into new ones.
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code; what went wrong is said on stderr."""
    try:
        app(args=list(arguments), prog_name="steelyard")
    except SystemExit as end:  # how Typer ends; by Ctrl-C with 130
        return end.code if isinstance(end.code, int) else FAILED
    except SteelyardError as error:
        typer.echo(f"steelyard: {error}", err=True)
        asked_wrongly = isinstance(error, RequestError | UnknownModelError | InputFileError)
        return ASKED_WRONGLY if asked_wrongly else FAILED
    except OSError as error:  # a full disk behind stdout; a closed pipe is Typer's to handle
        typer.echo(f"steelyard: {error}", err=True)
        return FAILED
    raise AssertionError("Typer ends with SystemExit")
