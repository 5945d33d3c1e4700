"""Whether a calibration keeps its promises on fresh rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.calibration.card import data_digest
from steelyard.calibration.conformal import one_per_group
from steelyard.calibration.readings import Reading, drawn, hardened
from steelyard.calibration.slotted import served
from steelyard.calibration.stored import Calibration
from steelyard.errors import ShapeError
from steelyard.metrics.intervals import wilson_interval
from steelyard.types.question import KINDS


@dataclass(frozen=True, slots=True)
class Share:
    """How many of `n` rows, and the 95 % interval for the probability behind it (Wilson)."""

    count: int
    n: int

    @property
    def value(self) -> float | None:
        """None where there are no rows."""
        return self.count / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float]:
        return wilson_interval(self.count, self.n)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetsKept:
    """Attributes:
    alpha: what was promised: at most this share of right options is missing.
    missing: the rows whose right option was not in the set.
    mean_size: options in a set.
    """

    alpha: float
    missing: Share
    mean_size: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionsKept:
    """Attributes:
    act_risk, ask_risk: the error rates promised.
    act: share of the rows that are acted on; ask: proposed to somebody. The rest is handed on.
    act_errors: wrong among those acted on; ask_errors: among those acted on or proposed.
    """

    act_risk: float
    ask_risk: float
    act: Share
    ask: Share
    act_errors: Share
    ask_errors: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What came of the promises on questions of one kind; None where none was made.

    Attributes:
        rows: independent ones: one of each group.
    """

    kind: str
    rows: int
    sets: SetsKept | None
    actions: ActionsKept | None


def verify(calibration: Calibration, readings: Sequence[Reading], *, seed: int = 0) -> list[Kept]:
    """Each kind's promises against rows that the calibration has not seen.

    As in the fit one row of each group counts, and of a distribution the right option is drawn.

    Args:
        readings: uncalibrated, of the model that the calibration is for.
    Raises:
        ShapeError: there are none.
    """
    if not readings:
        raise ShapeError("none; allowed: one or more", field="readings")
    if calibration.card.targets == "hard":
        readings = hardened(readings)
    random = np.random.default_rng(seed)
    kinds = [kind for kind in KINDS if any(one.kind == kind for one in readings)]
    return [_kept(kind, calibration, readings, random) for kind in kinds]


def taught(calibration: Calibration, readings: Sequence[Reading]) -> bool:
    """Whether these very readings, all of them and no others, taught the calibration.

    They prove nothing then. That only some of them did, a digest cannot tell.
    """
    if calibration.card.targets == "hard":
        readings = hardened(readings)
    return data_digest(readings) == calibration.card.data


def _kept(
    kind: str, calibration: Calibration, readings: Sequence[Reading], random: np.random.Generator
) -> Kept:
    rows = one_per_group([one for one in readings if one.kind == kind], random)
    answers = [drawn(one.target, random) for one in rows]
    forecasts = [served(calibration.calibrator, one) for one in rows]
    return Kept(
        kind=kind,
        rows=len(rows),
        sets=_sets(calibration, rows, forecasts, answers),
        actions=_actions(calibration, rows, forecasts, answers),
    )


def _sets(
    calibration: Calibration,
    rows: Sequence[Reading],
    forecasts: Sequence[np.ndarray],
    answers: Sequence[int],
) -> SetsKept | None:
    for sets in calibration.sets:
        found = [
            (sets.options(p, kind=one.kind, exit_layer=one.exit_layer), answer)
            for one, p, answer in zip(rows, forecasts, answers, strict=True)
            if sets.covers(kind=one.kind, exit_layer=one.exit_layer, num_options=len(p))
        ]
        if found:
            missing = sum(answer not in inside for inside, answer in found)
            return SetsKept(
                alpha=sets.alpha,
                missing=Share(missing, len(found)),
                mean_size=float(np.mean([len(inside) for inside, _ in found])),
            )
    return None


def _actions(
    calibration: Calibration,
    rows: Sequence[Reading],
    forecasts: Sequence[np.ndarray],
    answers: Sequence[int],
) -> ActionsKept | None:
    rule = calibration.actions
    if rule is None:
        return None
    counts: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    for one, p, answer in zip(rows, forecasts, answers, strict=True):
        if rule.covers(kind=one.kind, exit_layer=one.exit_layer, num_options=len(p)):
            action = rule.action(p, kind=one.kind, exit_layer=one.exit_layer)
            counts[action] += 1
            errors[action] += int(p.argmax()) != answer
    if not counts:
        return None
    first = next(iter(rule.slots.values()))
    n, act, ask = counts.total(), counts["act"], counts["ask"]
    return ActionsKept(
        act_risk=first.act.risk,
        ask_risk=first.ask.risk,
        act=Share(act, n),
        ask=Share(ask, n),
        act_errors=Share(errors["act"], act),
        ask_errors=Share(errors["act"] + errors["ask"], act + ask),
    )
