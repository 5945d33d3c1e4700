"""Platt's sigmoid for nouls: a slope and a shift on the log-odds of yes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steelyard.calibration.minimise import minimise
from steelyard.calibration.readings import Scored, stack
from steelyard.errors import ShapeError
from steelyard.readout.scores import softmax


@dataclass(frozen=True, slots=True)
class Platt:
    """P(yes) = 1 / (1 + exp(-(slope f + shift))), f = score of yes - score of no (Platt 1999).

    Unlike a temperature it can move the point where yes and no are equally likely. Order among
    questions is kept, but within one question the two options may change places.
    """

    slope: float
    shift: float
    keeps_order: ClassVar[bool] = False

    def __call__(self, scores: np.ndarray) -> np.ndarray:
        odds = self.slope * float(scores[0] - scores[1]) + self.shift
        return softmax(np.array([odds, 0.0]))


def fit_platt(readings: Sequence[Scored]) -> Platt:
    """Slope and shift of least mean cross-entropy to Platt's smoothed targets.

    With N+ yes and N- no, a yes counts as (N+ + 1)/(N+ + 2) and a no as 1/(N- + 2) (Platt 1999,
    section 2.2), which keeps the fit finite where the scores separate them. Votes count in
    proportion.

    Raises:
        ShapeError: no readings, or one that has not two options.
    """
    odds, yes = log_odds(readings)
    num_yes, num_no = yes.sum(), (1 - yes).sum()
    wanted = yes * (num_yes + 1) / (num_yes + 2) + (1 - yes) / (num_no + 2)

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        raised = at[0] * odds + at[1]
        value = np.logaddexp(0.0, raised) - wanted * raised
        gap = np.exp(-np.logaddexp(0.0, -raised)) - wanted
        return float(value.mean()), np.array([(gap * odds).mean(), gap.mean()])

    slope, shift = minimise(loss, np.array([1.0, 0.0]))
    return Platt(float(slope), float(shift))


def log_odds(readings: Sequence[Scored]) -> tuple[np.ndarray, np.ndarray]:
    """Score of yes minus score of no, and the target's share of yes: both float64 (n,).

    Raises:
        ShapeError: no readings, or one that has not two options.
    """
    rows = stack(readings)
    if (rows.num_options != 2).any():
        raise ShapeError(
            f"options: {sorted(set(rows.num_options.tolist()))}; allowed: 2, yes and no"
        )
    return rows.scores[:, 0] - rows.scores[:, 1], rows.targets[:, 0]
