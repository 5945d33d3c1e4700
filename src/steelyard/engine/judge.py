"""What a calibration says of an answer beyond its probabilities: a set, an action, a commitment."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steelyard.calibration.stored import Calibration
from steelyard.types.answer import Action, Answer, NoulAnswer, ScoreAnswer, Verdict


def judged(answer: Answer, calibration: Calibration, probabilities: np.ndarray) -> Answer:
    """The answer with its verdict, and a noul's committed value.

    Args:
        probabilities: (options,), those that the answer was made of.
    """
    verdict = _verdict(answer, calibration, probabilities)
    if isinstance(answer, NoulAnswer):
        calibrated = answer.basis.calibration is not None
        committed = calibration.committed if calibrated else None
        value = None if committed is None else committed.commit(answer.noul)
        return replace(answer, verdict=verdict, committed=value)
    return replace(answer, verdict=verdict)


def _verdict(answer: Answer, calibration: Calibration, probabilities: np.ndarray) -> Verdict | None:
    """None where the calibration has neither sets nor thresholds for such questions."""
    kind, keys = _options(answer)
    layer, count = answer.basis.exit_layer, len(keys)
    options: tuple[str, ...] | None = None
    coverage: float | None = None
    action: Action | None = None
    for sets in calibration.sets:
        if sets.covers(kind=kind, exit_layer=layer, num_options=count):
            inside = sets.options(probabilities, kind=kind, exit_layer=layer)
            options, coverage = tuple(keys[index] for index in inside), 1 - sets.alpha
    rule = calibration.actions
    if rule is not None and rule.covers(kind=kind, exit_layer=layer, num_options=count):
        action = rule.action(probabilities, kind=kind, exit_layer=layer)
    if options is None and action is None:
        return None
    return Verdict(options=options, coverage=coverage, action=action)


def _options(answer: Answer) -> tuple[str, tuple[str, ...]]:
    """The kind, and how the answer names its options."""
    if isinstance(answer, NoulAnswer):
        return "noul", ("yes", "no")
    kind = "score" if isinstance(answer, ScoreAnswer) else "choice"
    return kind, tuple(answer.probabilities)
