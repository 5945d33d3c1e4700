"""The pages in docs/ agree with the code, and what they tell a reader to do works."""

from __future__ import annotations

import csv
import json
import re
import runpy
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from support.conversions import choices, converted, nouls
from support.folders import write_model

from benchmarks.pages import renew
from docs import server_tables, source_tables
from steelyard.cli.main import run
from steelyard.server.metrics import Metrics
from steelyard.training.config import TrainConfig, read_config
from steelyard.types import decode_example

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "training"


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_tables_of_sources_are_those_of_the_registry() -> None:
    shown = page("data.md")
    made = renew(shown, source_tables.MAKER, source_tables.tables())
    assert made == shown, "run: python -m docs.source_tables"


def test_the_tables_of_routes_and_errors_are_what_the_server_has() -> None:
    shown = page("server.md")
    made = renew(shown, server_tables.MAKER, server_tables.table())
    made = renew(made, server_tables.ROUTES, server_tables.routes())
    assert made == shown, "run: python -m docs.server_tables"


def test_the_metrics_of_the_page_are_those_there_are() -> None:
    named = set(re.findall(r"^\| `(steelyard_\w+)`", page("operations.md"), re.MULTILINE))
    assert named == set(re.findall(r"^# TYPE (\w+)", Metrics().text().decode(), re.MULTILINE))


def test_every_key_of_the_configuration_is_documented_with_its_default() -> None:
    rows = re.findall(r"^\| `([\w.]+)` \| (.+?) \| (.+) \|$", page("training.md"), re.MULTILINE)
    shown = {key: default for key, default, meaning in rows if len(meaning) > 5}
    expected = dict(defaults(TrainConfig, ""))
    assert list(shown) == list(expected), "a line for each key, in the order of config.py"
    for key, default in expected.items():
        assert shown[key] in default, (key, shown[key], default)


def defaults(kind: Any, prefix: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Keys with what may stand as their default; plain values before tables, as in the page."""
    types = get_type_hints(kind)
    for one in sorted(fields(kind), key=lambda one: is_dataclass(types[one.name])):
        if is_dataclass(types[one.name]):
            yield from defaults(types[one.name], f"{one.name}.")
        else:
            yield prefix + one.name, spelt(one)


def spelt(one: Field[Any]) -> tuple[str, ...]:
    """The default as TOML; where there is none, what the page says of it."""
    if one.default is MISSING and one.default_factory is MISSING:
        return ("required",)
    value = one.default if one.default_factory is MISSING else one.default_factory()
    if value is None:
        return ("none", "torch's choice")
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(key)} = {each}" for key, each in value.items())
        return ("{" + inner + "}",)
    return (json.dumps(value),)


@pytest.mark.parametrize(
    "name", ["architecture.md", "data.md", "training.md", "trust.md", "evaluation.md"]
)
def test_every_file_that_a_page_names_is_there(name: str) -> None:
    named = re.findall(r"`((?:[\w-]+/)+(?:[\w-]+\.(?:py|md|toml))?)`", page(name))
    assert named
    roots = (ROOT, ROOT / "src" / "steelyard")
    for path in set(named) - {"build/data/"}:
        assert any((root / path).exists() for root in roots), path


def test_the_example_of_an_example_is_one() -> None:
    (text,) = blocks(page("data.md"), "json")
    assert decode_example(json.loads(text)).gold == 0


def test_the_converter_of_the_page_converts(tmp_path: Path) -> None:
    (text,) = blocks(page("data.md"), "python")
    names: dict[str, Any] = {}
    exec(compile(text, "data.md", "exec"), names)
    shelves = ["bread", "tea", "cheese", "soap", "lamps"]
    (tmp_path / "northwind").mkdir()
    with (tmp_path / "northwind" / "train.csv").open("w", newline="") as file:
        rows = [(index, f"number {index}", shelf) for index, shelf in enumerate(shelves)]
        csv.writer(file).writerows([("id", "text", "shelf"), *rows])
    made = converted(names["SOURCE"], tmp_path)
    assert choices(made)
    assert nouls(made)


def test_the_page_shows_the_configuration_of_the_example() -> None:
    (shown,) = blocks(page("training.md"), "toml")
    assert tomllib.loads(shown) == tomllib.loads((EXAMPLE / "desk.toml").read_text("utf-8"))


@pytest.mark.parametrize(
    "path", [EXAMPLE / "desk.toml", *sorted((ROOT / "recipes").glob("*.toml"))]
)
def test_configurations_in_the_repository_can_be_read(path: Path) -> None:
    read_config(path)


def test_the_example_trains_a_model_that_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = tmp_path / "desk"
    monkeypatch.setattr(sys, "argv", ["prepare.py", str(desk)])
    runpy.run_path(str(EXAMPLE / "prepare.py"), run_name="__main__")
    train, valid = (
        [decode_example(json.loads(line)) for line in (desk / name).read_text("utf-8").splitlines()]
        for name in ("train.jsonl", "valid.jsonl")
    )
    assert (len(train), len(valid)) == (72, 24)
    assert not {one.group for one in train} & {one.group for one in valid}

    base = write_model(tmp_path / "base")
    text = (EXAMPLE / "desk.toml").read_text("utf-8")
    for old, new in (
        ('"mini"', json.dumps(str(base))),
        ("../../build/desk/", ""),
        ("exits = [15, 22]", "exits = [1, 2]"),
        ("steps = 40", "steps = 3"),
    ):
        assert old in text
        text = text.replace(old, new)
    config = desk / "desk.toml"
    config.write_text(text, encoding="utf-8")
    model = str(tmp_path / "model")
    assert run(["train", str(config), "-o", str(desk / "run")]) == 0
    export = ["export", str(config), str(desk / "run"), "-o", model, "--name", "desk"]
    assert run([*export, "--merged", "float32"]) == 0  # the tiny base is only a folder
    capsys.readouterr()
    asked = ["--noul", "urgent=Does it need an answer within the hour?", "--depth", "adaptive"]
    assert run(["decide", "-m", model, "The scanner is broken.", *asked, "--json"]) == 0
    assert 0 < json.loads(capsys.readouterr().out)["answers"]["urgent"]["noul"] < 1
