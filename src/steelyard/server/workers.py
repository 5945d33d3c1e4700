"""Worker processes: as many as asked for, kept alive until the server is told to end.

They are forked before anything heavy is imported and before there are threads.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import NoReturn, TypeAlias

from steelyard.errors import SteelyardError, UnavailableError

logger = logging.getLogger(__name__)

Ready: TypeAlias = Callable[[], None]

ENDING = (signal.SIGTERM, signal.SIGINT)
READY = signal.SIGUSR1  # from a worker that accepts connections
FAILED = 3  # how a worker ends that could not start
MIN_LIFE_S, PAUSE_S = 5.0, 1.0  # one that ends sooner than that is replaced after a pause


def supervise(
    num_workers: int, work: Callable[[Ready], None], *, ready: Ready, gone: Callable[[int], None]
) -> None:
    """Keep workers running until SIGTERM or SIGINT; then end them and return once all have ended.

    Args:
        work: what each does, until SIGTERM; it calls its argument once it accepts connections.
        ready: called here when the first of them does.
        gone: called here with the process id of a worker that ended unasked, before another takes
            its place.
    Raises:
        UnavailableError: a worker could not start, and none has before; it has said why.
    """
    signals = {*ENDING, READY, signal.SIGCHLD}
    alive: dict[int, float] = {}  # process id -> when it began
    is_ready = False
    # A worker that reads the end of this pipe has lost its parent. Nobody ever writes to it.
    pipe = os.pipe()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # taken one by one, below

    def start() -> None:
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            _be_worker(work, parent, pipe, before)
        alive[pid] = time.monotonic()

    try:
        for _ in range(num_workers):
            start()
        while (caught := signal.sigwait(signals)) not in ENDING:
            if caught == READY and not is_ready:
                is_ready = True
                ready()
            if caught != signal.SIGCHLD:
                continue
            for pid, code in _ended(list(alive)):
                lived_s = time.monotonic() - alive.pop(pid)
                logger.warning("event=worker_ended pid=%d code=%d s=%.1f", pid, code, lived_s)
                if code == FAILED and not is_ready:
                    raise UnavailableError("a worker could not start; why is said above")
                gone(pid)
                if lived_s < MIN_LIFE_S:
                    time.sleep(PAUSE_S)
                start()
    finally:
        for pid in alive:
            os.kill(pid, signal.SIGTERM)
        for pid in alive:
            os.waitpid(pid, 0)
        for end in pipe:
            os.close(end)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ended(pids: list[int]) -> list[tuple[int, int]]:
    """(process id, exit code) of those that have ended; the code is negative after a signal."""
    ended = []
    for pid in pids:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            ended.append((pid, os.waitstatus_to_exitcode(status)))
    return ended


def _be_worker(
    work: Callable[[Ready], None],
    parent: int,
    pipe: tuple[int, int],
    mask: set[int | signal.Signals],
) -> NoReturn:
    """What a forked process does instead of returning into its parent's code."""
    code = 1
    try:
        os.close(pipe[1])
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        threading.Thread(target=_end_with_parent, args=(pipe[0],), daemon=True).start()
        work(lambda: os.kill(parent, READY))
        code = 0
    except SteelyardError as error:
        logger.error("event=worker_failed error=%r", str(error))
        code = FAILED
    except Exception:  # the worker's boundary: said here, and another takes its place
        logger.exception("event=worker_failed")
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _end_with_parent(pipe: int) -> None:
    os.read(pipe, 1)
    os.kill(os.getpid(), signal.SIGTERM)
