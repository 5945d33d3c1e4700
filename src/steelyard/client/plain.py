"""Replies of any System One server, read as plain distributions.

A `Response` holds what answers rest on, which steelyard servers alone tell. This is what every
server of the format tells: probabilities, and the tokens that it counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from steelyard.client.reply import At
from steelyard.types.content import Json
from steelyard.types.question import Choice, Noul, Question, kind_of

# Two decimals, as the live service sends: an option may be off by half a hundredth. A single
# figure is held to 0.05, as the conformance suite jevcompat 0.1.1 holds it.
ROUNDING = 0.005
SLACK = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainResponse:
    """All answers to one request.

    Attributes:
        model: concrete name of the model that answered.
        answers: id -> option -> probability, in the order asked, each summing to 1. The options are
            "yes" and "no" of a noul, the labels of a choice, "0", "1", ... of a score.
        input_tokens, output_tokens: as the server counted; None where it tells none.
    """

    model: str
    answers: Mapping[str, Mapping[str, float]]
    input_tokens: int | None
    output_tokens: int | None


def read_plain(body: Json, asked: Mapping[str, Question]) -> PlainResponse:
    """The probabilities that the body of a 200 spells, rounded ones scaled to sum to 1.

    Args:
        asked: the questions; the reply must answer these and no others.
    Raises:
        ReplyError: it does not fit the questions, or holds what are no probabilities.
    """
    reply = At(body)
    answers = reply["answers"]
    if answers.names() != set(asked):
        raise answers.wrong(f"answers to {', '.join(map(repr, asked))} and no others")
    return PlainResponse(
        model=reply["model"].text(),
        answers={name: _distribution(answers[name], one) for name, one in asked.items()},
        input_tokens=_count(reply, "input_tokens"),
        output_tokens=_count(reply, "output_tokens"),
    )


def _distribution(at: At, question: Question) -> dict[str, float]:
    kind = kind_of(question)
    if at["type"].text() != kind:
        raise at["type"].wrong(repr(kind))
    if isinstance(question, Noul):
        yes = at["noul"].number(1)
        return {"yes": yes, "no": 1 - yes}
    count = len(question.criteria)
    names = list(question.criteria) if isinstance(question, Choice) else map(str, range(count))
    shares = at["probabilities"]
    told = {name: shares[name].number(1) for name in names}
    total = fsum(told.values())
    if shares.names() != set(told):
        raise shares.wrong("a probability for each option asked about")
    if total == 0 or abs(total - 1) > max(SLACK, ROUNDING * count):
        raise shares.wrong(f"probabilities that add up to 1, not {total!r}")
    return {name: share / total for name, share in told.items()}


def _count(reply: At, name: str) -> int | None:
    usage = reply.value.get("usage") if isinstance(reply.value, Mapping) else None
    if not isinstance(usage, Mapping) or usage.get(name) is None:
        return None
    return reply["usage"][name].count()
