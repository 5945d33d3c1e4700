"""Running the application: sockets, uvicorn, workers, and an end that answers what waits."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

from steelyard.errors import RequestError
from steelyard.server import audit as audit_file
from steelyard.server.config import ServeConfig
from steelyard.server.connection import bounded
from steelyard.server.keys import KeyRing
from steelyard.server.limits import Limiter
from steelyard.server.trace import logger as access
from steelyard.server.workers import supervise

if TYPE_CHECKING:
    from steelyard.server.models import Offer
    from steelyard.server.spans import Spans

BACKLOG = 2048
KEEP_ALIVE_S = 75  # longer than the pause of a client that asks once a minute


@dataclass(frozen=True, slots=True)
class Service:
    """What a server process serves.

    Attributes:
        audit: a file in which every decision is recorded, or None.
        otel: whether spans are sent; see spans.py.
    """

    offers: Sequence[Offer]
    config: ServeConfig
    keys: KeyRing
    audit: Path | None = None
    otel: bool = False


def run(
    service: Service,
    *,
    host: str,
    port: int,
    num_workers: int,
    announce: Callable[[str], None],
) -> None:
    """Serve until SIGTERM or SIGINT: then take nothing new, answer what waits, and return.

    Args:
        num_workers: processes, each with its own models; the kernel shares connections out.
        announce: called with the address once connections are accepted.
    Raises:
        RequestError: nothing can listen on that address.
        InputFileError: the audit file cannot be used.
        SteelyardError: the first model cannot be loaded.
    """
    access.setLevel(logging.INFO)
    limiter = Limiter(service.keys.keys)
    if service.audit is not None:
        audit_file.create(service.audit)
    with ExitStack() as until:
        if num_workers == 1:
            listener = until.enter_context(_bind(host, port, shared=False))
            url = _address(host, listener.getsockname()[1])
            _serve(service, limiter, listener, lambda: announce(url))
            return
        # Bound, and never listened on: it holds the port, which every worker binds again.
        holder = until.enter_context(_bind(host, port, shared=True))
        port = holder.getsockname()[1]
        url = _address(host, port)
        shared = until.enter_context(tempfile.TemporaryDirectory(prefix="steelyard-metrics-"))
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = shared  # before a worker imports the library

        def work(ready: Callable[[], None]) -> None:
            with _bind(host, port, shared=True) as listener:
                _serve(service, limiter, listener, ready)

        supervise(num_workers, work, ready=lambda: announce(url), gone=_forget_gauges)


def _serve(
    service: Service, limiter: Limiter, listener: socket.socket, ready: Callable[[], None]
) -> None:
    """Serve in this process on a bound socket; `ready` is called once connections are accepted."""
    from steelyard.server.app import create_app

    app = create_app(
        service.offers,
        service.config,
        service.keys,
        limiter=limiter,
        audit=service.audit,
        spans=_spans() if service.otel else None,
    )
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http=bounded(service.config.body_s),
            ws="none",
            lifespan="off",  # entered below, where its errors are raised and not only logged
            log_config=None,  # logging is the program's, and the access log our own
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            # A call may wait one deadline for its model and one for its answer.
            timeout_graceful_shutdown=math.ceil(2 * service.config.deadline_s) + 1,
        )
    )

    async def until_told() -> None:
        async with app.router.lifespan_context(app):
            with _ending_quietly(server):
                listener.listen(BACKLOG)
                ready()
                await server.serve(sockets=[listener])

    asyncio.run(until_told())


def _spans() -> Spans:
    from steelyard.server.spans import exported

    return exported()  # by a thread of its own, which a fork would not take along


def _forget_gauges(pid: int) -> None:
    """Take what a worker that has gone said of itself out of the metrics."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(pid)  # type: ignore[no-untyped-call]


@contextmanager
def _ending_quietly(server: uvicorn.Server) -> Iterator[None]:
    """uvicorn raises a signal again once it has drained, and hears none before it has begun: both
    times it is enough that the server ends."""

    def end(number: int, frame: object) -> None:
        server.should_exit = True

    signals = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(each, end) for each in signals]
    try:
        yield
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)


@contextmanager
def _bind(host: str, port: int, *, shared: bool) -> Iterator[socket.socket]:
    """A bound socket; `shared` lets other processes of this user bind the same address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # TCP by name: asyncio turns Nagle's algorithm off only where it reads that. With it on, every
    # reply waits for a delayed acknowledgement, 40 ms.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        try:
            one.bind((host, port))
        except OSError as error:
            raise RequestError(f"cannot listen on {host} port {port}: {error.strerror}") from error
        yield one


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
