"""What docs/trust.md tells a reader to do works, and its numbers are right."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.known_engine import KnownEngine, write_tickets

import steelyard
from steelyard.calibration.recipe import WAYS
from steelyard.calibration.selective import scan_rows_needed
from steelyard.calibration.stored import read_calibration
from steelyard.cli.main import run
from steelyard.types.answer import ChoiceAnswer
from steelyard.types.codec import dumps, encode_question
from steelyard.types.question import Choice, Question

PAGE = (Path(__file__).parent.parent / "docs" / "trust.md").read_text(encoding="utf-8")
QUEUE = Choice("Which team?", ["billing", "technical", "sales"])


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_two_hundred_tickets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def load(model: str, **options: Any) -> KnownEngine:
        path = options.get("calibration")
        return KnownEngine(None if path is None else read_calibration(Path(path)))

    monkeypatch.setitem(vars(steelyard), "load", load)
    monkeypatch.chdir(tmp_path)
    questions: dict[str, Question] = {"queue": QUEUE}
    text = dumps({name: encode_question(one) for name, one in questions.items()})
    Path("questions.yaml").write_text(text)  # JSON is YAML
    for name, n, seed in (("tickets", 200, 0), ("fresh", 200, 1), ("many", 400, 2)):
        write_tickets(Path(f"{name}.csv"), questions, {"queue": 3}, n, spread=6.0, seed=seed)
    for line in "".join(blocks("sh")).splitlines():
        assert run(shlex.split(line)[1:]) == 0, line
    shown = capsys.readouterr().out
    assert "act" in shown and "wrong among them" in shown
    header, first, *_ = Path("answers.csv").read_text().splitlines()
    place = header.split(",").index("queue.action")
    assert first.split(",")[place] in ("act", "ask", "escalate")

    names: dict[str, Any] = {
        "state": json.dumps({"scores": {"choice": [9.0, 0.0, -9.0]}}), "queue": QUEUE
    }  # fmt: skip
    exec(blocks("python")[0], names)
    answer = names["answer"]
    assert isinstance(answer, ChoiceAnswer) and answer.verdict is not None
    assert answer.basis.calibration == read_calibration(Path("better")).digest
    assert answer.verdict.options is not None and answer.verdict.options[0] == "billing"
    assert answer.verdict.coverage == 0.9


def test_the_parts_for_python_do_what_the_page_says() -> None:
    names: dict[str, Any] = {}
    costs, exits = blocks("python")[1:]
    exec(costs, names)
    assert names["cheapest"](np.array([0.8, 0.2]), names["costs"]).action == 2
    assert names["threshold_for"](false_yes=10.0, false_no=1.0) == pytest.approx(0.909, abs=5e-4)
    names |= {"confidences": np.full((300, 1), 0.9), "decisions": np.ones((300, 2), dtype=int)}
    exec(exits, names)
    assert names["found"].exits == (300, 0)


def test_the_rows_needed_are_those_of_the_code() -> None:
    risks = dict(re.findall(r"^\| (\d+) % \| (\d+) \|$", PAGE, re.MULTILINE))
    assert len(risks) == 5
    for percent, rows in risks.items():
        assert scan_rows_needed(int(percent) / 100, 0.025) == int(rows)
    maps = dict(re.findall(r"^\| `(\w+)` \| .* \| (\d+) \|$", PAGE, re.MULTILINE))
    assert maps == {name: str(way.min_rows) for name, way in WAYS.items()}
