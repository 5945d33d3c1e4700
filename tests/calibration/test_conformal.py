"""Conformal sets: worked values, their form, and their coverage against its exact law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import betabinom
from support.forecasts import readings

from steelyard.calibration.conformal import (
    ConformalSets,
    Cut,
    conformal_quantile,
    fit_conformal,
    rows_needed,
)
from steelyard.calibration.nonconformity import STRANGENESS, aps, interval, lac, raps
from steelyard.calibration.readings import Reading
from steelyard.calibration.slots import ANY_COUNT, Slot
from steelyard.errors import CapabilityError, ShapeError, TooFewRowsError
from steelyard.readout.scores import softmax

P = np.array([0.1, 0.5, 0.15, 0.25])


def raw(rows: Sequence[Reading]) -> list[np.ndarray]:
    """Probabilities that are far too sure: coverage must not depend on them."""
    return [softmax(1.5 * one.scores) for one in rows]


def covered(sets: ConformalSets, rows: Sequence[Reading], *, allow_empty: bool, seed: int) -> int:
    random = np.random.default_rng(seed)
    hits = 0
    for one, p in zip(rows, raw(rows), strict=True):
        u = random.random() if sets.randomised else None
        inside = sets.options(p, kind=one.kind, exit_layer=8, u=u, allow_empty=allow_empty)
        hits += one.label in inside
    return hits


def test_strangeness_of_a_worked_example() -> None:
    np.testing.assert_allclose(lac(P), [0.9, 0.5, 0.85, 0.75])
    np.testing.assert_allclose(aps(P), [1.0, 0.5, 0.9, 0.75])
    np.testing.assert_allclose(aps(P, 0.5), [0.95, 0.25, 0.825, 0.625])
    np.testing.assert_allclose(raps(P), aps(P))  # no set of more than five can be
    wide = np.full(7, 1 / 7)
    np.testing.assert_allclose(raps(wide) - aps(wide), [0, 0, 0, 0, 0, 0.01, 0.02])
    # from level 1 to the heavier neighbour 2, then 3 before 0
    np.testing.assert_allclose(interval(P), [1.0, 0.5, 0.65, 0.9])
    np.testing.assert_allclose(interval(np.array([0.3, 0.4, 0.3])), [0.7, 0.4, 1.0])


def test_every_set_of_a_score_is_an_interval() -> None:
    random = np.random.default_rng(0)
    for _ in range(100):
        p = random.dirichlet(np.full(random.integers(1, 11), 0.4))
        strange = interval(p)
        for cut in strange:
            inside = np.flatnonzero(strange <= cut)
            assert (np.diff(inside) == 1).all() and p.argmax() in inside


def test_the_threshold_is_the_right_order_statistic() -> None:
    values = np.arange(1.0, 20.0)[::-1]  # 19 of them: ceil(20 * .9) = 18
    assert conformal_quantile(values, 0.1) == 18.0
    assert conformal_quantile(values, 0.05) == 19.0
    with pytest.raises(TooFewRowsError, match=r"coverage of 0\.96: 19 rows; needed: 24"):
        conformal_quantile(values, 0.04)


@pytest.mark.parametrize(("alpha", "n"), [(0.1, 9), (0.05, 19), (0.01, 99), (0.3, 3), (0.5, 1)])
def test_rows_needed_are_one_over_alpha_less_one(alpha: float, n: int) -> None:
    assert rows_needed(alpha) == n
    conformal_quantile(np.zeros(n), alpha)


def _coverage(method: str, randomised: bool, seeds: int, fresh: int) -> tuple[int, int]:
    """How many fresh rows were covered, and fits whose coverage left its 99.99 % interval."""
    n, alpha, kind = 150, 0.2, "score" if method == "interval" else "choice"
    rank = int(np.ceil((n + 1) * (1 - alpha)))
    low, high = betabinom(fresh, rank, n + 1 - rank).interval(0.9999)
    hits = out = 0
    for seed in range(seeds):
        rows = readings(n + fresh, kind=kind, options=(5,), spread=1.2, seed=seed)
        sets = fit_conformal(
            rows[:n],
            raw(rows[:n]),
            method=method,
            alpha=alpha,
            randomised=randomised,
            seed=seed,
        )
        found = covered(sets, rows[n:], allow_empty=True, seed=1000 + seed)
        hits += found
        out += not low <= found <= high
    return hits, out


METHODS = [
    ("lac", False),
    ("aps", False),
    ("aps", True),
    ("raps", False),
    ("raps", True),
    ("interval", False),
]


@pytest.mark.parametrize(("method", "randomised"), METHODS)
def test_coverage_follows_its_beta_binomial_law(method: str, randomised: bool) -> None:
    hits, out = _coverage(method, randomised, seeds=6, fresh=100)
    assert out == 0
    # 6 fits of coverage .801 with a spread of .0325, and 600 rows: sd of the mean .021
    assert hits / 600 == pytest.approx(121 / 151, abs=0.08)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "randomised"), METHODS)
def test_coverage_over_many_fits_is_exact(method: str, randomised: bool) -> None:
    hits, out = _coverage(method, randomised, seeds=300, fresh=200)
    assert out <= 1  # 0.03 expected
    # a fit's coverage has sd .0325 and its 200 rows add .028: .043 / sqrt(300), four times
    assert hits / 60_000 == pytest.approx(121 / 151, abs=0.01)


def test_the_most_probable_option_is_always_in_unless_empty_sets_are_wanted() -> None:
    sets = ConformalSets("lac", False, 0.5, {Slot(8, "choice", 1, None): Cut(0.3, 100)})
    where = {"kind": "choice", "exit_layer": 8}
    assert sets.options(P, **where) == (1,)
    assert sets.options(P, **where, allow_empty=True) == ()
    assert sets.options(np.array([0.8, 0.2]), **where, allow_empty=True) == (0,)


def test_each_slot_has_its_own_threshold() -> None:
    easy = readings(200, options=(4,), spread=6.0)
    hard = readings(200, options=(12,), spread=0.5, seed=1)
    rows = easy + hard
    mondrian = fit_conformal(rows, raw(rows), method="lac", alpha=0.2)
    assert [cut.rows for cut in mondrian.cuts.values()] == [200, 200]
    pooled = fit_conformal(rows, raw(rows), method="lac", alpha=0.2, ranges=ANY_COUNT)
    fresh = readings(300, options=(12,), spread=0.5, seed=2)
    share = covered(mondrian, fresh, allow_empty=True, seed=0) / 300
    assert share == pytest.approx(0.8, abs=0.12)
    assert covered(pooled, fresh, allow_empty=True, seed=0) / 300 < share - 0.05


def test_one_row_of_a_group_counts() -> None:
    rows = [replace(one, group=f"g{index // 2}") for index, one in enumerate(readings(240))]
    sets = fit_conformal(rows, raw(rows), method="aps", alpha=0.1)
    assert [cut.rows for cut in sets.cuts.values()] == [120]
    with pytest.raises(TooFewRowsError, match=r"choice of 3 to 5 options.*: 99 rows; needed: 100"):
        fit_conformal(rows[:198], raw(rows[:198]), method="aps", alpha=0.1)
    with pytest.raises(TooFewRowsError, match="120 rows; needed: 199"):
        fit_conformal(rows, raw(rows), method="aps", alpha=0.005)


def test_what_was_not_fitted_has_no_set() -> None:
    rows = readings(120)
    sets = fit_conformal(rows, raw(rows), method="lac", alpha=0.1)
    with pytest.raises(CapabilityError, match="for noul of 2 options at layer 8; fitted: choice"):
        sets.options(np.array([0.5, 0.5]), kind="noul", exit_layer=8)


def test_a_wrong_request_is_refused() -> None:
    rows = readings(120)
    p = raw(rows)
    for wrong, message in (
        ({"method": "mass"}, "method: got 'mass'; allowed: lac, aps, raps, interval"),
        ({"method": "interval"}, "got interval for a choice"),
        ({"method": "lac", "randomised": True}, "nothing to randomise"),
        ({"method": "lac", "alpha": 1.0}, "alpha: got 1.0"),
    ):
        with pytest.raises(ShapeError, match=message):
            fit_conformal(rows, p, **({"alpha": 0.1} | wrong))  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="probabilities: allowed"):
        fit_conformal(rows, p[1:], method="lac", alpha=0.1)
    drawn = fit_conformal(rows, p, method="aps", alpha=0.1, randomised=True)
    with pytest.raises(ShapeError, match="u: got None; allowed: from 0"):
        drawn.options(p[0], kind="choice", exit_layer=8)
    assert set(STRANGENESS) == {"lac", "aps", "raps", "interval"}
