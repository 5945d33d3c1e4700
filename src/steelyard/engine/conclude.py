"""From a distribution over options to an answer of the question's kind."""

from __future__ import annotations

import numpy as np

from steelyard.types.answer import Answer, Basis, ChoiceAnswer, NoulAnswer, ScoreAnswer
from steelyard.types.confidence import choice_confidence, score_confidence
from steelyard.types.question import Choice, Noul, Question


def conclude(question: Question, probabilities: np.ndarray, basis: Basis) -> Answer:
    """The answer whose numbers follow from `probabilities`.

    Args:
        probabilities: float64 (options,), summing to 1, in the order of the question's options;
            for a noul (yes, no).
    """
    if isinstance(question, Noul):
        return NoulAnswer(noul=float(probabilities[0]), basis=basis)
    values = [float(p) for p in probabilities]
    if isinstance(question, Choice):
        labels = list(question.criteria)
        return ChoiceAnswer(
            choice=labels[int(np.argmax(probabilities))],  # ties: the earlier option
            confidence=choice_confidence(values),
            probabilities=dict(zip(labels, values, strict=True)),
            basis=basis,
        )
    return ScoreAnswer(
        score=float(np.dot(np.arange(len(values)), probabilities)),
        confidence=score_confidence(values),
        legend=tuple(question.criteria),
        probabilities={str(level): value for level, value in enumerate(values)},
        basis=basis,
    )
