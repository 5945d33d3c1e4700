"""Replay: recorded decisions asked again, and every difference said."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from steelyard.server.audit import Decision
from steelyard.types.answer import Response
from steelyard.types.codec import encode_response, loads, loads_request
from steelyard.types.content import Content, Json
from steelyard.types.question import Question

BOUND = 1e-3
"""How far a number may move by default: batches of other shapes and other processors add up in
another order."""

BASIS = ("weights", "tokenizer", "layout", "calibrator", "runtime", "dtype", "steelyard")
"""What an answer rests on; where these differ, so may the numbers."""


class Decider(Protocol):
    """What replay needs of an engine."""

    @property
    def name(self) -> str: ...
    def decide(self, state: Content, questions: Mapping[str, Question]) -> Response: ...


@dataclass(frozen=True, slots=True)
class Replayed:
    """A decision asked again.

    Attributes:
        skipped: why it was not asked, or None.
        basis: which of `BASIS` are not what they were.
        differences: in words, such as "answers.q.noul: 0.25, now 0.5".
        largest: the largest difference of two numbers, also within the bound.
    """

    id: str
    skipped: str | None = None
    basis: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    largest: float = 0.0


def replay(
    decisions: Iterable[Decision], engine: Decider, bound: float = BOUND
) -> Iterator[Replayed]:
    """Ask every decision again that holds its request and was made by a model of that name."""
    for decision in decisions:
        before = loads(decision.response)
        assert isinstance(before, dict), "a recorded response is an object"
        if decision.request is None:
            yield Replayed(decision.id, "only the digest of its request was recorded")
        elif before["model"] != engine.name:
            yield Replayed(decision.id, f"it was made by {before['model']}")
        else:
            request = loads_request(decision.request)
            now = encode_response(engine.decide(request.state, request.questions), extras=True)
            yield compare(decision.id, before, now, bound)


def compare(id: str, before: Mapping[str, Json], now: Mapping[str, Json], bound: float) -> Replayed:
    """Two responses with extras, as `encode_response` spells them.

    Extras of single answers are not compared: an answer may be read after another layer, or in
    fewer passes, and be the same.
    """
    moved = list(_moved(_answers(before), _answers(now), "answers"))
    was, is_now = before["x_audit"], now["x_audit"]
    assert isinstance(was, Mapping) and isinstance(is_now, Mapping), "without extras"
    return Replayed(
        id,
        basis=tuple(name for name in BASIS if was.get(name) != is_now.get(name)),
        differences=tuple(said for said, by in moved if by > bound),
        largest=max((by for _, by in moved if by < math.inf), default=0.0),
    )


def _answers(response: Mapping[str, Json]) -> dict[str, Json]:
    """The answers by id, without their extras."""
    answers = response["answers"]
    assert isinstance(answers, Mapping), "a response has answers"
    bare: dict[str, Json] = {}
    for name, answer in answers.items():
        assert isinstance(answer, Mapping), "an answer is an object"
        bare[name] = {key: value for key, value in answer.items() if not key.startswith("x_")}
    return bare


def _moved(before: Json, now: Json, path: str) -> Iterator[tuple[str, float]]:
    """(what differs, by how much) where values are not equal; infinity for other than numbers."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for name in {**before, **now}:
            yield from _moved(before.get(name), now.get(name), f"{path}.{name}")
    elif before != now:
        by = math.inf
        if isinstance(before, int | float) and isinstance(now, int | float):
            by = abs(before - now)
        yield f"{path}: {before!r}, now {now!r}", by
