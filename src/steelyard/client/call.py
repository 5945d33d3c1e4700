"""What a client sends, and how it reads what comes back: nothing here knows of sockets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from steelyard.client.plain import PlainResponse, read_plain
from steelyard.client.reply import At, read_response
from steelyard.errors import RequestError
from steelyard.types.answer import Response
from steelyard.types.codec import dumps, encode_request
from steelyard.types.content import Content, Json, describe
from steelyard.types.question import Question
from steelyard.types.request import Request

T = TypeVar("T")

# A Response holds what the answers rest on and full floats, whatever the server does by default.
WHOLE: Mapping[str, Json] = {"x_extras": True, "x_digits": None}


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One call of a server.

    Attributes:
        path: below the base address, without a slash in front.
        body: JSON text in UTF-8, or None for a GET.
        read: makes the result of the parsed body of a 200.
    """

    path: str
    body: bytes | None
    read: Callable[[Json], T]

    @property
    def method(self) -> str:
        return "GET" if self.body is None else "POST"


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A name that can be asked for.

    Attributes:
        release_date: YYYY-MM-DD.
    """

    name: str
    description: str
    release_date: str


def decide(
    state: Content, questions: Mapping[str, Question], model: str | None = None
) -> Call[Response]:
    """Questions about one state.

    Raises:
        RequestError: the state or a question is not what is allowed; nothing is sent then.
    """
    request = Request(state, questions, model)
    body = dumps({**encode_request(request), **WHOLE}).encode()
    return Call("v1/systemone", body, partial(read_response, asked=request.questions))


def decide_plain(
    state: Content, questions: Mapping[str, Question], model: str | None = None
) -> Call[PlainResponse]:
    """Questions about one state, with no field that is not System One's.

    Raises:
        RequestError: the state or a question is not what is allowed; nothing is sent then.
    """
    request = Request(state, questions, model)
    body = dumps(encode_request(request)).encode()
    return Call("v1/systemone", body, partial(read_plain, asked=request.questions))


def decide_batch(
    states: Sequence[Content], questions: Mapping[str, Question], model: str | None = None
) -> Call[list[Response]]:
    """The same questions about several states; all are answered, or the call fails.

    Raises:
        RequestError: a state or a question is not what is allowed; nothing is sent then.
    """
    if not isinstance(states, Sequence) or isinstance(states, str | bytes):
        raise RequestError(f"got {describe(states)}; allowed: a list of states", field="states")
    requests = [_request(state, index, questions, model) for index, state in enumerate(states)]
    # Of no states the server says how many are allowed.
    asked = requests[0] if requests else Request("any", questions, model)
    body: dict[str, Json] = {**encode_request(asked), **WHOLE}
    del body["state"]
    body["states"] = [request.state for request in requests]

    def read(reply: Json) -> list[Response]:
        results = At(reply)["results"].items(len(requests))
        return [read_response(one.value, asked.questions, one.path) for one in results]

    return Call("v1/systemone/batch", dumps(body).encode(), read)


def models() -> Call[list[ModelEntry]]:
    """What the server offers."""

    def read(reply: Json) -> list[ModelEntry]:
        return [
            ModelEntry(
                name=one["name"].text(),
                description=one["description"].text(),
                release_date=one["release_date"].text(),
            )
            for one in At(reply)["models"].items()
        ]

    return Call("v1/models", None, read)


def _request(
    state: Content, index: int, questions: Mapping[str, Question], model: str | None
) -> Request:
    try:
        return Request(state, questions, model)
    except RequestError as error:
        field = error.field or ""
        if field != "state" and not field.startswith("state."):
            raise
        # The path in the batch, as the server would tell it.
        moved = f"states.{index}{field.removeprefix('state')}"
        raise RequestError(error.message, field=moved) from None
