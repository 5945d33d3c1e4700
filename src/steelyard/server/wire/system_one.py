"""System One: `POST /v1/systemone`, the engine's own JSON.

Unknown fields at the top are ignored. Two of ours are read there, so that a client asks for more
than System One offers without a reply that surprises anyone else:

- `x_extras`: true adds what the answers rest on, under names that begin with `x_`;
- `x_digits`: decimals of the numbers, 0 to 17; null or absent gives full floats.

Without extras the same request gets the same bytes: times are told in headers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steelyard.errors import RequestError
from steelyard.server.wire.call import Call, Reply
from steelyard.types.answer import Response
from steelyard.types.codec import decode_request, encode_response
from steelyard.types.content import Json, describe

MAX_DIGITS = 17


@dataclass(frozen=True, slots=True)
class Show:
    """How answers are shown: with our extras or without, and with how many decimals."""

    extras: bool = False
    digits: int | None = None


def decode(body: Json, show: Show) -> Call:
    """The call that a parsed body spells.

    Args:
        show: what holds where the body does not say.
    Raises:
        RequestError, TooManyOptionsError: see `decode_request`.
    """
    request = decode_request(body)
    assert isinstance(body, Mapping), "decode_request takes objects only"
    show = decode_show(body, show)

    def reply(responses: Sequence[Response]) -> Reply:
        [response] = responses
        return encode(response, show)

    return Call((request,), request.model, reply)


def decode_show(body: Mapping[str, Json], default: Show) -> Show:
    """What `x_extras` and `x_digits` ask for."""
    extras = body.get("x_extras", default.extras)
    if not isinstance(extras, bool):
        raise RequestError(f"got {describe(extras)}; allowed: true or false", field="x_extras")
    digits = body.get("x_digits", default.digits)
    if digits is None:
        return Show(extras)
    if isinstance(digits, float) and digits.is_integer():  # to JSON 2.0 is an integer
        digits = int(digits)
    if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= MAX_DIGITS:
        raise RequestError(
            f"got {describe(digits)}; allowed: an integer from 0 to {MAX_DIGITS}, or null",
            field="x_digits",
        )
    return Show(extras, digits)


def encode(response: Response, show: Show) -> Reply:
    return encode_response(response, extras=show.extras, digits=show.digits)
