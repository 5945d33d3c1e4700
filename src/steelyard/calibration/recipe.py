"""A whole calibration fitted at once, and what it changed on rows that it had not seen.

Maps and guarantees never learn from the same rows: where both are wanted, the groups are split. So
a set or a threshold is cut from probabilities as a new question will get them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

import numpy as np

from steelyard.calibration.actions import ActionRule, fit_actions
from steelyard.calibration.card import Card, data_digest
from steelyard.calibration.committed import CommittedNoul, fit_committed
from steelyard.calibration.conformal import ConformalSets, fit_conformal
from steelyard.calibration.effect import MIN_GROUPS, Effect, effect
from steelyard.calibration.folds import out_of_fold
from steelyard.calibration.isotonic import fit_isotonic
from steelyard.calibration.matrix import fit_dirichlet, fit_vector
from steelyard.calibration.platt import fit_platt
from steelyard.calibration.readings import Reading, hardened
from steelyard.calibration.slots import ANY_COUNT, BUCKETS, Range, by_slot, each_count
from steelyard.calibration.slotted import Fit, SlottedCalibrator, fit_slotted, joined, served
from steelyard.calibration.stored import Calibration
from steelyard.calibration.temperature import fit_constant, fit_smooth
from steelyard.calibration.tied import fit_tied
from steelyard.errors import RequestError, TooFewRowsError
from steelyard.types.question import KINDS

NONE = "none"


@dataclass(frozen=True, slots=True)
class Way:
    """A way to make maps.

    Attributes:
        fit: of one slot.
        ranges: of the option counts that share a map.
        min_rows: of a slot.
        kinds: whose questions it is for.
    """

    fit: Fit
    ranges: Callable[[Sequence[Reading]], Sequence[Range]]
    min_rows: int
    kinds: tuple[str, ...] = KINDS

    def fitted(self, readings: Sequence[Reading], *, min_rows: int) -> SlottedCalibrator:
        ranges = self.ranges(readings)
        return fit_slotted(readings, self.fit, ranges=ranges, min_rows=min_rows)


WAYS: Mapping[str, Way] = {
    "temperature": Way(fit_constant, lambda rows: BUCKETS, 100),
    "smooth": Way(fit_smooth, lambda rows: ANY_COUNT, 100),
    "tied": Way(fit_tied, lambda rows: ANY_COUNT, 300),
    "vector": Way(fit_vector, each_count, 300),
    "dirichlet": Way(fit_dirichlet, each_count, 1000),
    "platt": Way(fit_platt, lambda rows: BUCKETS, 100, ("noul",)),
    "isotonic": Way(fit_isotonic, lambda rows: BUCKETS, 1000, ("noul",)),
}
"""By name. A map of many numbers needs many rows; isotonic overfits well below a thousand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What is to be fitted.

    Attributes:
        maps: kind -> a name in WAYS, or "none" for the softmax as it is.
        targets: "soft" or "hard"; see `readings.hardened`.
        committed: whether to fit the committed value of nouls.
        sets: "lac", "aps", "raps", or None; scores get intervals in each case.
        alpha: of the sets.
        act_risk, ask_risk: largest error rates of the two thresholds, or None for both.
        delta: the probability that a threshold's statement is false.
        share: of the groups that teach the maps, where there are guarantees to teach as well.
        seed: of every draw.
    Raises:
        RequestError: a value outside what is allowed, or nothing to fit.
    """

    maps: Mapping[str, str] = field(default_factory=lambda: dict.fromkeys(KINDS, "temperature"))
    targets: str = "soft"
    committed: bool = False
    sets: str | None = None
    alpha: float = 0.1
    act_risk: float | None = None
    ask_risk: float | None = None
    delta: float = 0.05
    share: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        for kind in KINDS:
            allowed = [name for name, way in WAYS.items() if kind in way.kinds]
            _among(self.maps.get(kind), [*allowed, NONE], f"maps.{kind}")
        _among(self.targets, ["soft", "hard"], "targets")
        if self.sets is not None:
            _among(self.sets, ["lac", "aps", "raps"], "sets")
        if (self.act_risk is None) != (self.ask_risk is None):
            raise RequestError("one of act_risk and ask_risk; give both or none", field="act_risk")
        for name in ("alpha", "act_risk", "ask_risk", "delta", "share"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1:
                raise RequestError(f"got {value}; allowed: above 0, below 1", field=name)
        act, ask = self.act_risk, self.ask_risk
        if act is not None and ask is not None and act >= ask:
            raise RequestError(
                f"got {ask}; allowed: above act_risk, which is {act}", field="ask_risk"
            )
        if self.committed and self.maps["noul"] == NONE:
            raise RequestError("needs maps of nouls, after which it comes", field="committed")
        if not (self.mapping or self.guaranteeing):
            raise RequestError("no maps, no sets, no thresholds; nothing to fit", field="maps")

    @property
    def mapping(self) -> bool:
        """Whether any kind gets maps."""
        return any(name != NONE for name in self.maps.values())

    @property
    def guaranteeing(self) -> bool:
        """Whether there are sets or thresholds to fit."""
        return self.sets is not None or self.act_risk is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where the readings come from; as of `Card`."""

    model: str
    layout: str
    readout: str
    rotations: int = 1
    reread_below: float = 0.0


@dataclass(frozen=True, slots=True)
class Fitted:
    """A calibration, and for each kind that has maps what they change, out of fold."""

    calibration: Calibration
    effects: tuple[Effect, ...]


def fit_calibration(
    readings: Sequence[Reading], recipe: Recipe, origin: Origin, *, draws: int = 1000
) -> Fitted:
    """Everything that the recipe asks for, of the kinds that there are readings of.

    Args:
        readings: none of it may have trained the weights.
        draws: of the bootstrap behind each interval.
    Raises:
        TooFewRowsError: a kind or slot has too few rows or groups; it says which and how many.
        ShapeError: what a fit raises.
    """
    if recipe.targets == "hard":
        readings = hardened(readings)
    teach, hold = _split(readings, recipe)
    parts, effects = [], []
    for kind in KINDS:
        rows = [one for one in teach if one.kind == kind]
        name = recipe.maps[kind]
        if rows and name != NONE:
            part, changed = _maps(rows, WAYS[name], draws)
            parts.append(part)
            effects.append(changed)
    calibrator = joined(*parts)
    committed = _committed(teach, calibrator, recipe)
    card = Card(
        data=data_digest(readings),
        rows=len(readings),
        groups=len({one.group for one in readings}),
        teaching=len(teach),
        targets=recipe.targets,
        model=origin.model,
        layout=origin.layout,
        readout=origin.readout,
        rotations=origin.rotations,
        reread_below=origin.reread_below,
        exit_layers=tuple(sorted({one.exit_layer for one in readings})),
    )
    forecasts = [served(calibrator, one) for one in hold]
    calibration = Calibration(
        card=card,
        calibrator=calibrator,
        committed=committed,
        sets=_sets(hold, forecasts, recipe),
        actions=_actions(hold, forecasts, recipe),
    )
    return Fitted(calibration, tuple(effects))


def _split(
    readings: Sequence[Reading], recipe: Recipe
) -> tuple[Sequence[Reading], Sequence[Reading]]:
    """The readings that teach the maps, and those that teach the guarantees; by whole groups."""
    if not readings:
        raise TooFewRowsError("a calibration", rows=0, needed=WAYS["temperature"].min_rows)
    if not (recipe.mapping and recipe.guaranteeing):
        return (readings, []) if recipe.mapping else ([], readings)
    names = sorted({one.group for one in readings})
    order = np.random.default_rng(recipe.seed).permutation(len(names))
    teaching = {names[place] for place in order[: ceil(recipe.share * len(names))].tolist()}
    return (
        [one for one in readings if one.group in teaching],
        [one for one in readings if one.group not in teaching],
    )


def _maps(rows: Sequence[Reading], way: Way, draws: int) -> tuple[SlottedCalibrator, Effect]:
    """The maps of one kind, and their effect on rows of folds that did not teach them."""
    for slot, members in by_slot(rows, way.ranges(rows)).items():
        groups = len({one.group for one in members})
        if groups < MIN_GROUPS:
            raise TooFewRowsError(
                f"maps for {slot}, of independent groups", rows=groups, needed=MIN_GROUPS
            )
    calibrator = way.fitted(rows, min_rows=way.min_rows)
    raw = [served(SlottedCalibrator({}), one) for one in rows]
    # whether there are rows enough was asked of all of them; a fold may have fewer
    unseen = out_of_fold(rows, lambda others: way.fitted(others, min_rows=1))
    return calibrator, effect(rows, raw, unseen, draws=draws)


def _committed(
    teach: Sequence[Reading], calibrator: SlottedCalibrator, recipe: Recipe
) -> CommittedNoul | None:
    if not recipe.committed:
        return None
    nouls = [one for one in teach if one.kind == "noul"]
    return fit_committed(
        np.array([served(calibrator, one)[0] for one in nouls]),
        np.array([one.target[0] for one in nouls]),
        after=calibrator.digest,
    )


def _sets(
    hold: Sequence[Reading], forecasts: Sequence[np.ndarray], recipe: Recipe
) -> tuple[ConformalSets, ...]:
    if recipe.sets is None:
        return ()
    found = []
    for kinds, method in ((("noul", "choice"), recipe.sets), (("score",), "interval")):
        rows = [
            (one, forecast)
            for one, forecast in zip(hold, forecasts, strict=True)
            if one.kind in kinds
        ]
        if rows:
            found.append(
                fit_conformal(
                    [one for one, _ in rows],
                    [forecast for _, forecast in rows],
                    method=method,
                    alpha=recipe.alpha,
                    seed=recipe.seed,
                )
            )
    return tuple(found)


def _actions(
    hold: Sequence[Reading], forecasts: Sequence[np.ndarray], recipe: Recipe
) -> ActionRule | None:
    if recipe.act_risk is None or recipe.ask_risk is None:
        return None
    return fit_actions(
        hold,
        forecasts,
        act_risk=recipe.act_risk,
        ask_risk=recipe.ask_risk,
        delta=recipe.delta,
        seed=recipe.seed,
    )


def _among(value: object, allowed: Sequence[str], field: str) -> None:
    if value not in allowed:
        raise RequestError(f"got {value!r}; allowed: {', '.join(allowed)}", field=field)
