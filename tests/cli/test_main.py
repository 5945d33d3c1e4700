"""What every subcommand shares: help, exit codes, and errors in words on stderr."""

from __future__ import annotations

import functools
import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.wheels import FakeFetch, tiny_entry

from steelyard import __version__
from steelyard.cli.main import app, run
from steelyard.errors import (
    CapabilityError,
    DownloadError,
    InputFileError,
    ModelFileError,
    OutputError,
    RequestError,
    TooLongError,
    UnknownModelError,
)
from steelyard.models import pull as pull_module
from steelyard.models.catalog import CATALOG
from steelyard.prompt.layout import LAYOUTS
from steelyard.readout.registry import READOUTS

COMMAND = [sys.executable, "-c", "from steelyard.cli.main import main; main()"]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    for name in ("decide", "score", "serve", "models", "pull", "show", "audit"):
        assert f" {name} " in text


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for command in app.registered_commands:
        assert command.callback is not None
        assert run([command.callback.__name__, "--help"]) == 0
        assert command.callback.__doc__ is not None
        assert command.callback.__doc__.split(".")[0].split()[0] in capsys.readouterr().out


@pytest.mark.parametrize("name", [*READOUTS, *LAYOUTS])
def test_help_names_every_readout_and_layout(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")  # so that no name is broken
    assert run(["decide", "--help"]) == 0
    assert re.search(rf"[ :]{re.escape(name)}[ ,;]", capsys.readouterr().out)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"{__version__}\n"


@pytest.mark.parametrize("arguments", [["nonsense"], ["pull"], ["--nonsense"], []])
def test_a_command_line_that_makes_no_sense_is_asked_wrongly(arguments: list[str]) -> None:
    assert run(arguments) == 2


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RequestError("bad", field="state"), 2),
        (TooLongError("bad"), 2),
        (UnknownModelError("bad"), 2),
        (InputFileError("bad"), 2),
        (ModelFileError("bad"), 1),
        (CapabilityError("bad"), 1),
        (DownloadError("bad"), 1),
        (OutputError("bad"), 1),
    ],
)
def test_errors_are_told_on_stderr_and_by_the_exit_code(
    error: Exception,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(name: str, **options: object) -> Path:
        raise error

    monkeypatch.setattr(pull_module, "pull", fail)
    assert run(["pull", "org/name"]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"steelyard: {error}\n"


def test_ctrl_c_ends_with_130_and_says_that_a_pull_can_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(CATALOG, "tiny", tiny_entry())  # type: ignore[misc]
    monkeypatch.setenv("STEELYARD_HOME", str(tmp_path))
    fetch = FakeFetch(fail_at={"tiny-part2": KeyboardInterrupt()})
    monkeypatch.setattr(pull_module, "pull", functools.partial(pull_module.pull, fetch=fetch))
    assert run(["pull", "tiny"]) == 130
    assert "the same command goes on from here" in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_reason_for_a_traceback() -> None:
    process = subprocess.Popen(
        [*COMMAND, "models", "--json"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=30) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_behind_stdout_is_told() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, "models", "--json"],
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "steelyard: [Errno 28] No space left on device\n"


@pytest.mark.parametrize(
    ("flags", "level"),
    [([], logging.WARNING), (["-v"], logging.INFO), (["-vvv"], logging.DEBUG)],
)
def test_verbose_raises_the_log_level(flags: list[str], level: int) -> None:
    logger = logging.getLogger("steelyard")
    before = logger.level
    try:
        assert run([*flags, "models", "--json"]) == 0
        assert logger.level == level
    finally:
        logger.setLevel(before)
