"""A decoded body: what it asks, and how the reply is spelt once that is answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from steelyard.types.answer import Response
from steelyard.types.content import Json
from steelyard.types.request import Request

Reply: TypeAlias = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Call:
    """One HTTP call, whatever its format.

    Attributes:
        requests: one or more; all of them are answered, or the call fails.
        model: the name asked for, or None.
        reply: the body of the reply, from one response for each request, in order.
    """

    requests: tuple[Request, ...]
    model: str | None
    reply: Callable[[Sequence[Response]], Reply]
