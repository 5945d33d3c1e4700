"""The committed value of a noul: its probability moved out of the band where it says nothing.

JevBench v1.5 and many callers read P(yes) up to .2 as no, from .8 as yes, and what lies between as
no answer. A calibrated noul that leans is often between. The committed map moves clear leanings out
of the band, leaves what is undecided in it, and keeps the order of questions (Trutina report, 8.2:
a temperature and a boundary, both fitted where the answer is clear, after the final temperature).

A committed value is no probability: it is never averaged, scored or compared with one, and has its
own field.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.calibration.exit_temperature import Labelled, fit_temperature
from steelyard.errors import ShapeError, TooFewRowsError

BAND = (0.2, 0.8)
"""Ends included, a value outside is an answer (JevBench v1.5)."""

CLEAR = 0.8
"""A target with at least this much on one side has a right answer to be fitted on."""

MIN_ROWS = 200
"""Two numbers, and the boundary is judged by the few rows between it and the band."""

BOUNDARIES = np.arange(20, 51) / 100
"""Candidates; at .2 only the temperature acts, at .5 every leaning is committed."""


@dataclass(frozen=True, slots=True)
class CommittedNoul:
    """P(yes) to a committed value, both in [0, 1], increasing.

    With c = sigmoid(logit(p) / temperature), the stretches [0, boundary], [boundary, 1 - boundary]
    and [1 - boundary, 1] of c go linearly to [0, .2], [.2, .8] and [.8, 1]. At boundary .5 the
    middle stretch is a point, 1/2, which stays 1/2.

    Attributes:
        temperature: above 0.
        boundary: in [.2, .5]: how much lean is enough.
        after: digest of the calibrator whose probabilities it was fitted on; None for a softmax.
    """

    temperature: float
    boundary: float
    after: str | None

    def commit(self, yes: float) -> float:
        """The committed value of a calibrated P(yes).

        Raises:
            ShapeError: not within [0, 1].
        """
        if not 0.0 <= yes <= 1.0:
            raise ShapeError(f"got {yes}; allowed: 0 to 1", field="yes")
        return float(_committed(np.array([yes]), self.temperature, self.boundary)[0])


def fit_committed(
    yes: np.ndarray, targets: np.ndarray, *, after: str | None, wrong_cost: float = 1.0
) -> CommittedNoul:
    """The map for calibrated probabilities, learned from the rows whose answer is clear.

    The temperature is that of least cross-entropy to the clear answers. Then the boundary has the
    largest number of right answers less `wrong_cost` times wrong ones, an answer within the band
    being worth 0; of several the one that commits least. JevBench itself charges nothing for a
    wrong answer that an abstention would not cost too; then committing every lean is best, and
    nothing is left undecided. So by default a wrong answer costs what a right one earns.

    Args:
        yes: (n,), calibrated P(yes): the map is applied after the final temperature, and must be
            fitted there.
        targets: (n,), the target's share of yes, in [0, 1].
        after: digest of the calibrator that made `yes`.
        wrong_cost: 0 or more.
    Raises:
        ShapeError: the arrays disagree, or hold no probabilities.
        TooFewRowsError: fewer than MIN_ROWS clear answers.
    """
    yes, targets = np.asarray(yes, dtype=np.float64), np.asarray(targets, dtype=np.float64)
    for name, values in (("yes", yes), ("targets", targets)):
        if values.ndim != 1 or values.shape != yes.shape:
            raise ShapeError(f"shape {values.shape}; allowed: (n,) both", field=name)
        if not ((values >= 0) & (values <= 1)).all():
            raise ShapeError("values outside 0 to 1", field=name)
    if wrong_cost < 0:
        raise ShapeError(f"got {wrong_cost}; allowed: 0 or more", field="wrong_cost")
    clear = np.maximum(targets, 1 - targets) >= CLEAR
    if clear.sum() < MIN_ROWS:
        raise TooFewRowsError(
            "a committed map, of nouls whose answer is clear",
            rows=int(clear.sum()),
            needed=MIN_ROWS,
        )
    yes, truths = yes[clear], targets[clear] > 0.5
    odds = _log_odds(yes)
    temperature = fit_temperature(
        [
            Labelled("noul", np.array([odd, 0.0]), np.array([true, not true], dtype=np.float64))
            for odd, true in zip(odds, truths, strict=True)
        ]
    )

    def worth(boundary: float) -> float:
        value = _committed(yes, temperature, boundary)
        said_no, said_yes = value <= BAND[0], value >= BAND[1]
        right = (said_yes & truths).sum() + (said_no & ~truths).sum()
        wrong = (said_yes & ~truths).sum() + (said_no & truths).sum()
        return float(right - wrong_cost * wrong)

    best = max(BOUNDARIES.tolist(), key=worth)  # the first of several, which commits least
    return CommittedNoul(temperature, best, after)


def _committed(yes: np.ndarray, temperature: float, boundary: float) -> np.ndarray:
    sharp = 1 / (1 + np.exp(-_log_odds(yes) / temperature))
    low, high = BAND
    if boundary >= 0.5:
        below, above = sharp / 0.5 * low, high + (sharp - 0.5) / 0.5 * (1 - high)
        moved = np.where(sharp < 0.5, below, np.where(sharp > 0.5, above, 0.5))
    else:
        moved = np.interp(sharp, [0.0, boundary, 1 - boundary, 1.0], [0.0, low, high, 1.0])
    return np.asarray(moved)


def _log_odds(yes: np.ndarray) -> np.ndarray:
    """Finite: beyond what a float64 can tell from 0 or 1 all odds are the same."""
    inner = yes.clip(1e-15, 1 - 1e-15)
    return np.asarray(np.log(inner) - np.log1p(-inner))
