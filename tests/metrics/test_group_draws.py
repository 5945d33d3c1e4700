"""Draws of groups all at once give what draws one after another give."""

import numpy as np
import pytest

from steelyard.errors import ShapeError
from steelyard.metrics.group_draws import draw_groups, percentiles
from steelyard.metrics.intervals import bootstrap_interval


def test_sums_are_those_of_the_rows_of_the_groups_drawn():
    groups = np.array(["a", "a", "b", "c", "c", "c"])
    values = np.array([1.0, 2.0, 10.0, 100.0, 200.0, 300.0])
    draws = draw_groups(groups, draws=50, seed=3)
    assert draws.times.sum(axis=1).tolist() == [3] * 50
    wanted = draws.times @ np.array([3.0, 10.0, 600.0])
    assert draws.sums(values) == pytest.approx(wanted)
    assert draws.means(values) == pytest.approx(wanted / (draws.times @ np.array([2.0, 1.0, 3.0])))
    both = draws.sums(np.stack([values, -values], axis=1))
    assert both.shape == (50, 2) and both[:, 1] == pytest.approx(-wanted)


def test_the_interval_is_that_of_the_bootstrap_one_by_one():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 60, 300)
    values = rng.normal(size=300) + groups / 30
    fast = percentiles(draw_groups(groups, draws=4000).means(values))
    slow = bootstrap_interval(values, groups, draws=4000)
    assert fast == pytest.approx(slow, abs=0.02)


def test_one_group_says_nothing():
    with pytest.raises(ShapeError, match="1 groups; allowed: two or more"):
        draw_groups(np.array(["a", "a"]))
