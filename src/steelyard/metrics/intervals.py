"""Intervals around a measured figure: what the sample leaves open."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from statistics import NormalDist

import numpy as np

from steelyard.errors import ShapeError


def wilson_interval(successes: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Interval for the probability behind `successes` of `n` independent trials (Wilson 1927).

    The set of p for which the normal approximation *at p* does not reject the observed share.
    Unlike the usual interval around the share it stays inside [0, 1] and keeps its coverage near
    both ends.

    Args:
        successes: 0 to n.
        n: number of trials; with 0 nothing is known and the answer is (0, 1).
        level: coverage, strictly between 0 and 1.
    Returns:
        (low, high), 0 <= low <= successes/n <= high <= 1.
    Raises:
        ShapeError: the counts or the level are impossible.
    """
    _check_level(level)
    if not 0 <= successes <= n:
        raise ShapeError(f"{successes} of {n}; allowed: 0 to n", field="successes")
    if n == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    p = successes / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(p * (1 - p) / n + (z / (2 * n)) ** 2) / (1 + z * z / n)
    # at both ends one bound is exact, and the formula is off by its rounding
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == n else centre + half
    return low, high


def bootstrap_interval(
    values: np.ndarray,
    groups: np.ndarray | None = None,
    statistic: Callable[[np.ndarray], float] = np.mean,
    draws: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, float]:
    """Percentile interval of a statistic when whole groups are drawn with replacement (Efron 1979).

    Rows that share a state, a source document or a paraphrase are not independent; drawing rows
    would count one piece of evidence many times and give an interval that is too narrow. So each
    draw takes as many groups as there are, with replacement, and all rows of a group each time it
    is taken; the number of rows varies between draws. With few groups (say below 20) percentile
    intervals are still somewhat too narrow.

    Args:
        values: (n,) or (n, ...): one entry per row; further axes hold what `statistic` needs, such
            as the two sides of a paired comparison.
        groups: (n,) labels of any sortable kind, or None: every row is its own group.
        statistic: figure of resampled rows (m, ...), whatever their order.
        draws: number of resamples.
        level: coverage, strictly between 0 and 1.
        seed: same seed, same interval.
    Returns:
        (low, high): the (1 - level)/2 and (1 + level)/2 quantiles over the draws.
    Raises:
        ShapeError: `groups` does not fit `values`, there are fewer than two groups, or the level or
            the number of draws is impossible.
    """
    _check_level(level)
    if draws < 1:
        raise ShapeError(f"{draws}; allowed: 1 or more", field="draws")
    values = np.asarray(values)
    if values.ndim == 0:
        raise ShapeError("a single number; allowed: one entry per row", field="values")
    groups = np.arange(len(values)) if groups is None else np.asarray(groups)
    if groups.shape != (len(values),):
        raise ShapeError(f"shape {groups.shape}; allowed: ({len(values)},)", field="groups")
    names, group_of_row = np.unique(groups, return_inverse=True)
    if len(names) < 2:
        raise ShapeError(
            f"{len(names)} groups; allowed: two or more, one says nothing about the spread",
            field="groups",
        )
    rng = np.random.default_rng(seed)
    figures = np.empty(draws)
    for draw in range(draws):
        drawn = rng.integers(len(names), size=len(names))
        times = np.bincount(drawn, minlength=len(names))  # (groups,)
        figures[draw] = statistic(np.repeat(values, times[group_of_row], axis=0))
    low, high = np.quantile(figures, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ShapeError(f"{level}; allowed: strictly between 0 and 1", field="level")
