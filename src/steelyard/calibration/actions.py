"""What to do with an answer: act on it, ask first, or hand the question on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.calibration.conformal import one_per_group
from steelyard.calibration.readings import Reading, drawn
from steelyard.calibration.selective import Select, SelectiveThreshold, scan_threshold
from steelyard.calibration.slots import BUCKETS, Range, Slot, by_slot, find, need
from steelyard.errors import ShapeError, TooFewRowsError
from steelyard.types.answer import Action


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Of one slot: `act` allows a smaller error rate than `ask`."""

    act: SelectiveThreshold
    ask: SelectiveThreshold


@dataclass(frozen=True, slots=True)
class ActionRule:
    """Thresholds for each slot.

    Above `act` an answer is acted on. Above `ask` it is a proposal that someone confirms; the
    bound there is on all answers above `ask`, those that are acted on included. What is left is
    handed on, as is everything in a slot where no threshold could be shown to be safe.
    """

    slots: Mapping[Slot, Thresholds]

    def action(self, probabilities: np.ndarray, *, kind: str, exit_layer: int) -> Action:
        """What to do with an answer of these calibrated probabilities (options,).

        Raises:
            CapabilityError: nothing was fitted for the exit, kind or option count.
        """
        count = len(probabilities)
        at = need(self.slots, "thresholds", kind=kind, exit_layer=exit_layer, num_options=count)
        confidence = float(probabilities.max())
        if at.act.accepts(confidence):
            return "act"
        return "ask" if at.ask.accepts(confidence) else "escalate"

    def covers(self, *, kind: str, exit_layer: int, num_options: int) -> bool:
        """Whether there are thresholds for such questions."""
        found = find(self.slots, kind=kind, exit_layer=exit_layer, num_options=num_options)
        return found is not None


def fit_actions(
    readings: Sequence[Reading],
    probabilities: Sequence[np.ndarray],
    *,
    act_risk: float,
    ask_risk: float,
    delta: float = 0.05,
    ranges: Sequence[Range] = BUCKETS,
    select: Select = scan_threshold,
    seed: int = 0,
) -> ActionRule:
    """Both thresholds of every slot, from rows that neither weights nor calibrator has seen.

    One row of each group counts, and where a target is a distribution the right answer is drawn
    from it. In each slot both statements hold together with probability 1 - delta.

    Args:
        probabilities: (options,) of each reading, as they will be served.
        act_risk, ask_risk: largest error rates above the thresholds, act_risk below ask_risk.
        select: how a threshold is found.
    Raises:
        ShapeError: risks in the wrong order, probabilities that do not fit.
        TooFewRowsError: a slot has so few rows that not even a faultless one could be shown safe.
    """
    if not 0 < act_risk < ask_risk < 1:
        raise ShapeError(f"{act_risk} to act, {ask_risk} to ask; allowed: 0 < act < ask < 1")
    if [one.shape for one in probabilities] != [one.scores.shape for one in readings]:
        raise ShapeError("allowed: (options,) of every reading", field="probabilities")
    random = np.random.default_rng(seed)
    forecast_of = {id(one): p for one, p in zip(readings, probabilities, strict=True)}
    slots = {}
    for slot, members in by_slot(readings, ranges).items():
        rows = one_per_group(members, random)
        forecasts = [forecast_of[id(one)] for one in rows]
        confidences = np.array([float(p.max()) for p in forecasts])
        answers = [drawn(one.target, random) for one in rows]
        right = np.array([p.argmax() == y for p, y in zip(forecasts, answers, strict=True)])
        try:
            slots[slot] = Thresholds(
                act=select(confidences, right, risk=act_risk, delta=delta / 2),
                ask=select(confidences, right, risk=ask_risk, delta=delta / 2),
            )
        except TooFewRowsError as error:
            what = f"thresholds for {slot}, {error.what}"
            raise TooFewRowsError(what, rows=error.rows, needed=error.needed) from None
    return ActionRule(slots)
