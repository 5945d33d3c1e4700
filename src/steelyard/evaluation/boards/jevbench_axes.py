"""JevBench v1.5: Speed, Cost, and the score that joins the four axes."""

from __future__ import annotations

from collections.abc import Mapping
from math import log10

from steelyard.errors import ShapeError

HEADLINE: Mapping[str, float] = {
    "intelligence": 0.25, "calibration": 0.25, "speed": 0.25, "cost": 0.25,
}  # fmt: skip
"""The published weights of the axes."""
PRESET_B: Mapping[str, float] = {
    "intelligence": 0.40, "calibration": 0.20, "speed": 0.20, "cost": 0.20,
}  # fmt: skip
"""The second view that the board keeps."""

GATED = ("intelligence", "speed", "cost")
GATE = 50.0

TIMED = ("standard", "judge")
"""The tiers whose questions are timed; where there are none of them, all are (ours)."""

BEST_S, SPEED_PER_DECADE = 0.1, 20.0
BEST_USD, COST_PER_DECADE = 0.001, 30.0
LOAD, NETWORK_S = 2.0, 0.15
"""What a self-hosted time is taken to be in production: s -> 2 s + 0.15."""


def speed(p50_s: float, p95_s: float, *, self_hosted: bool = True) -> float:
    """Mean over both of clip(100 - 20 log10(s / 0.1), 0, 100).

    Args:
        p50_s, p95_s: seconds of a decision, asked one at a time.
        self_hosted: whether the times were measured on a machine of one's own.
    Raises:
        ShapeError: a time that is not above 0.
    """
    times = [LOAD * s + NETWORK_S if self_hosted else s for s in (p50_s, p95_s)]
    return sum(_falling(s, BEST_S, SPEED_PER_DECADE) for s in times) / 2


def cost(usd_per_1000: float) -> float:
    """clip(100 - 30 log10(usd / 0.001), 0, 100) of the price of 1,000 decisions.

    Raises:
        ShapeError: a price that is not above 0.
    """
    return _falling(usd_per_1000, BEST_USD, COST_PER_DECADE)


def composite(axes: Mapping[str, float], weights: Mapping[str, float] = HEADLINE) -> float:
    """Weighted harmonic mean of the four axes; each of I, Speed and Cost below 50 multiplies it by
    (axis / 50)^2. 0 where an axis is.

    Raises:
        ShapeError: an axis is missing.
    """
    if axes.keys() != weights.keys():
        raise ShapeError(f"got {', '.join(axes)}; allowed: {', '.join(weights)}", field="axes")
    if min(axes.values()) <= 0:
        return 0.0
    score = sum(weights.values()) / sum(weights[name] / value for name, value in axes.items())
    for name in GATED:
        score *= min(1.0, axes[name] / GATE) ** 2
    return score


def _falling(value: float, best: float, per_decade: float) -> float:
    if not value > 0:
        raise ShapeError(f"got {value}; allowed: above 0")
    return min(100.0, max(0.0, 100 - per_decade * log10(value / best)))
