"""A bootstrap over groups whose statistics are ratios of sums: all draws at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import ShapeError


@dataclass(frozen=True, slots=True, eq=False)
class GroupDraws:
    """Resamples of whole groups, with replacement, as in `bootstrap_interval`.

    Attributes:
        group_of_row: (n,), which group each row is in.
        times: (draws, groups), how often each draw takes each group.
    """

    group_of_row: np.ndarray
    times: np.ndarray

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Sums of rows (n,) or (n, k) over each draw: (draws,) or (draws, k)."""
        columns = np.asarray(values, dtype=np.float64).reshape(len(values), -1)
        num_groups = self.times.shape[1]
        by_group = np.stack(
            [
                np.bincount(self.group_of_row, weights=one, minlength=num_groups)
                for one in columns.T
            ],
            axis=1,
        )  # (groups, k)
        drawn: np.ndarray = self.times @ by_group
        return drawn.reshape(len(drawn), *np.shape(values)[1:])

    def counts(self) -> np.ndarray:
        """How many rows each draw has: (draws,)."""
        return self.sums(np.ones(len(self.group_of_row)))

    def means(self, values: np.ndarray) -> np.ndarray:
        """Means of rows (n,) over each draw."""
        means: np.ndarray = self.sums(values) / self.counts()
        return means


def draw_groups(groups: np.ndarray, draws: int = 2000, seed: int = 0) -> GroupDraws:
    """As many groups as there are, drawn with replacement, `draws` times.

    Args:
        groups: (n,), labels of any sortable kind.
        seed: same seed, same draws.
    Raises:
        ShapeError: fewer than two groups: one says nothing about the spread.
    """
    names, group_of_row = np.unique(np.asarray(groups), return_inverse=True)
    if len(names) < 2:
        raise ShapeError(f"{len(names)} groups; allowed: two or more", field="groups")
    shares = np.full(len(names), 1 / len(names))
    times = np.random.default_rng(seed).multinomial(len(names), shares, size=draws)
    return GroupDraws(group_of_row, times.astype(np.float64))


def percentiles(figures: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    """The interval that holds `level` of the draws, the rest shared between both ends."""
    low, high = np.quantile(figures, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
