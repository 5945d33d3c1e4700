"""The answers that were most wrong, with what they were asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

from steelyard.evaluation.measures import FLOOR
from steelyard.evaluation.run import Prediction
from steelyard.types.codec import encode_question
from steelyard.types.content import Json
from steelyard.types.example import Example
from steelyard.types.question import Noul


def worst_errors(
    predictions: Sequence[Prediction], examples: Mapping[str, Example], most: int
) -> list[dict[str, Any]]:
    """Up to `most` answers whose likeliest option is not the target's, the most surprised first.

    Surprise is the cross-entropy less the target's own, in nats: an even vote is nobody's error.
    """
    wrong = [one for one in predictions if _misses(one)]
    wrong.sort(key=lambda one: (-surprise(one), one.example))
    return [_row(one, examples[one.example]) for one in wrong[:most]]


def surprise(one: Prediction) -> float:
    """KL(target || answer) in nats, with probabilities of at least 1e-9."""
    return sum(
        share * (log(share) - log(max(p, FLOOR)))
        for share, p in zip(one.target, one.probabilities, strict=True)
        if share
    )


def _misses(one: Prediction) -> bool:
    said = max(range(len(one.target)), key=one.probabilities.__getitem__)
    return one.target[said] < max(one.target)


def _row(one: Prediction, example: Example) -> dict[str, Json]:
    return {
        "suite": one.suite,
        "example": one.example,
        "kind": one.kind,
        "source": one.source,
        "surprise": round(surprise(one), 4),
        "state": example.state,
        "question": encode_question(example.question),
        "options": option_names(example),
        "target": list(one.target),
        "probabilities": list(one.probabilities),
    }


def option_names(example: Example) -> list[Json]:
    """What the options are called: labels of a choice, levels of a score, yes and no."""
    if isinstance(example.question, Noul):
        return ["yes", "no"]
    return list(example.question.criteria)
