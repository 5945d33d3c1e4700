"""One set of questions over many states: `POST /v1/systemone/batch`.

The route has no official counterpart; the form is the one that other local servers share. Either
every state is answered or the call fails and names the state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from steelyard.errors import RequestError
from steelyard.server.wire.call import Call, Reply
from steelyard.server.wire.system_one import Show, decode_show
from steelyard.server.wire.system_one import encode as encode_one
from steelyard.types.answer import Response, Usage
from steelyard.types.codec import decode_request
from steelyard.types.content import Json, describe
from steelyard.types.request import Request

MAX_STATES = 64


def decode(body: Json, show: Show) -> Call:
    """The call that a parsed body spells.

    Raises:
        RequestError: no list of 1 to 64 states, a state that is none; else see `decode_request`.
    """
    if not isinstance(body, Mapping):
        raise RequestError(
            f"the request is {describe(body)}; allowed: an object with states and questions"
        )
    if "states" not in body:
        raise RequestError("missing; a batch needs states and questions", field="states")
    states = body["states"]
    if not isinstance(states, list):
        raise RequestError(f"got {describe(states)}; allowed: a list of states", field="states")
    if not 1 <= len(states) <= MAX_STATES:
        raise RequestError(f"{len(states)} states; allowed: 1 to {MAX_STATES}", field="states")
    # The questions are decoded once, with a state that is certainly good.
    asked = decode_request({**body, "state": "any"})
    requests = tuple(_request(state, index, asked) for index, state in enumerate(states))
    show = decode_show(body, show)

    def reply(responses: Sequence[Response]) -> Reply:
        return encode(responses, show)

    return Call(requests, asked.model, reply)


def encode(responses: Sequence[Response], show: Show) -> Reply:
    total = Usage(
        input_tokens=sum(response.usage.input_tokens for response in responses),
        output_tokens=sum(response.usage.output_tokens for response in responses),
    )
    return {
        "results": [encode_one(response, show) for response in responses],
        "total_usage": asdict(total),
    }


def _request(state: Json, index: int, asked: Request) -> Request:
    try:
        return Request(state, asked.questions, asked.model)  # type: ignore[arg-type]  # it checks
    except RequestError as error:
        raise RequestError(error.message, field=_moved(error.field, index)) from None


def _moved(field: str | None, index: int) -> str:
    """`state.a` of one request as the path in the batch: `states.3.a`."""
    assert field is not None and field.startswith("state"), field
    return f"states.{index}{field.removeprefix('state')}"
