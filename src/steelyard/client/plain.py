"""Replies of any System One server: what the wire promises, and nothing that is ours.

Such a server says nothing of readout, layers or digests, and may round its probabilities to two
decimals. They are brought back to a sum of 1 here; a distribution that is further off is an error.
"""

from __future__ import annotations

from collections.abc import Mapping

from steelyard.client.reply import At
from steelyard.types.answer import (
    Answer,
    Audit,
    Basis,
    ChoiceAnswer,
    NoulAnswer,
    Response,
    ScoreAnswer,
    Timings,
    Usage,
)
from steelyard.types.confidence import choice_confidence, score_confidence
from steelyard.types.content import Json, describe
from steelyard.types.question import Choice, Noul, Question, kind_of

UNKNOWN = "unknown"
"""What the audit of such a response says where nothing is known."""

SUM_TOLERANCE = 0.05
ROUNDING = 0.005
"""How far the sum may be from 1: jevcompat's tolerance, or half a hundredth for each option."""


def read_plain(body: Json, asked: Mapping[str, Question]) -> Response:
    """The response that the body of a 200 spells; layers are 0, digests and names "unknown".

    Args:
        asked: the questions; the reply must answer these and no others.
    Raises:
        ReplyError: it does not fit the questions, lacks a field, or has a number out of range.
    """
    reply = At(body)
    answers = reply["answers"]
    if answers.names() != set(asked):
        raise answers.wrong(f"answers to {', '.join(map(describe, asked))} and no others")
    model = reply["model"].text()
    return Response(
        model=model,
        answers={name: _answer(answers[name], question) for name, question in asked.items()},
        usage=Usage(
            input_tokens=reply["usage"]["input_tokens"].count(),
            output_tokens=reply["usage"]["output_tokens"].count(),
        ),
        timings=Timings(prepare_ms=0.0, forward_ms=0.0, total_ms=0.0),
        audit=Audit(
            steelyard=UNKNOWN,
            model=model,
            weights=UNKNOWN,
            tokenizer=UNKNOWN,
            layout=UNKNOWN,
            layout_name=UNKNOWN,
            calibrator=None,
            runtime=UNKNOWN,
            dtype=UNKNOWN,
            computed_tokens=0,
            reused_tokens=0,
            exit_layers=(0,),
        ),
    )


def _answer(at: At, question: Question) -> Answer:
    kind = kind_of(question)
    if at["type"].text() != kind:
        raise at["type"].wrong(repr(kind))
    if isinstance(question, Noul):
        yes = at["noul"].number(1)
        return NoulAnswer(noul=yes, basis=_basis([yes, 1 - yes]))
    if isinstance(question, Choice):
        shares = _shares(at["probabilities"], list(question.criteria))
        return ChoiceAnswer(
            choice=max(shares, key=shares.__getitem__),
            confidence=choice_confidence(list(shares.values())),
            probabilities=shares,
            basis=_basis(list(shares.values())),
        )
    levels = [str(level) for level in range(len(question.criteria))]
    shares = _shares(at["probabilities"], levels)
    return ScoreAnswer(
        score=sum(level * share for level, share in enumerate(shares.values())),
        confidence=score_confidence(list(shares.values())),
        legend=question.criteria,
        probabilities=shares,
        basis=_basis(list(shares.values())),
    )


def _shares(at: At, names: list[str]) -> dict[str, float]:
    if at.names() != set(names):
        raise at.wrong("a probability for each option asked about")
    shares = {name: at[name].number(1) for name in names}
    total = sum(shares.values())
    if abs(total - 1) > max(SUM_TOLERANCE, ROUNDING * len(names)) or not total:
        raise at.wrong(f"probabilities that add up to 1, not {total:g}")
    return {name: share / total for name, share in shares.items()}


def _basis(shares: list[float]) -> Basis:
    best, second = sorted([*shares, 0.0])[-1:-3:-1]
    return Basis(readout=UNKNOWN, exit_layer=0, calibration=None, margin=best - second, passes=1)
