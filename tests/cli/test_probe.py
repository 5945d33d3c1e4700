"""`steelyard probe`: against a model in this process, and against a server on a socket."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn
from support.engines import tiny_engine
from support.fake_engine import FakeEngine

import steelyard
from steelyard.cli.main import run
from steelyard.server.app import create_app
from steelyard.server.config import ServeConfig
from steelyard.server.keys import parse_keys
from steelyard.server.models import Offer

KEY = "sk-0123456789abcdef"
URGENT = {"type": "noul", "instructions": "Is it urgent?"}


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steelyard, "load", lambda name, **how: FakeEngine(name=name))


@contextmanager
def tiny_server() -> Iterator[str]:
    """A server on random weights, with a key, on a socket of this machine; its address."""
    app = create_app(
        [Offer("tiny", tiny_engine)], ServeConfig(deadline_s=120), parse_keys([KEY], "test")
    )
    server = uvicorn.Server(uvicorn.Config(app, log_config=None))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started and thread.is_alive():
                time.sleep(0.01)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def findings(folder: Path) -> dict[str, str]:
    body = json.loads((folder / "probe.json").read_text(encoding="utf-8"))
    return {
        finding["null"]: finding["verdict"]
        for experiment in body["experiments"]
        for finding in experiment["findings"]
    }


def test_a_model_is_probed_and_reported_on(fake, tmp_path, capsys):
    out = tmp_path / "report"
    arguments = ["probe", "-m", "small", "-o", str(out), "--quick", "--only", "noise"]
    assert run([*arguments, "--only", "renaming"]) == 0
    shown = capsys.readouterr()
    assert "noise" in shown.out and "holds" in shown.out and "renaming" in shown.out
    assert str(out / "probe.html") in shown.err.replace("\n", "")
    assert findings(out)["the same request gets the same answer"] == "holds"
    assert "Probe of small" in (out / "probe.html").read_text(encoding="utf-8")


def test_the_users_questions_are_asked(fake, tmp_path, capsys):
    rows = tmp_path / "rows.jsonl"
    rows.write_text("\n".join(
        json.dumps({"state": f"s{n}", "questions": {"u": URGENT}}) for n in range(3)
    ))  # fmt: skip
    out = tmp_path / "report"
    arguments = ["probe", "-q", str(rows), "-o", str(out), "--quick"]
    assert run([*arguments, "--only", "paraphrase", "--only", "option-order"]) == 0
    body = json.loads((out / "probe.json").read_text(encoding="utf-8"))
    assert body["questions"] == "rows.jsonl"
    order, paraphrase = body["experiments"]
    assert order["notes"] == ["The question file has no choice of two or more options."]
    assert paraphrase["requests"] == 15


def test_what_cannot_be_meant_is_said_before_a_model_is_loaded(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(steelyard, "load", lambda name, **how: pytest.fail("a model is loaded"))
    out = str(tmp_path)
    assert run(["probe", "-o", out, "--only", "nothing"]) == 2
    assert "allowed: noise" in capsys.readouterr().err
    assert run(["probe", "-o", out, "-q", str(tmp_path / "none.jsonl")]) == 2
    (tmp_path / "probe.json").write_text("{}")
    assert run(["probe", "-o", out]) == 1
    assert "not overwritten" in capsys.readouterr().err


def test_a_server_is_probed_as_it_is(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("STEELYARD_API_KEY", KEY)
    out = tmp_path / "report"
    with tiny_server() as url:
        assert httpx.get(f"{url}/v1/models").status_code == 401
        arguments = ["probe", "--url", url, "-o", str(out), "--quick", "--timeout", "300"]
        names = ("noise", "duplicates", "renaming", "tokens")
        assert run([*arguments, *(word for name in names for word in ("--only", name))]) == 0
    found = findings(out)
    for null in (
        "the same request gets the same answer",
        "the same question twice in one request gets the same answer",
        "renaming a question's id moves no probability",
        "the state is counted once, however many questions there are",
        "ids are not counted",
    ):
        assert found[null] == "holds", null
