"""`steelyard serve` as a process: a socket, a client, SIGTERM."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from support.service import BODY

from steelyard.cli.main import run
from steelyard.server.audit import read_decisions
from steelyard.server.run import _bind

TESTS = Path(__file__).parent.parent


PATIENCE_S = 300  # on a machine that does much else


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
        process.terminate()
        process.communicate()


def test_replies_do_not_wait_to_be_acknowledged() -> None:
    async def nodelay() -> int:
        seen: asyncio.Queue[int] = asyncio.Queue()

        async def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            one: socket.socket = writer.get_extra_info("socket")
            seen.put_nowait(one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with _bind("127.0.0.1", 0, shared=False) as listener:
            async with await asyncio.start_server(accepted, sock=listener):
                _, writer = await asyncio.open_connection(*listener.getsockname())
                writer.close()
                return await seen.get()

    assert asyncio.run(nodelay())


def test_sigterm_answers_what_is_under_way_and_ends_well() -> None:
    with serving(seconds=1.5) as (process, address):
        answers: list[httpx.Response] = []

        def asked() -> None:
            answers.append(ask(address))

        asking = threading.Thread(target=asked)
        asking.start()
        health = f"{address}/health"
        assert httpx.get(health, timeout=PATIENCE_S).status_code == 200
        time.sleep(0.5)  # the request is now with the engine
        process.send_signal(signal.SIGTERM)
        asking.join(PATIENCE_S)
        assert [one.status_code for one in answers] == [200]
        assert answers[0].json()["model"] == "fake"
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr is not None
        log = process.stderr.read()
        assert "event=request" in log and "path='/v1/systemone' status=200" in log
        assert "charged twice" not in log and "Traceback" not in log


def ask(address: str) -> httpx.Response:
    """The answer to one call on a connection of its own."""
    return httpx.post(f"{address}/v1/systemone", json=BODY, timeout=PATIENCE_S)


def answers(address: str) -> bool:
    try:
        return ask(address).status_code == 200
    except httpx.TransportError:
        return False


def workers_of(process: subprocess.Popen[str]) -> set[int]:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return {int(pid) for pid in children.read_text().split()}


def until(fact: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not fact():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads processes from /proc")
def test_a_worker_that_is_killed_is_replaced_and_the_others_answer(tmp_path: Path) -> None:
    audit = tmp_path / "audit.db"
    with serving("--workers", "2", "--audit", str(audit)) as (process, address):
        first = workers_of(process)
        assert len(first) == 2
        killed = first.pop()
        os.kill(killed, signal.SIGKILL)
        until(lambda: killed not in workers_of(process))
        until(lambda: answers(address))  # the other may only just be starting
        answered = [ask(address) for _ in range(5)]
        assert [one.status_code for one in answered] == [200] * 5
        until(lambda: len(workers_of(process)) == 2)
        assert first < workers_of(process)
        text = httpx.get(f"{address}/metrics", timeout=PATIENCE_S).text
        [calls] = [
            line for line in text.splitlines()
            if line.startswith('steelyard_calls_total{route="/v1/systemone",status="200"}')
        ]  # fmt: skip
        assert float(calls.split()[-1]) >= 6
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
        assert workers_gone(first)
    ids = [one.id for one in read_decisions(audit)]
    assert {f"{one.headers['x-request-id']}.0" for one in answered} <= set(ids)


def workers_gone(pids: set[int]) -> bool:
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads processes from /proc")
def test_workers_end_with_their_parent() -> None:
    with serving("--workers", "2") as (process, _):
        workers = workers_of(process)
        process.kill()
        until(lambda: workers_gone(workers))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "0.0.0.0"], "--without-keys"),
        (["--api-key-file", "/nowhere/keys"], "/nowhere/keys"),
        (["--port", "70000"], "65535"),
        (["--digits", "18"], "digits"),
        (["-m", "nothing-of-that-name"], "nothing-of-that-name"),
        (["--workers", "0"], "workers"),
        (["--max-body-mb", "inf"], "max_body_mb"),
        (["--max-body-mb", "nan"], "max-body-mb"),
    ],
)
def test_a_server_asked_for_wrongly_does_not_start(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve", *arguments]) == 2
    assert message in capsys.readouterr().err
