"""Short requests that cannot be taken for each other, and what an engine answers them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import steelyard
from benchmarks.http_client import Reply, encode_json
from steelyard.types.answer import NoulAnswer
from steelyard.types.codec import decode_request

WHO = ("A customer", "A colleague", "The bank", "A supplier", "A neighbour", "The landlord")
WHAT = ("was charged twice", "lost a parcel", "wants a refund", "cannot log in", "says thank you")
WHEN = ("today", "yesterday", "last week", "a year ago", "for the third time", "at night")
ASKED = ("Does it need an answer today?", "Is somebody angry?", "Is it about money?")


@dataclass(frozen=True, slots=True)
class Known:
    """A request as bytes, the id of its one question, and P(yes) by the engine asked directly."""

    request: bytes
    question: str
    p: float


def bodies(number: int, seed: int) -> list[dict[str, Any]]:
    """Requests of one question about a sentence; each has its own state and its own question id."""
    random = Random(seed)
    return [
        {
            "state": f"{random.choice(WHO)} {random.choice(WHAT)} {random.choice(WHEN)}, case {n}.",
            "questions": {f"q{n}": {"type": "noul", "instructions": random.choice(ASKED)}},
            "x_extras": True,
        }
        for n in range(number)
    ]


def answered(engine: steelyard.Engine, asked: Sequence[Mapping[str, Any]]) -> list[Known]:
    """The requests with their answers, each asked alone."""
    known = []
    for body in asked:
        request = decode_request(body)
        [(name, answer)] = engine.decide(request.state, request.questions).answers.items()
        assert isinstance(answer, NoulAnswer)
        known.append(Known(encode_json("/v1/systemone", body), name, answer.noul))
    return known


def difference(reply: Reply, known: Known) -> float:
    """How far a reply's probability is from the known one; 1 if it answers another question."""
    answers = reply.json()["answers"]
    if list(answers) != [known.question]:
        return 1.0
    p: float = answers[known.question]["noul"]
    return abs(p - known.p)
