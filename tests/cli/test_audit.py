"""`steelyard audit`: show, export and replay."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from support.fake_engine import FakeEngine, fake_response

import steelyard
from steelyard.cli.main import run
from steelyard.errors import RequestError
from steelyard.server.audit import AuditLog, record
from steelyard.types.codec import decode_request

REQUEST = decode_request(
    {
        "state": "I was charged twice.",
        "questions": {
            "urgent": {"type": "noul", "instructions": "Is it urgent?"},
            "queue": {"type": "choice", "criteria": {"billing": None, "legal": None}},
        },
    }
)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two decisions, the first without its request."""
    monkeypatch.setattr(steelyard, "load", lambda *args, **how: FakeEngine(), raising=False)
    made = [
        record(
            REQUEST, fake_response(REQUEST), id=f"call.{n}", key="alice", route="/v1/systemone",
            queue_ms=0.0, compute_ms=1.0, whole=bool(n),
        )
        for n in range(2)
    ]  # fmt: skip

    async def write() -> None:
        async with AuditLog(tmp_path / "a.db") as log:
            await log.append(made)

    asyncio.run(write())
    return tmp_path / "a.db"


def test_decisions_are_shown_a_line_each(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "show", str(file), "--last", "1"]) == 0
    [line] = capsys.readouterr().out.splitlines()
    for part in ("call.1", "alice", "fake", "urgent=0.", "queue='"):
        assert part in line


def test_decisions_are_exported_as_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "export", str(file)]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["request"] is None
    assert decode_request(second["request"]) == replace(REQUEST, model=None)
    assert second["response"]["x_audit"]["model"] == "fake"


def test_a_replay_that_agrees_ends_well(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "replay", str(file)]) == 0
    said = capsys.readouterr().out
    assert said == "1 asked again, 0 differ, 1 skipped; the largest difference is 0\n"


def test_a_replay_that_differs_fails_and_says_where(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Other(FakeEngine):
        def decide(self, state, questions, **how):  # type: ignore[no-untyped-def, override]
            return super().decide(f"{state}!", questions, **how)

    monkeypatch.setattr(steelyard, "load", lambda *args, **how: Other(), raising=False)
    assert run(["audit", "replay", str(file)]) == 1
    assert "call.1  answers.urgent.noul: 0." in capsys.readouterr().out
    assert run(["audit", "replay", str(file), "--json"]) == 1
    skipped, asked = map(json.loads, capsys.readouterr().out.splitlines())
    assert skipped["skipped"] and asked["differences"]


def test_a_damaged_response_is_named_and_the_others_are_read(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for text in ("[]", "{", '{"model": "fake", "answers": {"q": {}}, "x_audit": {}}'):
        with closing(sqlite3.connect(file)) as kept:
            kept.execute("UPDATE decision SET response = ? WHERE id = 'call.0'", (text,))
            kept.commit()
        assert run(["audit", "show", str(file)]) == 1
        said = capsys.readouterr()
        assert "call.1" in said.out and "call.0: the response is damaged" in said.err
        assert run(["audit", "replay", str(file)]) == 1
        said = capsys.readouterr()
        assert "call.0  the response is damaged" in said.out and "1 differ" in said.out
    with closing(sqlite3.connect(file)) as kept:
        kept.execute("UPDATE decision SET response = '{' WHERE id = 'call.0'")
        kept.commit()
    assert run(["audit", "export", str(file)]) == 1
    said = capsys.readouterr()
    assert "call.0: the response is damaged" in said.err and len(said.out.splitlines()) == 1


def test_what_the_engine_refuses_now_differs(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(requests):  # type: ignore[no-untyped-def]
        raise RequestError("too many", field="questions")

    engine = FakeEngine(refuse)
    monkeypatch.setattr(steelyard, "load", lambda *args, **how: engine, raising=False)
    assert run(["audit", "replay", str(file)]) == 1
    said = capsys.readouterr().out
    assert "call.1  answered, now refused: questions: too many" in said
    assert "1 asked again, 1 differ, 1 skipped" in said


def test_a_replay_that_asks_nothing_fails(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = FakeEngine(name="other")
    monkeypatch.setattr(steelyard, "load", lambda *args, **how: other, raising=False)
    assert run(["audit", "replay", str(file), "-m", "other"]) == 1
    said = capsys.readouterr().err
    assert "nothing was asked again" in said and "it was made by fake" in said


def test_a_replay_is_calibrated_and_as_deep_as_it_is_told(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {}

    def load(*args, **how):  # type: ignore[no-untyped-def]
        told.update(how)
        return FakeEngine()

    monkeypatch.setattr(steelyard, "load", load, raising=False)
    options = ["--depth", "12", "--calibration", str(tmp_path)]
    assert run(["audit", "replay", str(file), *options]) == 0
    assert (told["depth"], told["calibration"]) == (12, tmp_path)


def test_a_file_that_is_not_there_is_asked_wrongly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["audit", "show", str(tmp_path / "none.db")]) == 2
    assert "no such file" in capsys.readouterr().err
