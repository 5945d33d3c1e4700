"""The client for asyncio."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Self, TypeVar

import httpx

from steelyard.client import call as calls
from steelyard.client.call import Call, ModelEntry
from steelyard.client.exchange import (
    BASE_URL,
    TIMEOUT_S,
    check_open,
    error_of,
    failure,
    log_retry,
    result,
    setup,
)
from steelyard.client.plain import PlainResponse
from steelyard.client.refusal import Refusal
from steelyard.types.answer import Response
from steelyard.types.content import Content
from steelyard.types.question import Question

T = TypeVar("T")


class AsyncClient:
    """`Client` whose methods are awaited; all it takes and raises is described there."""

    def __init__(
        self,
        base_url: str = BASE_URL,
        *,
        api_key: str | None = None,
        timeout: float = TIMEOUT_S,
        max_retries: int = 2,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._setup = setup(base_url, api_key, timeout, max_retries)
        self._http = httpx.AsyncClient(
            base_url=self._setup.base_url,
            headers=self._setup.headers,
            timeout=self._setup.timeout,
            transport=transport,
        )

    async def decide(
        self, state: Content, questions: Mapping[str, Question], *, model: str | None = None
    ) -> Response:
        """See `Client.decide`."""
        return await self._send(calls.decide(state, questions, model))

    async def decide_plain(
        self, state: Content, questions: Mapping[str, Question], *, model: str | None = None
    ) -> PlainResponse:
        """See `Client.decide_plain`."""
        return await self._send(calls.decide_plain(state, questions, model))

    async def decide_batch(
        self,
        states: Sequence[Content],
        questions: Mapping[str, Question],
        *,
        model: str | None = None,
    ) -> list[Response]:
        """See `Client.decide_batch`."""
        return await self._send(calls.decide_batch(states, questions, model))

    async def models(self) -> list[ModelEntry]:
        """See `Client.models`."""
        return await self._send(calls.models())

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _send(self, call: Call[T]) -> T:
        for failures in count(1):
            check_open(self._http.is_closed)
            last: Refusal | httpx.RequestError | None
            try:
                reply = await self._http.request(call.method, call.path, content=call.body)
                last = failure(reply)
            except httpx.RequestError as error:
                last = error
            if last is None:
                return result(call, reply)
            wait_s = self._setup.retries.wait_s(failures, last)
            if wait_s is None:
                cause = last if isinstance(last, httpx.RequestError) else None
                raise error_of(last, self._setup) from cause
            log_retry(call, last, wait_s)
            await sleep(wait_s)
        raise AssertionError("count() has no end")
