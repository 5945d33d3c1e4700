"""data build and data audit: tables and JSON on stdout, the rest on stderr."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.examples import choice, source

from steelyard.cli.main import run
from steelyard.data import sources as registry

ROWS = [choice(f"state {number}") for number in range(50)]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Two small sources, a data folder and an evaluation folder in the working directory."""
    closed = source([choice("a", source="closed")], name="closed", licence="not stated")
    sources = (source(ROWS), closed)
    monkeypatch.setattr(registry.select, "__defaults__", (sources, ()))
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("eval").mkdir()
    Path("eval/test.txt").write_text("state 7\n")


def test_build_writes_a_folder_and_says_what_it_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["data", "build", "data", "-o", "out", "--seed", "1", "--eval", "eval"]) == 0
    out, err = capsys.readouterr()
    assert out.split()[-7:] == ["made", "50", "45", "4", "1", "1", "0"]
    assert "made: 45 to train, 4 to validate, 1 leak\n" in err
    assert "skipped closed: its licence is not stated\n" in err
    names = sorted(path.name for path in Path("out").iterdir())
    assert names == ["build.json", "train.jsonl.gz", "valid.jsonl.gz"]


def test_build_prints_its_report_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--sources", "made", "--cap", "20", "--include-unshippable", "--json"]
    assert run(["data", "build", "data", "-o", "out", "--seed", "1", *arguments]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == json.loads(Path("out/build.json").read_text())
    assert "warning: not scanned for leaks; give --eval FOLDER\n" in err
    assert "warning: holds texts that must not train" in err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["data", "-o", "out", "--sources", "x"], 2, "sources: got 'x'; allowed: closed, made"),
        (["nowhere", "-o", "out"], 2, "nowhere: no such folder"),
        (["data", "-o", "eval"], 1, "eval exists already"),
        (["data", "-o", "out", "--eval", "nowhere"], 2, "nowhere: no folder with files in it"),
    ],
)
def test_what_cannot_be_built_is_told(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["data", "build", *arguments, "--seed", "1"]) == code
    assert said in capsys.readouterr().err


def test_audit_of_a_sound_build_ends_well(capsys: pytest.CaptureFixture[str]) -> None:
    run(["data", "build", "data", "-o", "out", "--seed", "1", "--eval", "eval"])
    capsys.readouterr()
    assert run(["data", "audit", "out", "--eval", "eval", "--sheet", "sheet.md"]) == 0
    out, err = capsys.readouterr()
    rows = [line.split() for line in out.splitlines() if "made" in line]
    assert rows == [
        ["made", "45", "4", "0", "0", "0", "0", "0"],
        ["made", "-", "1.00", "0.00", "0.33"],
    ]
    assert err == ""
    assert Path("sheet.md").read_text().count("### ") == 20


def test_audit_ends_with_its_findings(capsys: pytest.CaptureFixture[str]) -> None:
    run(["data", "build", "data", "-o", "out", "--seed", "1"])
    capsys.readouterr()
    assert run(["data", "audit", "out", "--eval", "eval", "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["findings"] == ["made: 1 examples are in the evaluation files"]
    assert err == "finding: made: 1 examples are in the evaluation files\n"


def test_audit_of_no_build_is_asked_wrongly(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["data", "audit", "data"]) == 2
    assert "build.json cannot be read" in capsys.readouterr().err
