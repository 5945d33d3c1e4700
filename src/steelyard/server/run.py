"""Running the application: a socket, uvicorn, and an end that answers what waits."""

from __future__ import annotations

import logging
import math
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import uvicorn

from steelyard.errors import RequestError
from steelyard.server.app import create_app
from steelyard.server.config import ServeConfig
from steelyard.server.keys import KeyRing
from steelyard.server.models import Decider
from steelyard.server.trace import logger as access

BACKLOG = 2048
KEEP_ALIVE_S = 75  # longer than the pause of a client that asks once a minute


def run(
    engines: Sequence[Decider],
    config: ServeConfig,
    keys: KeyRing,
    *,
    host: str,
    port: int,
    announce: Callable[[str], None],
) -> None:
    """Serve until SIGTERM or SIGINT: then take nothing new, answer what waits, and return.

    Args:
        announce: called with the address, when connections are accepted.
    Raises:
        RequestError: nothing can listen on that address.
    """
    access.setLevel(logging.INFO)
    with _listen(host, port) as listener, _ending_quietly():
        server = uvicorn.Server(
            uvicorn.Config(
                create_app(engines, config, keys),
                log_config=None,  # logging is the program's, and the access log our own
                access_log=False,
                server_header=False,
                proxy_headers=False,
                lifespan="on",
                timeout_keep_alive=KEEP_ALIVE_S,
                timeout_graceful_shutdown=math.ceil(config.deadline_s) + 1,
            )
        )
        announce(_address(host, listener.getsockname()[1]))
        server.run(sockets=[listener])


@contextmanager
def _ending_quietly() -> Iterator[None]:
    """uvicorn raises a signal again once it has drained; that it was heard is enough."""
    signals = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(each, lambda number, frame: None) for each in signals]
    try:
        yield
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise RequestError(f"cannot listen on {host} port {port}: {error.strerror}") from error


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
