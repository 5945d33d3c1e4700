"""Whether a calibration helped on rows it has not seen, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.calibration.readings import Reading
from steelyard.errors import ShapeError, TooFewRowsError
from steelyard.metrics.distances import (
    brier_distances,
    cross_entropies,
    masses_at_mode,
    ranked_probability_distances,
)
from steelyard.metrics.forecasts import padded
from steelyard.metrics.intervals import bootstrap_interval
from steelyard.metrics.noise_floor import ece_noise_floor
from steelyard.metrics.reliability import expected_calibration_error

NUM_BINS = 10
MIN_GROUPS = 20
"""Percentile intervals of fewer groups are too narrow to be shown (Efron 1979)."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A measure and its interval from a bootstrap that draws groups.

    That of an ECE lies high, even above the value: drawn samples are noisier than the sample, and
    ECE counts noise as error. It lies as high before as after.
    """

    value: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Change:
    """One measure of the same rows before and after; smaller is better.

    Attributes:
        verdict: "better" or "worse" where the intervals do not overlap, else "not shown".
    """

    before: Figure
    after: Figure

    @property
    def verdict(self) -> str:
        if self.after.interval[1] < self.before.interval[0]:
            return "better"
        if self.after.interval[0] > self.before.interval[1]:
            return "worse"
        return "not shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a calibration changed on one kind of question.

    Attributes:
        rows, groups: how many.
        nll: cross-entropy from the targets, in nats.
        brier: 0 to 2.
        ece: of the most probable option, 10 bins, against the target's mass on it.
        rps: over k - 1, of scores; None for other kinds.
        floors: the ECE that probabilities as stated would have by chance, before and after; None
            where targets are distributions, because the floor is that of single outcomes.
    """

    kind: str
    rows: int
    groups: int
    nll: Change
    brier: Change
    ece: Change
    rps: Change | None
    floors: tuple[float, float] | None


def effect(
    readings: Sequence[Reading],
    before: Sequence[np.ndarray],
    after: Sequence[np.ndarray],
    *,
    draws: int = 1000,
    seed: int = 0,
) -> Effect:
    """Both forecasts of the same readings, measured.

    Args:
        readings: of one kind.
        before, after: probabilities (options,) of each reading; `after` from `out_of_fold`, or from
            a calibrator fitted on other data.
        draws: of the bootstrap.
    Raises:
        ShapeError: several kinds, or forecasts that do not fit the readings.
        TooFewRowsError: fewer than MIN_GROUPS groups.
    """
    kinds = sorted({one.kind for one in readings})
    if len(kinds) != 1:
        raise ShapeError(f"readings of {kinds}; allowed: of one kind", field="readings")
    if not len(readings) == len(before) == len(after):
        raise ShapeError(f"{len(before)} and {len(after)} forecasts of {len(readings)} readings")
    groups = np.array([one.group for one in readings])
    num_groups = len(np.unique(groups))
    if num_groups < MIN_GROUPS:
        raise TooFewRowsError(
            "an interval, of independent groups", rows=num_groups, needed=MIN_GROUPS
        )
    targets = padded([one.target for one in readings])
    forecasts = [padded(before), padded(after)]
    if any(one.shape != targets.shape for one in forecasts):
        raise ShapeError("forecasts and targets of different numbers of options")
    levels = np.array([max(1, one.num_options - 1) for one in readings])

    def figure(values: np.ndarray, statistic: Callable[[np.ndarray], float]) -> Figure:
        interval = bootstrap_interval(values, groups, statistic, draws=draws, seed=seed)
        return Figure(float(statistic(values)), interval)

    def change(distance: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Change:
        return Change(*(figure(distance(one, targets), np.mean) for one in forecasts))

    confidences = [one.max(axis=1).clip(0, 1) for one in forecasts]
    outcomes = [masses_at_mode(one, targets).clip(0, 1) for one in forecasts]
    single = bool(np.isin(targets, (0.0, 1.0)).all())
    return Effect(
        kind=kinds[0],
        rows=len(readings),
        groups=num_groups,
        nll=change(cross_entropies),
        brier=change(brier_distances),
        ece=Change(
            *(
                figure(np.column_stack(pair), _ece)
                for pair in zip(confidences, outcomes, strict=True)
            )
        ),
        rps=(
            change(lambda one, wanted: ranked_probability_distances(one, wanted) / levels)
            if kinds[0] == "score"
            else None
        ),
        floors=(
            (ece_noise_floor(confidences[0], NUM_BINS), ece_noise_floor(confidences[1], NUM_BINS))
            if single
            else None
        ),
    )


def _ece(pairs: np.ndarray) -> float:
    return expected_calibration_error(pairs[:, 0], pairs[:, 1], NUM_BINS)
