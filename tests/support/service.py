"""A server in this process: requests without sockets, the queues open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import httpx
from support.fake_engine import FakeEngine

from steelyard.server.app import create_app
from steelyard.server.config import ServeConfig
from steelyard.server.keys import KeyRing
from steelyard.server.models import Decider, Offer

if TYPE_CHECKING:
    from steelyard.server.spans import Spans

T = TypeVar("T")
NOUL = {"type": "noul", "instructions": "Is it urgent?"}
BODY = {"state": "I was charged twice.", "questions": {"urgent": NOUL}}
PATHS = ("/v1/systemone", "/v1/systemone/batch", "/v1/decisions", "/api/alpha/decisions")
GOOD: dict[str, Any] = {
    "/v1/systemone": BODY,
    "/v1/systemone/batch": {"states": ["one", "two"], "questions": BODY["questions"]},
    "/v1/decisions": {
        "input": "a text",
        "questions": [{"type": "predicate", "instructions": "Is it urgent?"}],
    },
    "/api/alpha/decisions": {"model": "typesafe/jev-latest", **BODY},
}


@asynccontextmanager
async def client(
    engine: Decider | None = None,
    keys: KeyRing | None = None,
    offers: Sequence[Offer] = (),
    audit: Path | None = None,
    spans: Spans | None = None,
    **config: Any,
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server with a fake engine, with `engine`, or with `offers`."""
    one: Decider = engine or FakeEngine()
    offers = offers or [Offer(one.name, lambda: one)]
    app = create_app(offers, ServeConfig(**config), keys, audit=audit, spans=spans)
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://test") as asking,
    ):
        yield asking


def asked(
    *calls: Callable[[httpx.AsyncClient], Awaitable[httpx.Response]],
    **how: Any,
) -> list[httpx.Response]:
    """What a fresh server answers to calls, one after another."""

    async def run() -> list[httpx.Response]:
        async with client(**how) as one:
            return [await call(one) for call in calls]

    return asyncio.run(run())


def posted(path: str, body: Any, **config: Any) -> httpx.Response:
    """What a fresh server answers to one JSON body."""
    [response] = asked(lambda one: one.post(path, json=body), **config)
    return response
