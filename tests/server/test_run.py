"""`steelyard serve` as a process: a socket, a client, SIGTERM."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from support.service import BODY

from steelyard.cli.main import run

TESTS = Path(__file__).parent.parent


@contextmanager
def serving(*arguments: str, seconds: float = 0.0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server with a fake engine that takes `seconds` a call, and its address."""
    paths = os.pathsep.join([str(TESTS), *filter(None, sys.path)])
    process = subprocess.Popen(
        [sys.executable, "-m", "support.fake_cli", "serve", "--port", "0", *arguments],
        env={**os.environ, "PYTHONPATH": paths, "FAKE_SECONDS": str(seconds)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None and process.stderr is not None
        line = process.stdout.readline()
        assert line.startswith("fake on http://127.0.0.1:"), line + process.stderr.read()
        yield process, line.split()[-1]
    finally:
        process.kill()
        process.communicate()


def test_sigterm_answers_what_is_under_way_and_ends_well() -> None:
    with serving(seconds=1.5) as (process, address):
        answers: list[httpx.Response] = []

        def ask() -> None:
            answers.append(httpx.post(f"{address}/v1/systemone", json=BODY, timeout=60))

        asking = threading.Thread(target=ask)
        asking.start()
        health = f"{address}/health"
        assert httpx.get(health, timeout=60).status_code == 200
        time.sleep(0.5)  # the request is now with the engine
        process.send_signal(signal.SIGTERM)
        asking.join(60)
        assert [one.status_code for one in answers] == [200]
        assert answers[0].json()["model"] == "fake"
        assert process.wait(60) == 0
        assert process.stderr is not None
        log = process.stderr.read()
        assert "event=request" in log and "path='/v1/systemone' status=200" in log
        assert "charged twice" not in log and "Traceback" not in log


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "0.0.0.0"], "--without-keys"),
        (["--api-key-file", "/nowhere/keys"], "/nowhere/keys"),
        (["--port", "70000"], "70000"),
        (["--digits", "18"], "digits"),
    ],
)
def test_a_server_asked_for_wrongly_does_not_start(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve", *arguments]) == 2
    assert message in capsys.readouterr().err
