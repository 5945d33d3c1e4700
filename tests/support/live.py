"""A server of this process that listens on a socket."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import uvicorn
from support.fake_engine import FakeEngine

from steelyard.server.app import create_app
from steelyard.server.config import ServeConfig
from steelyard.server.keys import KeyRing
from steelyard.server.models import Decider, Offer


@contextmanager
def listening(*engines: Decider, keys: KeyRing | None = None, **config: Any) -> Iterator[str]:
    """The address of a server with these engines, or with a fake one."""
    offered: Sequence[Decider] = engines or (FakeEngine(),)
    offers = [Offer(one.name, lambda one=one: one) for one in offered]  # type: ignore[misc]
    app = create_app(offers, ServeConfig(**config), keys)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
