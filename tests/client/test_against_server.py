"""The client and the server of this package understand each other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import httpx
import pytest
from support.fake_engine import FakeEngine, fake_response

from steelyard.client import AsyncClient, Refused
from steelyard.errors import AuthenticationError, RequestError, TooManyOptionsError
from steelyard.server.app import create_app
from steelyard.server.config import ServeConfig
from steelyard.server.keys import KeyRing, parse_keys
from steelyard.server.models import Offer
from steelyard.types.question import Choice, Noul, Score
from steelyard.types.request import Request

ASKED = {"q": Noul("Is it urgent?"), "level": Score(None, ["low", "high"])}
T = TypeVar("T")


def served(
    ask: Callable[[AsyncClient], Awaitable[T]],
    keys: KeyRing | None = None,
    key: str | None = None,
    digits: int | None = None,
) -> T:
    app = create_app([Offer("fake", FakeEngine)], ServeConfig(digits=digits), keys)

    async def run() -> T:
        async with (
            app.router.lifespan_context(app),
            AsyncClient(
                "http://test", api_key=key, transport=httpx.ASGITransport(app=app)
            ) as client,
        ):
            return await ask(client)

    return asyncio.run(run())


def test_answers_are_those_of_the_engine_also_where_the_server_rounds():
    got = served(lambda client: client.decide("late", ASKED), digits=2)
    assert got == fake_response(Request("late", ASKED), "fake")


def test_a_batch_is_that_of_the_engine():
    got = served(lambda client: client.decide_batch(["a", "b"], ASKED))
    assert got == [fake_response(Request(state, ASKED), "fake") for state in "ab"]


def test_the_models_are_listed():
    assert "fake" in [entry.name for entry in served(lambda client: client.models())]


def test_keys_are_asked_for():
    keys = parse_keys(["sk-0123456789abcdef"], "test")
    with pytest.raises(AuthenticationError) as caught:
        served(lambda client: client.models(), keys)
    assert isinstance(caught.value, Refused) and caught.value.request_id
    assert served(lambda client: client.models(), keys, "sk-0123456789abcdef")


def test_too_many_options_and_states_are_told_as_here():
    many = {"q": Choice(None, [f"option {n}" for n in range(256)])}
    with pytest.raises(TooManyOptionsError, match="at most 255"):
        served(lambda client: client.decide("a", many))
    with pytest.raises(RequestError, match=r"^states: 65 states; allowed: 1 to 64"):
        served(lambda client: client.decide_batch(["a"] * 65, ASKED))
