"""A server as a process of its own, and what it takes of the machine."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from benchmarks.record import ROOT

REAL = "steelyard"
FAKE = "support.fake_cli"  # tests/support: the whole server, and an engine without a model

PATIENCE_S = 600.0
"""For all workers to be there, on a machine that does much else."""


@dataclass(frozen=True, slots=True)
class Served:
    """A server that accepts connections, in every worker.

    Attributes:
        url: its root, such as http://127.0.0.1:34567.
        pid: of the process that was started; with several workers it only looks after them.
        num_workers: how many processes answer.
        log: what it has written to stderr.
    """

    url: str
    pid: int
    num_workers: int
    log: Path

    @property
    def host(self) -> str:
        host = urlsplit(self.url).hostname
        assert host is not None
        return host

    @property
    def port(self) -> int:
        port = urlsplit(self.url).port
        assert port is not None
        return port

    @property
    def workers(self) -> set[int]:
        """Process ids of its worker processes; empty where it serves itself."""
        return {child.pid for child in psutil.Process(self.pid).children()}

    def worker_cpu_s(self) -> list[float]:
        """Seconds of CPU that each answering process has used; an idle one uses hardly any."""
        started = psutil.Process(self.pid)
        answering = started.children() if self.num_workers > 1 else [started]
        return [times.user + times.system for times in (one.cpu_times() for one in answering)]

    def resident_bytes(self) -> int:
        """Memory that it and its workers hold."""
        return sum(each.memory_info().rss for each in self._processes())

    def num_connections(self) -> int:
        """Open TCP connections, its own and its workers'."""
        every = (one for each in self._processes() for one in each.net_connections())
        return sum(one.status == psutil.CONN_ESTABLISHED for one in every)

    def _processes(self) -> list[psutil.Process]:
        parent = psutil.Process(self.pid)
        return [parent, *parent.children()]


@contextmanager
def serving(
    *arguments: str, num_workers: int = 1, keys: str | None = None, fake: bool = False
) -> Iterator[Served]:
    """`steelyard serve ARGUMENTS` on a free port, ended when the block is left.

    Args:
        keys: as STEELYARD_API_KEYS takes them; None lets everybody ask.
        fake: whether an engine without a model answers.
    Raises:
        RuntimeError: it did not start, or not every worker within PATIENCE_S; with what it logged.
    """
    command = [sys.executable, "-m", FAKE if fake else REAL, "serve", "--port", "0"]
    with tempfile.TemporaryDirectory(prefix="steelyard-served-") as folder:
        log = Path(folder) / "log"
        with log.open("w", encoding="utf-8") as errors:
            process = subprocess.Popen(
                [*command, "--workers", str(num_workers), *arguments],
                env=_environment(keys),
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        try:
            assert process.stdout is not None
            line = process.stdout.readline()  # NAME on URL, once the first worker listens
            if " on http://" not in line:
                raise RuntimeError(f"the server did not start: {line}{_said(log)}")
            if num_workers > 1:
                _wait_for_workers(process.pid, num_workers, log)
            yield Served(line.split()[-1], process.pid, num_workers, log)
        finally:
            process.terminate()
            process.communicate()


def _environment(keys: str | None) -> Mapping[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name != "STEELYARD_API_KEYS"}
    paths = [str(ROOT / "src"), str(ROOT / "tests"), *filter(None, sys.path)]
    asked = {} if keys is None else {"STEELYARD_API_KEYS": keys}
    return {**inherited, "PYTHONPATH": os.pathsep.join(paths), **asked}


def _wait_for_workers(pid: int, num_workers: int, log: Path) -> None:
    """Return once every worker listens; the address is told as soon as the first one does."""
    end = time.monotonic() + PATIENCE_S
    while sum(map(_listens, psutil.Process(pid).children())) < num_workers:
        if time.monotonic() > end:
            raise RuntimeError(f"not every worker listens after {PATIENCE_S:g} s: {_said(log)}")
        time.sleep(0.1)


def _listens(process: psutil.Process) -> bool:
    return any(one.status == psutil.CONN_LISTEN for one in process.net_connections("tcp"))


def _said(log: Path) -> str:
    return log.read_text(encoding="utf-8")[-4000:]
