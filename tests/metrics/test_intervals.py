"""Intervals against published figures, their defining equations and exact enumeration."""

from itertools import product

import numpy as np
import pytest

from steelyard.errors import ShapeError
from steelyard.metrics.intervals import bootstrap_interval, wilson_interval


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [  # Newcombe (1998), Statistics in Medicine 17, 857-872, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_intervals(successes, n, low, high):
    assert wilson_interval(successes, n) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("n", [1, 2, 7, 300])
def test_wilson_bounds_solve_the_score_equation(n):
    z = 1.6448536269514722  # of 90 %
    for successes in range(n + 1):
        low, high = wilson_interval(successes, n, level=0.9)
        assert 0 <= low <= successes / n <= high <= 1
        for p in (low, high):
            if 0 < p < 1:
                assert abs(successes / n - p) == pytest.approx(z * (p * (1 - p) / n) ** 0.5)


def test_wilson_is_exact_at_the_ends_and_knows_nothing_without_trials():
    assert wilson_interval(0, 3)[0] == 0.0
    assert wilson_interval(3, 3)[1] == 1.0
    assert wilson_interval(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("arguments", [(-1, 3), (4, 3), (1, 3, 0.0), (1, 3, 1.0), (1, 3, 95)])
def test_wilson_refuses_the_impossible(arguments):
    with pytest.raises(ShapeError):
        wilson_interval(*arguments)


def test_bootstrap_draws_the_distribution_that_enumeration_gives():
    values = np.array([0.0, 1.0, 5.0])
    means = [np.mean(draw) for draw in product(values, repeat=3)]  # all 27 resamples
    expected = np.quantile(means, [0.1, 0.9])
    assert bootstrap_interval(values, draws=4000, level=0.8) == pytest.approx(expected, abs=0.34)

    sizes = [[0.0, 0.0, 3.0], [1.0]]  # groups of unequal size: 3 rows or 1 row at a time
    groups = np.array(["a", "a", "a", "b"])
    means = [np.mean(one + two) for one, two in product(sizes, repeat=2)]
    low, high = bootstrap_interval(np.array(sizes[0] + sizes[1]), groups, draws=200, level=0.99)
    assert (low, high) == (min(means), max(means))


def test_repeated_rows_of_a_group_are_no_new_evidence():
    rng = np.random.default_rng(1)
    values = rng.normal(size=40)
    groups = np.arange(40)
    once = bootstrap_interval(values, groups)
    tenfold = bootstrap_interval(np.tile(values, 10), np.tile(groups, 10))
    naive = bootstrap_interval(np.tile(values, 10))
    assert tenfold == pytest.approx(once)
    assert naive[1] - naive[0] < 0.5 * (once[1] - once[0])


def test_bootstrap_of_a_mean_has_the_width_of_the_normal_theory():
    values = np.random.default_rng(2).normal(size=400)
    low, high = bootstrap_interval(values, draws=2000)
    assert high - low == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.08)  # 4 sigma of 2000
    assert low < values.mean() < high


def test_bootstrap_depends_on_the_seed_and_on_nothing_else():
    values = np.random.default_rng(3).random(30)
    groups = np.arange(30) // 3
    first = bootstrap_interval(values, groups, seed=4)
    order = np.random.default_rng(5).permutation(30)
    assert bootstrap_interval(values, groups, seed=4) == first
    assert bootstrap_interval(values[order], groups[order], seed=4) == pytest.approx(first)
    assert bootstrap_interval(values, groups, seed=5) != first


def test_a_statistic_may_read_several_columns():
    pairs = np.random.default_rng(6).random((50, 2))
    low, high = bootstrap_interval(pairs, statistic=lambda rows: (rows[:, 0] - rows[:, 1]).mean())
    assert (low, high) == bootstrap_interval(pairs[:, 0] - pairs[:, 1])


def test_bootstrap_intervals_cover_what_they_promise():
    rng = np.random.default_rng(7)
    covered = 0
    for seed in range(100):
        truth_per_group = rng.normal(size=40)  # 3 rows share each, so rows are dependent
        values = (truth_per_group[:, None] + 0.1 * rng.normal(size=(40, 3))).ravel()
        low, high = bootstrap_interval(
            values, np.repeat(np.arange(40), 3), draws=200, level=0.9, seed=seed
        )
        covered += low <= 0 <= high
    assert 80 <= covered <= 97  # 90 +- 3 sigma, and a little less for few groups


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"groups": np.zeros(4)}, "groups"),
        ({"groups": np.arange(3)}, "groups"),
        ({"values": np.float64(1)}, "values"),
        ({"values": np.array([])}, "groups"),
        ({"level": 1.0}, "level"),
        ({"draws": 0}, "draws"),
    ],
)
def test_bootstrap_refuses_the_impossible(changes, field):
    with pytest.raises(ShapeError, match="allowed") as caught:
        bootstrap_interval(**{"values": np.arange(4.0)} | changes)
    assert caught.value.field == field
