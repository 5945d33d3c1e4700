"""Answers of servers that say nothing of readout, layers or digests, in the form of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard.client.plain import PlainResponse
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
from steelyard.types.question import Choice, Noul, Question

UNKNOWN = "unknown"
"""What basis and audit say where nothing is known; layers and times are 0."""


def as_response(plain: PlainResponse, asked: Mapping[str, Question]) -> Response:
    """The response in the form of an engine's. Tokens that were not told count as 0.

    Args:
        asked: the questions that it answers.
    """
    return Response(
        model=plain.model,
        answers={name: _answer(plain.answers[name], one) for name, one in asked.items()},
        usage=Usage(
            input_tokens=plain.input_tokens or 0,
            output_tokens=plain.output_tokens or 0,
        ),
        timings=Timings(prepare_ms=0.0, forward_ms=0.0, total_ms=0.0),
        audit=Audit(
            steelyard=UNKNOWN,
            model=plain.model,
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


def _answer(shares: Mapping[str, float], question: Question) -> Answer:
    values = list(shares.values())
    if isinstance(question, Noul):
        return NoulAnswer(noul=values[0], basis=_basis(values))
    if isinstance(question, Choice):
        return ChoiceAnswer(
            choice=max(shares, key=shares.__getitem__),
            confidence=choice_confidence(values),
            probabilities=shares,
            basis=_basis(values),
        )
    return ScoreAnswer(
        score=sum(level * share for level, share in enumerate(values)),
        confidence=score_confidence(values),
        legend=question.criteria,
        probabilities=shares,
        basis=_basis(values),
    )


def _basis(shares: Sequence[float]) -> Basis:
    best, second = sorted([*shares, 0.0])[-1:-3:-1]
    return Basis(readout=UNKNOWN, exit_layer=0, calibration=None, margin=best - second, passes=1)
