"""Decision Index (apolinario/decision-index 0.2): skills of benchmarks, areas, one number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from steelyard.errors import ShapeError
from steelyard.metrics.chance import above_chance

AREA_WEIGHTS: Mapping[str, float] = {
    "tools": 18.3, "retrieval": 20.0, "knowledge": 25.8, "language": 25.8, "arts": 10.0,
}  # fmt: skip
STARRED = 1.2
COIN_BRIER = 0.25
"""The Brier score (p - y)^2 of always saying a half."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark's skill, 0 to 1, and where it counts; starred ones weigh 1.2."""

    area: str
    skill: float
    starred: bool = False


def skill(score: float, chance: float, coverage: float = 1.0) -> float:
    """clip((score * coverage - chance) / (1 - chance), 0, 1): what was not answered scores nothing.

    Args:
        score: of what was answered, 0 to 1; coverage: answered over asked.
    Raises:
        ShapeError: a chance of 1.
    """
    return min(1.0, max(0.0, above_chance(score * coverage, chance)))


def forecast_skill(brier: float, coverage: float = 1.0) -> float:
    """clip((.25 - Brier) / .25, 0, 1) * coverage, of forecasts of yes; Brier is (p - y)^2."""
    return min(1.0, max(0.0, (COIN_BRIER - brier) / COIN_BRIER)) * coverage


def decision_index(benchmarks: Sequence[Benchmark]) -> tuple[float, float]:
    """(index, breadth), 0 to 100: the weighted arithmetic and geometric mean of the areas' skills.

    Areas without a benchmark give their weight to the others, which makes a part of the suite
    comparable with itself and not with the board.

    Raises:
        ShapeError: no benchmarks, or an area that is none.
    """
    by_area: dict[str, list[Benchmark]] = {}
    for one in benchmarks:
        if one.area not in AREA_WEIGHTS:
            raise ShapeError(f"got {one.area!r}; allowed: {', '.join(AREA_WEIGHTS)}", field="area")
        by_area.setdefault(one.area, []).append(one)
    if not by_area:
        raise ShapeError("none; allowed: one or more", field="benchmarks")
    areas = {
        area: sum(_weight(one) * one.skill for one in part) / sum(map(_weight, part))
        for area, part in by_area.items()
    }
    total = sum(AREA_WEIGHTS[area] for area in areas)
    index = sum(AREA_WEIGHTS[area] * value for area, value in areas.items()) / total
    breadth = prod(value ** (AREA_WEIGHTS[area] / total) for area, value in areas.items())
    return 100 * index, 100 * breadth


def _weight(one: Benchmark) -> float:
    return STARRED if one.starred else 1.0
