"""The examples run, with a fake engine in the place of a model."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from support.fake_engine import FakeEngine

import steelyard
from steelyard.cli.questions import read_questions
from steelyard.types.question import Choice, Noul, Score

EXAMPLES = Path(__file__).parent.parent / "examples"
TICKETS = [
    json.loads(line)
    for line in (EXAMPLES / "tickets.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture
def asked_for(monkeypatch):
    models = []
    monkeypatch.setitem(vars(steelyard), "load", lambda model: models.append(model) or FakeEngine())
    return models


def test_the_tickets_are_real_enough():
    assert len(TICKETS) >= 6
    assert len({ticket["id"] for ticket in TICKETS}) == len(TICKETS)
    questions = read_questions(EXAMPLES / "tickets.questions.yaml").questions
    assert {type(question) for question in questions.values()} == {Noul, Choice, Score}


def test_quickstart(asked_for, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["quickstart.py", "big"])
    runpy.run_path(str(EXAMPLES / "quickstart.py"), run_name="__main__")
    assert asked_for == ["big"]
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == [
        "refund",
        "queue",
        "anger",
    ]


def test_demo_shows_every_ticket(asked_for, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["demo.py"])
    runpy.run_path(str(EXAMPLES / "demo.py"), run_name="__main__")
    assert asked_for == ["mini"]
    shown = capsys.readouterr().out
    for ticket in TICKETS:
        assert f"=== {ticket['id']} ===" in shown
    assert shown.count("▸") == 4 * len(TICKETS)


def test_the_demo_script_runs_from_any_folder(tmp_path):
    for name in ("python", "steelyard"):
        tool = tmp_path / name
        tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m support.fake_cli "$@"\n')
        tool.chmod(0o755)
    done = subprocess.run(
        ["bash", str(EXAMPLES / "demo.sh")],
        env={
            **os.environ,
            "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    table = done.stdout.splitlines()[-len(TICKETS) - 1 :]
    assert table[0] == "id,queue.choice,urgent.noul,refund.noul,anger.score"
    assert [row.split(",")[0] for row in table[1:]] == [ticket["id"] for ticket in TICKETS]
