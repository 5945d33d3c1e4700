"""JevBench v1.5: Intelligence and Calibration of typed decisions.

fstandhartinger/jevbench, method of 2026-09-25 with its amendment of 2026-09-26. The sealed half and
its items are not public, so from open items alone this gives the board's own "I_open". What the
method leaves to words is decided here, and marked "ours". `jevbench_axes.py` has the other axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from steelyard.errors import ShapeError
from steelyard.evaluation.run import Failure, Prediction
from steelyard.metrics.chance import above_chance
from steelyard.metrics.distances import (
    masses_at_mode,
    ranked_probability_distances,
    total_variations,
)
from steelyard.metrics.forecasts import padded
from steelyard.metrics.reliability import expected_calibration_error

TIER_WEIGHTS: Mapping[str, float] = {"easy": 0.10, "standard": 0.20, "judge": 0.30, "hard": 0.40}

TypeWeights: TypeAlias = Mapping[str, float]
FROZEN: TypeWeights = {"choice": 0.50, "noul": 0.25, "score": 0.25}
"""The type weights of the method as it was frozen."""
EQUAL: TypeWeights = {"choice": 1 / 3, "noul": 1 / 3, "score": 1 / 3}
"""Those of the published headline, an amendment that the method discloses."""

NO, YES = 0.2, 0.8
"""A P(yes) up to the first is a no, from the second on a yes; between them is an abstention."""

ALLOWANCE = 8.0
"""Points by which the gap between open and sealed may exceed the field's median gap for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One decision.

    Attributes:
        tier: of TIER_WEIGHTS.
        gold: the right option; exact: the exact distribution of an item about probability.
        probabilities: a noul's (yes, no); None: invalid or failed, which is wrong.
        sealed: whether it is of the half that is not public.
    """

    kind: str
    tier: str
    gold: int
    num_options: int
    probabilities: tuple[float, ...] | None
    exact: tuple[float, ...] | None = None
    sealed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Intelligence:
    """0 to 100.

    Attributes:
        competence: (kind, tier) -> chance-corrected competence of the open items, at most 100.
        open, sealed: the weighted means of both halves; sealed is None without such items.
        penalty: what an unusually large gap between them leaves, 0 to 1; 1 where it is not known.
        value: the axis.
    """

    competence: Mapping[tuple[str, str], float]
    open: float
    sealed: float | None
    penalty: float
    value: float


def items_of(answers: Sequence[Prediction | Failure], tier: str = "standard") -> list[Item]:
    """Answers as items; the end of a source such as "mine/hard" is the tier, else it is `tier`."""
    return [
        Item(
            kind=one.kind,
            tier=told if (told := one.source.rpartition("/")[2]) in TIER_WEIGHTS else tier,
            gold=max(range(len(one.target)), key=one.target.__getitem__),
            num_options=len(one.target),
            probabilities=one.probabilities if isinstance(one, Prediction) else None,
            exact=None if set(one.target) <= {0.0, 1.0} else one.target,
        )
        for one in answers
    ]


def competence(items: Sequence[Item]) -> float:
    """Chance-corrected competence CC of items of one kind, at most 100 and not clipped.

    Choice: 100 (acc - c) / (1 - c), c the mean of 1 / options. Noul: the same with c = 1/2 and
    abstentions wrong. Score: 100 (1 - mean nMAE / mean chance), with nMAE = |E[level] - gold| /
    (K - 1) and chance the same of a level drawn evenly. A failed score has the largest nMAE there
    is (ours).

    Raises:
        ShapeError: no items, or of several kinds; a question with one option.
    """
    kinds = {item.kind for item in items}
    if len(kinds) != 1:
        raise ShapeError(f"of kinds {sorted(kinds)}; allowed: of one kind", field="items")
    if any(item.num_options < 2 for item in items):
        raise ShapeError("one option; allowed: two or more", field="items")
    if kinds == {"score"}:
        errors, chances = zip(*map(_score_error, items), strict=True)
        return 100 * (1 - float(np.mean(errors)) / float(np.mean(chances)))
    right = float(np.mean([_is_right(item) for item in items]))
    chance = float(np.mean([1 / item.num_options for item in items]))
    return 100 * above_chance(right, chance)


def intelligence(
    items: Sequence[Item], weights: TypeWeights = EQUAL, median_gap: float | None = None
) -> Intelligence:
    """The Intelligence axis.

    Kinds and tiers without items give their weight to the others. Open and sealed count half each;
    I = clip(base * penalty, 0, 100), penalty = max(0, 1 - max(0, gap - median_gap - 8) / 100).

    Args:
        median_gap: I_open - I_sealed of the field's median system; None: no penalty can be known.
    Raises:
        ShapeError: no open items.
    """
    table = _competences([item for item in items if not item.sealed])
    if not table:
        raise ShapeError("none that are open; allowed: one or more", field="items")
    sealed_table = _competences([item for item in items if item.sealed])
    opened = _weighted(table, weights)
    sealed = _weighted(sealed_table, weights) if sealed_table else None
    base = opened if sealed is None else (opened + sealed) / 2
    penalty = 1.0
    if sealed is not None and median_gap is not None:
        penalty = max(0.0, 1 - max(0.0, opened - sealed - median_gap - ALLOWANCE) / 100)
    return Intelligence(
        competence=table,
        open=opened,
        sealed=sealed,
        penalty=penalty,
        value=min(100.0, max(0.0, base * penalty)),
    )


def calibration(items: Sequence[Item], weights: TypeWeights = EQUAL) -> float:
    """The Calibration axis, 0 to 100: each kind's, weighted; items without an answer do not count.

    100 clip(1 - ECE / .5) of the top label (choice, score) or of P(yes) (noul), as in v1.3, and as
    half of it (ours: the method says "plus" and gives no weights) 100 (1 - mean TVD) of choices
    whose distribution is known, and 100 (1 - mean RPS / (K - 1)) of scores. 0 without any answer.
    """
    answered = [item for item in items if item.probabilities is not None]
    found = {
        kind: _calibration(kind, [item for item in answered if item.kind == kind])
        for kind in weights
        if any(item.kind == kind for item in answered)
    }
    if not found:
        return 0.0
    return sum(weights[kind] * value for kind, value in found.items()) / sum(
        weights[kind] for kind in found
    )


def from_error(ece: float) -> float:
    """100 clip(1 - ECE / .5): the scale of v1.2 and v1.3."""
    return 100 * min(1.0, max(0.0, 1 - ece / 0.5))


def _calibration(kind: str, items: Sequence[Item]) -> float:
    forecasts = padded([item.probabilities or () for item in items])
    if kind == "noul":
        yes = np.array([float(item.gold == 0) for item in items])
        return from_error(expected_calibration_error(forecasts[:, 0].clip(0, 1), yes))
    golds = np.eye(forecasts.shape[1])[[item.gold for item in items]]
    outcomes = masses_at_mode(forecasts, golds)
    top = from_error(expected_calibration_error(forecasts.max(axis=1).clip(0, 1), outcomes))
    if kind == "score":
        levels = np.array([item.num_options - 1 for item in items])
        rps = ranked_probability_distances(forecasts, golds) / levels
        return (top + 100 * (1 - float(rps.mean()))) / 2
    known = [place for place, item in enumerate(items) if item.exact is not None]
    if not known:
        return top
    exact = padded([items[place].exact or () for place in known])
    moved = total_variations(forecasts[known][:, : exact.shape[1]], exact)
    return (top + 100 * (1 - float(moved.mean()))) / 2


def _competences(items: Sequence[Item]) -> dict[tuple[str, str], float]:
    cells = {(item.kind, item.tier): None for item in items}
    return {
        cell: competence([item for item in items if (item.kind, item.tier) == cell])
        for cell in cells
    }


def _weighted(table: Mapping[tuple[str, str], float], weights: TypeWeights) -> float:
    by_kind = {}
    for kind in weights:
        tiers = {tier: value for (of, tier), value in table.items() if of == kind}
        if tiers:
            total = sum(TIER_WEIGHTS[tier] for tier in tiers)
            by_kind[kind] = sum(TIER_WEIGHTS[tier] * v for tier, v in tiers.items()) / total
    total = sum(weights[kind] for kind in by_kind)
    return sum(weights[kind] * value for kind, value in by_kind.items()) / total


def _is_right(item: Item) -> bool:
    if item.probabilities is None:
        return False
    if item.kind == "noul":
        yes = item.probabilities[0]
        return yes >= YES if item.gold == 0 else yes <= NO
    return max(range(item.num_options), key=item.probabilities.__getitem__) == item.gold


def _score_error(item: Item) -> tuple[float, float]:
    """(nMAE, that of a level drawn evenly)."""
    levels, gold = np.arange(item.num_options), item.gold
    chance = float(abs(levels - gold).mean()) / (item.num_options - 1)
    if item.probabilities is None:
        return max(gold, item.num_options - 1 - gold) / (item.num_options - 1), chance
    error = abs(float(levels @ np.array(item.probabilities)) - gold) / (item.num_options - 1)
    return error, chance
