"""`steelyard score` without a model, and killed for real."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from support.fake_engine import UNTRAINED, FakeEngine
from typer.testing import CliRunner

import steelyard
from steelyard.cli.main import FAILED, app, run
from steelyard.errors import InputFileError, MissingExtraError, OutputError, RequestError

QUESTIONS = """
urgent: {type: noul, instructions: "Urgent?"}
queue: {type: choice, criteria: {a: , b: Second}}
"""


@pytest.fixture
def work(tmp_path, monkeypatch):
    """An empty folder, made the current one, with a question file; no model is loaded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(vars(steelyard), "load", lambda model, **options: FakeEngine())
    (tmp_path / "q.yaml").write_text(QUESTIONS)
    return tmp_path


def score(*arguments):
    return CliRunner().invoke(
        app, ["score", *arguments], catch_exceptions=False, standalone_mode=False
    )


def records(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_requests_and_semif_rows_from_jsonl(work):
    options = [{"id": "s", "description": "Supported"}, {"id": "c", "description": "Contradicted"}]
    asked = {"u": {"type": "noul", "instructions": "?"}}
    rows = [
        {"id": "r1", "state": "x", "questions": asked},
        {"id": "r2", "state": "x", "question": "What holds?", "options": options},
    ]
    (work / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = score("in.jsonl", "-o", "out.jsonl")
    first, second = records(work / "out.jsonl")
    assert (first["id"], first["line"], list(first["answers"])) == ("r1", 1, ["u"])
    assert set(second["answers"]["question"]["probabilities"]) == {"s", "c"}
    assert result.stdout == ""
    assert f"warning: {UNTRAINED}" in result.stderr
    assert "2 rows, " in result.stderr
    assert " rows/s, " in result.stderr
    assert " tokens" in result.stderr


def test_a_table_with_a_template(work):
    (work / "in.csv").write_text("no,subject,body\n1,Hi,there\n2,Oh\n")
    result = score(
        "in.csv", "-q", "q.yaml", "-o", "out.csv", "--template", r"{subject}\n{body}", "--id", "no"
    )
    with (work / "out.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    assert first["id"] == "1"
    assert float(first["queue.p.a"]) + float(first["queue.p.b"]) == pytest.approx(1)
    assert second["error.message"] == "2 cells; the header names 3 columns"
    assert "2 rows, 1 error, " in result.stderr


def test_a_bad_request_names_the_exact_field(work):
    bad = {"type": "choice", "instructions": "?", "criteria": {"a": None, "b": 5}}
    (work / "in.jsonl").write_text(json.dumps({"id": 1, "state": "x", "questions": {"q": bad}}))
    score("in.jsonl", "-o", "out.jsonl")
    [record] = records(work / "out.jsonl")
    assert record["error"]["field"] == "questions.q.criteria.b"
    assert record["line"] == 1


def test_a_run_in_which_every_row_fails_fails_and_keeps_the_errors(work):
    (work / "in.jsonl").write_text('{"state": 1}\n{"state": 2}\n')
    result = score("in.jsonl", "-o", "out.jsonl")
    assert [one["line"] for one in records(work / "out.jsonl")] == [1, 2]
    assert "no row could be answered; out.jsonl says why" in result.stderr
    assert result.return_value == FAILED


def test_strict_stops_with_one_and_resume_goes_on(work):
    (work / "in.jsonl").write_text('{"state": "x"}\n{"state": ""}\n{"state": "y"}\n')
    arguments = ["in.jsonl", "-q", "q.yaml", "-o", "out.jsonl"]
    result = score(*arguments, "--strict")
    assert result.return_value == FAILED
    assert "in.jsonl: line 2: state: empty" in result.stderr
    assert "--resume without it" in result.stderr
    assert not (work / "out.jsonl").exists()
    score(*arguments, "--resume")
    assert [("error" in record) for record in records(work / "out.jsonl")] == [False, True, False]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["in.csv", "-o", "o.jsonl"], RequestError, "questions: missing"),
        (["in.jsonl", "-o", "o.jsonl", "--state", "x"], RequestError, "--state: needs --questions"),
        (["in.jsonl", "-o", "o.jsonl", "--template", "{x}"], RequestError, "--template: needs"),
        (
            ["in.csv", "-q", "q.yaml", "-o", "o.jsonl", "--state", "x", "--template", "{x}"],
            RequestError,
            "--template: given together with --state",
        ),
        (["in.csv", "-q", "q.yaml", "-o", "o.jsonl"], InputFileError, "no column 'state'"),
        (["in.csv", "-q", "q.yaml", "-o", "o.jsonl", "--template", "x"], RequestError, "template"),
        (["gone.csv", "-q", "q.yaml", "-o", "o.jsonl"], InputFileError, "gone.csv: No such file"),
        (["in.jsonl", "-q", "gone.json", "-o", "o.jsonl"], InputFileError, "gone.json: No such"),
        (["in.jsonl", "-q", "r.json", "-o", "o.jsonl"], RequestError, "has a state of its own"),
        (["in.jsonl", "-o", "o.txt"], OutputError, "unknown format '.txt'"),
        (["in.jsonl", "-o", "in.jsonl"], OutputError, "in.jsonl exists"),
        (["in.jsonl", "-o", "gone/o.jsonl"], OutputError, "No such file or directory"),
    ],
)
def test_what_cannot_be_done_is_said_and_leaves_nothing(work, arguments, error, message):
    (work / "in.csv").write_text("id,x\n1,a\n")
    (work / "in.jsonl").write_text('{"id": 1}\n')
    question = {"q": {"type": "noul", "instructions": "?"}}
    (work / "r.json").write_text(json.dumps({"state": "x", "questions": question}))
    before = sorted(path.name for path in work.iterdir())
    with pytest.raises(error) as caught:
        score(*arguments)
    assert message in str(caught.value)
    assert sorted(path.name for path in work.iterdir()) == before


def test_an_existing_output_is_refused_before_a_model_is_loaded(work, monkeypatch):
    monkeypatch.setitem(vars(steelyard), "load", None)
    (work / "in.jsonl").write_text("{}")
    (work / "out.jsonl").write_text("mine")
    for arguments in ([], ["--resume"]):
        assert run(["score", "in.jsonl", "-o", "out.jsonl", *arguments]) == FAILED
    assert (work / "out.jsonl").read_text() == "mine"


def test_parquet_without_polars_names_the_extra(work, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    (work / "in.parquet").touch()
    with pytest.raises(MissingExtraError, match=r"steelyard\[tables\]"):
        score("in.parquet", "-q", "q.yaml", "-o", "o.jsonl")


def test_ctrl_c_says_how_to_go_on_and_exits_130(work, monkeypatch, capsys):
    def interrupt(requests):
        if requests[0].state == "s5":
            raise KeyboardInterrupt

    monkeypatch.setitem(vars(steelyard), "load", lambda model, **options: FakeEngine(interrupt))
    (work / "in.jsonl").write_text("".join(json.dumps({"state": f"s{n}"}) + "\n" for n in range(9)))
    arguments = ["score", "in.jsonl", "-q", "q.yaml", "-o", "out.jsonl", "--batch", "1"]
    assert run(arguments) == 130
    assert "Interrupted after line 5; the same command with --resume" in capsys.readouterr().err
    monkeypatch.setitem(vars(steelyard), "load", lambda model, **options: FakeEngine())
    assert run([*arguments, "--resume"]) == 0
    assert [record["line"] for record in records(work / "out.jsonl")] == list(range(1, 10))


# -- in a process of its own ------------------------------------------------------------------


def start(*arguments, seconds="0.03"):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(
        [sys.executable, "-m", "support.fake_cli", "score", *arguments],
        env={**environment, "FAKE_SECONDS": seconds},
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_lines(path, count, process):
    for _ in range(1000):
        if path.exists() and path.read_bytes().count(b"\n") >= count:
            return
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.01)
    raise AssertionError("it wrote nothing")


def test_a_killed_run_resumes_to_the_output_of_a_whole_one(work):
    rows = [{"id": n, "state": f"s{n % 11}"} for n in range(40)]
    (work / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["in.jsonl", "-q", "q.yaml", "--batch", "1", "-o"]
    part = work / "out.jsonl.part"
    for lines in (2, 20):
        process = start(*arguments, "out.jsonl", "--resume", seconds="0.02")
        wait_for_lines(part, lines, process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert not (work / "out.jsonl").exists()
    process = start(*arguments, "out.jsonl", "--resume", seconds="0")
    assert process.communicate()[1].splitlines()[0] == f"warning: {UNTRAINED}"
    assert process.returncode == 0
    score(*arguments, "whole.jsonl")
    assert (work / "out.jsonl").read_bytes() == (work / "whole.jsonl").read_bytes()


def test_a_real_ctrl_c_exits_130_and_keeps_whole_records(work):
    rows = [{"id": n, "state": f"s{n}"} for n in range(200)]
    (work / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    process = start("in.jsonl", "-q", "q.yaml", "--batch", "1", "-o", "out.jsonl")
    wait_for_lines(work / "out.jsonl.part", 3, process)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in stderr
    kept = records(work / "out.jsonl.part")
    assert f"Interrupted after line {len(kept)};" in stderr
