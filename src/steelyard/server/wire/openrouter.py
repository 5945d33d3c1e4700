"""OpenRouter Decisions: `POST /api/alpha/decisions`.

It speaks System One's own kinds. Where it demands more (instructions in every question, both
outcomes of a noul) we accept what System One accepts. `provider`, `session_id`, `trace` and `user`
are ignored with every other unknown field.
"""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.server.wire.call import Call, Reply
from steelyard.types.answer import Response
from steelyard.types.codec import decode_request, encode_response
from steelyard.types.content import Json


def decode(body: Json) -> Call:
    """The call that a parsed body spells; raises as `decode_request` does."""
    request = decode_request(body)

    def reply(responses: Sequence[Response]) -> Reply:
        [response] = responses
        return encode_response(response)

    return Call((request,), request.model, reply)
