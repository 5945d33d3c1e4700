"""A server as a process of its own: `steelyard serve` on a free port while a block lasts."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

import psutil

PATIENCE_S = 600.0  # on a machine that does much else


@dataclass(frozen=True, slots=True)
class LiveServer:
    """A server that accepts connections, in every worker.

    Attributes:
        url: its root, such as http://127.0.0.1:34567.
        pid: of the process that was started; with several workers it only looks after them.
        num_workers: how many processes answer.
    """

    url: str
    pid: int
    num_workers: int

    def worker_cpu_s(self) -> list[float]:
        """Seconds of CPU that each answering process has used; an idle one uses hardly any."""
        started = psutil.Process(self.pid)
        workers = started.children() if self.num_workers > 1 else [started]
        return [times.user + times.system for times in (one.cpu_times() for one in workers)]


@contextmanager
def live_server(
    model: str, *arguments: str, num_workers: int = 1, keys: str | None = None
) -> Iterator[LiveServer]:
    """`steelyard serve --model model ARGUMENTS`, ended with the block.

    Args:
        keys: as STEELYARD_API_KEYS takes them; None lets everybody ask.
    Raises:
        RuntimeError: it did not start, or not every worker within PATIENCE_S; with what it logged.
    """
    command = [sys.executable, "-m", "steelyard", "serve", "--model", model, "--port", "0"]
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as log,  # a pipe that nobody reads fills up
        subprocess.Popen(
            [*command, "--workers", str(num_workers), *arguments],
            env=_environment(keys),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline()  # NAME on URL, once the first worker listens
            if " on http://" not in line:
                raise RuntimeError(f"the server did not start:\n{_said(log)}")
            if num_workers > 1:
                _wait_for_workers(process.pid, num_workers, log)
            yield LiveServer(line.split()[-1], process.pid, num_workers)
        finally:
            process.terminate()


def _environment(keys: str | None) -> Mapping[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name != "STEELYARD_API_KEYS"}
    return inherited if keys is None else inherited | {"STEELYARD_API_KEYS": keys}


def _wait_for_workers(pid: int, num_workers: int, log: IO[str]) -> None:
    """Return once every worker listens; the address is told as soon as the first one does."""
    end = time.monotonic() + PATIENCE_S
    while sum(map(_listens, psutil.Process(pid).children())) < num_workers:
        if time.monotonic() > end:
            raise RuntimeError(f"not every worker listens after {PATIENCE_S:g} s:\n{_said(log)}")
        time.sleep(0.1)


def _listens(process: psutil.Process) -> bool:
    return any(one.status == psutil.CONN_LISTEN for one in process.net_connections("tcp"))


def _said(log: IO[str]) -> str:
    log.seek(0)
    return log.read()[-4000:]
