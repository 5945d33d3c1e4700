"""The client that blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from time import sleep
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


class Client:
    """Asks a steelyard server as an `Engine` is asked. Safe to use from several threads.

    Every method raises the library's errors. One that the server told is also a `Refused`, with its
    status and request id.

    Args:
        base_url: of the server; a path in it stays in front of every route.
        api_key: sent as a bearer token; None sends none.
        timeout: seconds, for each time a call is sent.
        max_retries: how often a call is sent again after a 429, 502, 503 or 504, or where there is
            no connection; the waits grow, and follow the server's retry-after.
        transport: what carries requests, in place of the network.
    Raises:
        RequestError: one of these cannot be meant.
    """

    def __init__(
        self,
        base_url: str = BASE_URL,
        *,
        api_key: str | None = None,
        timeout: float = TIMEOUT_S,
        max_retries: int = 2,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._setup = setup(base_url, api_key, timeout, max_retries)
        self._http = httpx.Client(
            base_url=self._setup.base_url,
            headers=self._setup.headers,
            timeout=self._setup.timeout,
            transport=transport,
        )

    def decide(
        self, state: Content, questions: Mapping[str, Question], *, model: str | None = None
    ) -> Response:
        """Answer questions about one state.

        Args:
            model: a name that the server offers; None means its first.
        Raises:
            RequestError: the state or a question is not what is allowed.
            TooLongError: more tokens than the server's model takes.
            UnknownModelError: no model of that name.
            AuthenticationError: no key, or an unknown one.
            RateLimitError, OverloadedError: still refused after the last retry.
            DeadlineError: no answer in time.
            UnavailableError: no connection, or the server takes nothing at present.
            ReplyError: what came back is no answer to this.
        """
        return self._send(calls.decide(state, questions, model))

    def decide_plain(
        self, state: Content, questions: Mapping[str, Question], *, model: str | None = None
    ) -> PlainResponse:
        """Probabilities alone, from any server that speaks System One, steelyard's or not.

        Raises:
            SteelyardError: as `decide`.
        """
        return self._send(calls.decide_plain(state, questions, model))

    def decide_batch(
        self,
        states: Sequence[Content],
        questions: Mapping[str, Question],
        *,
        model: str | None = None,
    ) -> list[Response]:
        """Answer the same questions about up to 64 states, in their order.

        Raises:
            SteelyardError: as `decide`; the field of what concerns one state begins with
                `states.N`.
        """
        return self._send(calls.decide_batch(states, questions, model))

    def models(self) -> list[ModelEntry]:
        """The names that can be asked for; costs nothing, so it also tries address and key.

        Raises:
            SteelyardError: as `decide`.
        """
        return self._send(calls.models())

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, call: Call[T]) -> T:
        for failures in count(1):
            check_open(self._http.is_closed)
            last: Refusal | httpx.RequestError | None
            try:
                reply = self._http.request(call.method, call.path, content=call.body)
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
            sleep(wait_s)
        raise AssertionError("count() has no end")
