"""Target distributions: from hard labels, votes, means and exact counts (Trutina report, 6.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

Distribution: TypeAlias = tuple[float, ...]

SMOOTHING = 0.05
"""Mass of a hard label that is shared evenly by all options, the right one included."""

ORDINAL_DECAY = math.log((1 + 0.7) / (1 - 0.7))
"""exp(-b |level - gold|), normalised over an endless scale, leaves 0.7 at gold for this b."""


def hard(num_options: int, gold: int, *, smoothing: float = SMOOTHING) -> Distribution:
    """A label that one annotator or a rule gave: 1 - smoothing on it, the rest over all options."""
    assert 0 <= gold < num_options, f"option {gold} of {num_options}"
    share = smoothing / num_options
    return tuple(share + (1 - smoothing) * (index == gold) for index in range(num_options))


def ordinal(num_levels: int, gold: int) -> Distribution:
    """A hard label on a scale: the further a level, the less of it. Gold keeps 0.7, and more at
    the ends of the scale."""
    assert 0 <= gold < num_levels, f"level {gold} of {num_levels}"
    return _normalised([math.exp(-ORDINAL_DECAY * abs(k - gold)) for k in range(num_levels)])


def votes(counts: Sequence[float]) -> Distribution:
    """Shares of votes, with half a vote added to every option (Jeffreys' prior)."""
    assert all(count >= 0 for count in counts) and sum(counts) > 0, f"no votes: {counts!r}"
    return _normalised([count + 0.5 for count in counts])


def around_mean(num_levels: int, mean: float) -> Distribution:
    """An average rating: its mass on the two neighbouring levels, so that the mean is kept.

    Args:
        mean: in [0, num_levels - 1]; levels are numbered from 0.
    """
    assert 0 <= mean <= num_levels - 1, f"{mean} on a scale of {num_levels} levels"
    low = min(int(mean), num_levels - 2)
    upper = mean - low
    return tuple({low: 1 - upper, low + 1: upper}.get(k, 0.0) for k in range(num_levels))


def exact(weights: Sequence[float]) -> Distribution:
    """A distribution that was computed: shares of weights, nothing smoothed."""
    assert all(weight >= 0 for weight in weights) and sum(weights) > 0, f"no weight: {weights!r}"
    return _normalised(weights)


def _normalised(weights: Sequence[float]) -> Distribution:
    total = math.fsum(weights)
    return tuple(weight / total for weight in weights)
