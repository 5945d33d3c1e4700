"""How the examples of a suite are put to whatever decides, and what a refusal concerns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Protocol, TypeAlias, Unpack

from steelyard.engine.options import How
from steelyard.errors import RequestError, SteelyardError
from steelyard.types.answer import Response
from steelyard.types.codec import dumps
from steelyard.types.example import Example
from steelyard.types.request import Request

STATES_PER_CALL = 8
"""How many states are asked about at once: enough to fill batches, little to lose by a kill."""

BAD_REPLY = "bad_reply"
"""The code of `steelyard.client.ReplyError`, which is not imported: the client is an extra."""


class Decider(Protocol):
    """What a run asks: an Engine, a server (see `remote.py`), or anything like them."""

    @property
    def digest(self) -> str:
        """sha256 over the weights."""

    def decide_many(self, requests: Sequence[Request], **how: Unpack[How]) -> Sequence[Response]:
        """One response for each request, in order."""


Asked: TypeAlias = list[list[tuple[str, Example]]]
"""Examples with their ids, those of a state together."""


def calls(missing: Sequence[tuple[str, Example]], *, alone: bool = False) -> Iterator[Asked]:
    """Those of one state together, and a few states to a call; or one by one."""
    if alone:
        yield from ([[one]] for one in missing)
        return
    by_state: dict[str, list[tuple[str, Example]]] = {}
    for name, example in missing:
        by_state.setdefault(dumps(example.state), []).append((name, example))
    parts = list(by_state.values())
    for start in range(0, len(parts), STATES_PER_CALL):
        yield parts[start : start + STATES_PER_CALL]


def ask(
    engine: Decider, asked: Asked, how: How
) -> Iterator[tuple[Asked, Sequence[Response] | SteelyardError, float]]:
    """What was asked, what came of it, and the seconds of each answer.

    A call that is refused is made again in parts, down to the one question that is refused.
    """
    requests = [
        Request(part[0][1].state, {name: example.question for name, example in part})
        for part in asked
    ]
    begin = perf_counter()
    try:
        responses = engine.decide_many(requests, **how)
    except SteelyardError as error:
        if not (isinstance(error, RequestError) or error.code == BAD_REPLY):
            raise  # not about this example: a server that is gone, a runtime that cannot
        smaller: list[Asked] = [[part] for part in asked]
        if len(asked) == 1:
            smaller = [[[one]] for one in asked[0]]
        if len(smaller) == 1:
            yield asked, error, 0.0
        else:
            for part in smaller:
                yield from ask(engine, part, how)
    else:
        yield asked, responses, (perf_counter() - begin) / sum(map(len, asked))
