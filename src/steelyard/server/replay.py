"""Replay: recorded decisions asked again, and every difference said."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from steelyard.errors import InputFileError, SteelyardError
from steelyard.server.audit import Decision
from steelyard.server.recorded import Recorded, recorded
from steelyard.types.answer import Response
from steelyard.types.codec import encode_response, loads_request
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
    """Ask every decision again that holds its request and was made by a model of that name.

    What cannot be read or is refused now is a difference as well.
    """
    for decision in decisions:
        try:
            before = recorded(decision)
        except InputFileError as error:
            yield Replayed(
                decision.id, differences=(error.message.removeprefix(f"{decision.id}: "),)
            )
            continue
        if decision.request is None:
            yield Replayed(decision.id, "only the digest of its request was recorded")
        elif before.model != engine.name:
            yield Replayed(decision.id, f"it was made by {before.model}")
        else:
            try:
                request = loads_request(decision.request)
                response = engine.decide(request.state, request.questions)
            except SteelyardError as error:
                yield Replayed(decision.id, differences=(f"answered, now refused: {error}",))
            else:
                now = encode_response(response, extras=True)
                yield compare(decision.id, before, now, bound)


def compare(id: str, before: Recorded, now: Mapping[str, Json], bound: float) -> Replayed:
    """What was recorded, and a response with extras as `encode_response` spells it.

    Extras of single answers are not compared: an answer may be read after another layer, or in
    fewer passes, and be the same.
    """
    moved = list(_moved(_bare(before.answers), _bare(now["answers"]), "answers"))
    was, is_now = before.basis, now["x_audit"]
    assert isinstance(is_now, Mapping), "without extras"
    return Replayed(
        id,
        basis=tuple(name for name in BASIS if was.get(name) != is_now.get(name)),
        differences=tuple(said for said, by in moved if by > bound),
        largest=max((by for _, by in moved if by < math.inf), default=0.0),
    )


def _bare(answers: Mapping[str, Mapping[str, Json]] | Json) -> dict[str, Json]:
    """The answers by id, without their extras."""
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
