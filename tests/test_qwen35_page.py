"""What docs/qwen35.md tells a reader to type can be typed."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import click
import pytest
import typer
from support.folders import write_hybrid
from support.training import small_examples, write_examples

from steelyard.cli.main import app, run
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


def test_the_recipe_makes_a_model_that_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The recipe on a small checkpoint, on a CPU: every other line of it is as published."""
    base = write_hybrid(tmp_path / "base")
    text = (ROOT / "recipes" / "qwen35.toml").read_text(encoding="utf-8")
    for old, new in (
        ('"Qwen/Qwen3.5-4B"', json.dumps(str(base))),
        ('"cuda"', '"cpu"'),
        ("[12, 16, 20, 24]", "[1, 3]"),
        ("../build/data/train.jsonl.gz", "train.jsonl"),
        ("../build/data/valid.jsonl.gz", "valid.jsonl"),
        ("steps = 16000", "steps = 2"),
        ("16384", "600"),
    ):
        assert old in text
        text = text.replace(old, new)
    config, run_folder, model = (str(tmp_path / name) for name in ("qwen35.toml", "run", "model"))
    Path(config).write_text(text, encoding="utf-8")
    for name, seed in (("train", 0), ("valid", 1)):
        write_examples(tmp_path / f"{name}.jsonl", small_examples(3, seed=seed))
    monkeypatch.chdir(tmp_path)
    for line in (
        f"train {config} -o {run_folder}",
        f"export {config} {run_folder} -o {model} --name qwen35 --merged bfloat16",
    ):
        assert run(shlex.split(line)) == 0
    capsys.readouterr()
    asked = [line for line in COMMANDS if "--depth adaptive" in line]
    line = asked[0].replace("build/qwen35/model", model).replace("cuda", "cpu")
    assert run(shlex.split(line)[1:]) == 0
    assert 0 < json.loads(capsys.readouterr().out)["answers"]["refund"]["noul"] < 1


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
