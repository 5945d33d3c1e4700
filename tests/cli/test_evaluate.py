"""`steelyard evaluate` on a model and on a server, with named suites and files of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.fake_engine import FakeEngine, fake_response
from support.published import write_json, write_lines, write_text

import steelyard
from steelyard.cli.main import run
from steelyard.evaluation.run_folder import read_run
from steelyard.types.example import Example, encode_example
from steelyard.types.question import Choice, Noul, Score
from steelyard.types.request import Request

QUESTIONS = {
    "late": (Noul("Late?"), (1.0, 0.0)),
    "team": (Choice("Which?", ["a", "b", "c"]), (0.0, 0.0, 1.0)),
    "level": (Score("How?", ["low", "mid", "high"]), (0.0, 1.0, 0.0)),
}
EXAMPLES = [
    Example(f"state {n}", question, target, "desk", f"g{n}", "MIT")
    for n in range(6)
    for question, target in QUESTIONS.values()
]
COMMAND = ["evaluate", "-s", "desk.jsonl", "-o", "run"]
Loaded = list[FakeEngine]


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Loaded:
    loaded: Loaded = []

    def load(model: str, **options: object) -> FakeEngine:
        loaded.append(FakeEngine(name=model))
        return loaded[-1]

    monkeypatch.setitem(vars(steelyard), "load", load)
    monkeypatch.chdir(tmp_path)
    write_lines(Path("desk.jsonl"), map(encode_example, EXAMPLES))
    return loaded


def result() -> dict[str, Any]:
    told: dict[str, Any] = json.loads(Path("run/result.json").read_text())
    return told


def test_a_run_keeps_answers_figures_and_errors_to_read(
    engines: Loaded, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*COMMAND, "--worst", "2", "--costs", "10:1"]) == 0
    shown = capsys.readouterr().out
    assert "desk" in shown and "noul" in shown and "JevBench v1.5" in shown
    (suite,) = result()["suites"]
    assert (suite["asked"], suite["answered"], suite["failed"]) == (18, 18, 0)
    assert [kind["kind"] for kind in suite["kinds"]] == ["noul", "choice", "score"]
    assert suite["maker"]["weights"] == "f" * 64 and len(suite["version"]) == 12
    assert set(suite["jevbench"]["equal"]) == {"intelligence", "calibration"}
    assert set(suite["typed_decisions"]) == {"answers", "uniform", "prior"}
    assert suite["noul_costs"]["threshold"] == pytest.approx(10 / 11)
    found = read_run(Path("run"))
    assert len(found.predictions) == 18 and found.result == result()
    assert len(found.worst) == 2 and found.worst[0]["state"].startswith("state ")
    assert found.worst[0]["surprise"] >= found.worst[1]["surprise"]
    assert json.loads(json.dumps(result(), allow_nan=False))  # JSON that every reader takes
    probabilities = [one.probabilities for one in found.predictions if one.kind == "noul"]
    told = fake_response(Request("state 0", {"q": QUESTIONS["late"][0]})).answers["q"]
    assert probabilities[0][0] == pytest.approx(told.noul, abs=1e-6)  # type: ignore[union-attr]


def test_a_second_run_asks_nothing_and_says_the_same(
    engines: Loaded, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*COMMAND, "--sample", "6"]) == 0
    assert run([*COMMAND, "--json"]) == 0
    capsys.readouterr()
    assert run([*COMMAND, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == result()
    assert [len(engine.calls) for engine in engines] == [1, 1, 0]


def test_questions_without_an_answer_end_with_one(
    engines: Loaded, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = Example("refuse me", *QUESTIONS["late"], "desk", "r", "MIT")
    write_lines(Path("desk.jsonl"), map(encode_example, [*EXAMPLES, refused]))
    assert run(COMMAND) == 1
    assert "1 of 19 have no answer: 1 invalid_request" in capsys.readouterr().out
    (failed,) = [json.loads(line) for line in Path("run/failures.jsonl").read_text().splitlines()]
    assert failed["message"] == "state: refused"
    noul = result()["suites"][0]["kinds"][0]
    assert noul["asked"] == 7 and noul["n"] == 6


def test_named_suites_and_tables(engines: Loaded, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"qid": f"q{n}", "question": f"Is it {n}?", "answer": n % 3 == 0, "facts": ["One."]}
        for n in range(6)
    ]
    write_json(Path("data/strategyqa/dev.json.gz"), rows)
    write_text(Path("table.csv"), "state,late\nS1,yes\nS2,no\nS3,\n")
    write_text(Path("questions.yaml"), "late: {type: noul, instructions: Late}\n")
    both = ["evaluate", "-s", "strategyqa", "-d", "data", "-s", "table.csv", "-q", "questions.yaml"]
    assert run([*both, "-o", "run", "--alone", "--price", "0.01"]) == 0
    named, table = result()["suites"]
    assert (named["suite"], named["asked"]) == ("strategyqa", 6)
    assert (table["suite"], table["asked"]) == ("table", 2)
    axes = named["jevbench"]["frozen"]
    assert axes["cost"] == pytest.approx(70) and axes["score_b"] >= 0 and axes["speed"] > 0
    assert all(len(call) == 1 for call in engines[0].calls)
    assert run(["evaluate", "--list"]) == 0
    assert "judgebench" in capsys.readouterr().out


def test_a_server_is_asked_by_the_same_code(
    engines: Loaded, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[dict[str, Any]] = []

    class Server(FakeEngine):
        def __init__(self, url: str, **options: Any) -> None:
            super().__init__(name="served")
            made.append({"url": url, **options})

        def decide_many(self, requests: Any, **how: Any) -> Any:
            assert not how
            return super().decide_many(requests)

    monkeypatch.setattr("steelyard.evaluation.remote.Remote", Server)
    monkeypatch.setenv("MY_KEY", "sk-1")
    there = [*COMMAND, "--url", "http://host", "--key-env", "MY_KEY", "--served", "mine"]
    assert run(there) == 0
    assert made == [
        {"url": "http://host", "model": "mine", "api_key": "sk-1", "timeout": 60.0,
         "concurrency": 1}
    ]  # fmt: skip
    assert result()["about"]["model"] == "served" and not engines
    assert "sk-1" not in Path("run/result.json").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evaluate", "-o", "run"], "--suite: missing"),
        (["evaluate", "-s", "desk.jsonl"], "--output: missing"),
        (["evaluate", "-s", "nothing", "-o", "run"], "--suite: got 'nothing'; allowed: a file"),
        (["evaluate", "-s", "bbh", "-o", "run"], "--data: the suite 'bbh' needs it"),
        ([*COMMAND, "-s", "desk.jsonl"], "--suite: 'desk' is there twice"),
        ([*COMMAND, "--price", "nan"], "--price: got nan; allowed: a number above 0"),
        ([*COMMAND, "--price", "-1"], "--price: got -1.0; allowed: a number above 0"),
        ([*COMMAND, "--seed", "-1"], "'--seed'"),
        ([*COMMAND, "--costs", "1"], "--costs: got '1'; allowed: YES:NO"),
        ([*COMMAND, "--costs", "0:1"], "--costs: got '0:1'; allowed: numbers above 0"),
        ([*COMMAND, "--url", "http://h", "--rotations", "2"], "--rotations: given together"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_asked(
    engines: Loaded, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert run(words) == 2
    assert message in capsys.readouterr().err
    assert not engines


def test_a_folder_without_answers_is_no_run(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(steelyard.OutputError, match="no answers"):
            read_run(path)
