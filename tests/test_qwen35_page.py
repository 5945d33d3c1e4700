"""What docs/qwen35.md tells a reader to type can be typed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
import typer

from steelyard.cli.main import app
from steelyard.training.config import read_config

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "qwen35.md").read_text(encoding="utf-8")
LINES = "".join(re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)).splitlines()
COMMANDS = [line for line in LINES if not line.startswith("pip ")]


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_is_understood(line: str) -> None:
    program, *words = shlex.split(line)
    assert program == "steelyard"
    command: click.Command = typer.main.get_command(app)
    while isinstance(command, click.Group):
        command = command.commands[words.pop(0)]
    command.make_context(line, words)  # raises what the command line would answer


def test_extras_that_are_installed_exist() -> None:
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for extra in re.findall(r"steelyard\[(\w+)\]", "".join(LINES)):
        assert f"\n{extra} = [" in pyproject


def test_the_recipe_is_what_the_page_says_of_it() -> None:
    config = read_config(ROOT / "recipes" / "qwen35.toml")
    assert f"-m {config.model.base} " in PAGE
    assert f"rank {config.model.rank} on" in PAGE
    *first, last = map(str, config.model.exits)
    assert f"exits after layers {', '.join(first)} and {last}" in PAGE
    assert f"{config.optim.warmup_steps} steps of warmup" in PAGE
    assert f"`{next(iter(config.data.layouts))}`" in PAGE
