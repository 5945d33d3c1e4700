"""A server as a process of its own, and what it takes of the machine."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from benchmarks.record import ROOT

REAL = "steelyard"
FAKE = "support.fake_cli"  # tests/support: the whole server, and an engine without a model


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs.

    Attributes:
        log: what it has written to stderr.
    """

    process: subprocess.Popen[str]
    host: str
    port: int
    log: Path

    @property
    def workers(self) -> set[int]:
        """Process ids of its worker processes; empty where it serves itself."""
        return {child.pid for child in psutil.Process(self.process.pid).children()}

    def resident_bytes(self) -> int:
        """Memory that it and its workers hold."""
        parent = psutil.Process(self.process.pid)
        return sum(each.memory_info().rss for each in (parent, *parent.children()))

    def num_connections(self) -> int:
        """Open TCP connections, its own and its workers'."""
        parent = psutil.Process(self.process.pid)
        every = (one for each in (parent, *parent.children()) for one in each.net_connections())
        return sum(one.status == psutil.CONN_ESTABLISHED for one in every)


@contextmanager
def serving(*arguments: str, fake: bool = False) -> Iterator[Served]:
    """`steelyard serve` on a free port, ended when the block is left.

    Args:
        fake: whether an engine without a model answers.
    Raises:
        RuntimeError: it did not start; with what it said.
    """
    module = FAKE if fake else REAL
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests"), *filter(None, sys.path)])
    with tempfile.TemporaryDirectory(prefix="steelyard-served-") as folder:
        log = Path(folder) / "log"
        with log.open("w", encoding="utf-8") as errors:
            process = subprocess.Popen(
                [sys.executable, "-m", module, "serve", "--port", "0", *arguments],
                env={**os.environ, "PYTHONPATH": paths},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if " on http://" not in line:
                raise RuntimeError(f"no server: {line}{log.read_text(encoding='utf-8')[-2000:]}")
            address = urlsplit(line.split()[-1])
            assert address.hostname is not None and address.port is not None
            yield Served(process, address.hostname, address.port, log)
        finally:
            process.terminate()
            process.communicate()
