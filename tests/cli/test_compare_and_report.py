"""`steelyard compare` and `steelyard report` on runs that `steelyard evaluate` wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.fake_engine import FakeEngine
from support.published import write_lines

import steelyard
from steelyard.cli.main import run
from steelyard.types.example import Example, encode_example
from steelyard.types.question import Noul, Score


class Shouting(FakeEngine):
    """Another model: the same states in capitals."""

    digest = "e" * 64

    def decide_many(self, requests: Any, **how: Any) -> Any:
        loud = [
            steelyard.Request(str(request.state).upper(), request.questions) for request in requests
        ]
        return super().decide_many(loud)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = {"plain": FakeEngine, "loud": Shouting}
    monkeypatch.setitem(vars(steelyard), "load", lambda model, **options: made[model]())
    monkeypatch.chdir(tmp_path)
    examples = [
        Example(f"state {n}", question, target, "desk", f"g{n}", "MIT")
        for n in range(40)
        for question, target in (
            (Noul("Late?"), (1.0, 0.0)),
            (Score("How?", ["low", "mid", "high"]), (0.0, 1.0, 0.0)),
        )
    ]
    write_lines(Path("desk.jsonl"), map(encode_example, examples))
    for model in made:
        assert run(["evaluate", "-s", "desk.jsonl", "-o", model, "-m", model]) == 0


def test_two_runs_are_compared(runs: None, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["compare", "plain", "loud", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    whole, *slices = told["compared"]
    assert (whole["suite"], whole["n"], whole["groups"]) == ("desk", 80, 40)
    assert {(one["name"], one["part"]) for one in slices} >= {("kind", "noul"), ("kind", "score")}
    assert {one["measure"] for one in whole["differences"]} == {"accuracy", "nll", "brier", "ece"}
    assert {one["verdict"] for one in whole["differences"]} <= {
        "A better", "B better", "not shown",
    }  # fmt: skip
    assert run(["compare", "plain/answers/desk.jsonl", "plain", "--no-slices"]) == 0
    shown = capsys.readouterr().out
    assert "not shown" in shown and "better" not in shown and "kind" not in shown


def test_noise_needs_two_runs_and_is_shown(runs: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "plain", "loud", "--noise", "plain"]) == 1
    assert "1 rows; needed: 2" in capsys.readouterr().err
    assert run(["compare", "plain", "loud", "--noise", "plain", "--noise", "loud"]) == 0
    shown = capsys.readouterr().out
    assert "noise" in shown and "better" not in shown.split("kind")[0]


def test_a_report_is_one_file(runs: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "plain", "-o", "one.html"]) == 0
    assert run(["report", "plain", "loud", "-o", "two.html"]) == 0
    assert "two.html: " in capsys.readouterr().err
    assert "state 1" in Path("one.html").read_text()
    assert "<h2>Differences</h2>" in Path("two.html").read_text()
    assert run(["report", "plain/answers", "-o", "three.html"]) == 2
    assert "no result.json" in capsys.readouterr().err
    assert run(["report", "nowhere", "-o", "three.html"]) == 1


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "notjson\n", '{"precious": 1}', '{"maker":5}\n'])
def test_what_is_no_run_is_refused_and_left_as_it_is(
    runs: None, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    path = Path("other/precious.jsonl")
    path.parent.mkdir()
    path.write_text(text)
    for words in (["compare", str(path), "plain"], ["report", "other", "-o", "no.html"]):
        assert run(words) in (1, 2)
        assert "precious.jsonl" in capsys.readouterr().err
        assert path.read_text() == text
    assert run(["compare", "plain", "loud", "--seed", "-1"]) == 2
