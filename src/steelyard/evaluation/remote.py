"""A System One server as something that a run asks: ours, or anybody's."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Self, Unpack

from steelyard.engine.options import How
from steelyard.errors import RequestError, ServiceError
from steelyard.evaluation.plain_answers import as_response
from steelyard.types.answer import Response
from steelyard.types.question import Noul
from steelyard.types.request import Request

if TYPE_CHECKING:
    import httpx

PLAIN_MODEL = "jev-latest"
"""The name that every System One server answers to."""

PROBE = Request("The sky is blue today.", {"colour": Noul("Is the sky blue?")})


class Remote:
    """A server behind the protocol of `Decider`. It is asked one question first: that shows address
    and key, and whether it is a steelyard server, whose answers say what they rest on.

    Args:
        model: a name that the server offers; None: its first, or of another server "jev-latest".
        api_key: sent as a bearer token; None sends none.
        timeout: seconds for each call.
        concurrency: how many calls are under way at once.
        transport: what carries requests, in place of the network.
    Attributes:
        name: what the server calls the model that answered.
        plain: whether it is somebody else's server, of which no digests are known.
    Raises:
        MissingExtraError: httpx is not installed.
        SteelyardError: as `Client.decide`.
    """

    warnings: tuple[str, ...] = ()

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        concurrency: int = 1,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        from steelyard.client import Client

        if concurrency < 1:
            raise RequestError(f"got {concurrency}; allowed: 1 or more", field="concurrency")
        if "@" in url.partition("//")[2].partition("/")[0]:
            raise RequestError(  # it would be kept with the answers
                "a name or password in it; allowed: the address alone, and a key", field="url"
            )
        self._url = url
        self._concurrency = concurrency
        self._model = model
        self._client = Client(url, api_key=api_key, timeout=timeout, transport=transport)
        self.plain = False
        try:
            told = self._decide(PROBE)
        except (RequestError, ServiceError) as error:
            if not isinstance(error, RequestError) and error.code != "bad_reply":
                raise  # no connection, no key: another form of the same call will not help
            self.plain = True
            self._model = model or PLAIN_MODEL
            told = self._decide(PROBE)
        self.name = told.model
        self._weights = told.audit.weights

    @property
    def digest(self) -> str:
        """Of the weights, as the server tells; of another's, of its address and its model's name:
        that the weights stayed the same is then the server's word."""
        if not self.plain:
            return self._weights
        return hashlib.sha256(f"{self._url} {self.name}".encode()).hexdigest()

    def decide_many(self, requests: Sequence[Request], **how: Unpack[How]) -> list[Response]:
        """A call for each request.

        Raises:
            RequestError: `how` asks for what a server decides itself.
            SteelyardError: as `Client.decide`.
        """
        if how:
            raise RequestError(
                f"got {', '.join(how)}; a server is asked as it is set up", field="how"
            )
        if self._concurrency == 1:
            return [self._decide(request) for request in requests]
        with ThreadPoolExecutor(self._concurrency) as pool:
            return list(pool.map(self._decide, requests))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _decide(self, request: Request) -> Response:
        state, questions = request.state, request.questions
        if not self.plain:
            return self._client.decide(state, questions, model=self._model)
        plain = self._client.decide_plain(state, questions, model=self._model)
        return as_response(plain, questions)
