"""Bounds against scipy, rules against worked values, guarantees against known truths."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from scipy.stats import beta, binom
from support.forecasts import readings

from steelyard.calibration.actions import ActionRule, Thresholds, fit_actions
from steelyard.calibration.bounds import (
    binomial_cdf,
    binomial_p_value,
    clopper_pearson_upper,
    hoeffding_bentkus,
    rows_needed,
)
from steelyard.calibration.exit_threshold import fit_exit_threshold
from steelyard.calibration.risk import conformal_risk_control, fixed_sequence
from steelyard.calibration.selective import (
    Select,
    SelectiveThreshold,
    ltt_threshold,
    scan_rows_needed,
    scan_threshold,
)
from steelyard.calibration.slots import Slot
from steelyard.errors import CapabilityError, ShapeError, TooFewRowsError
from steelyard.readout.scores import softmax

# -- bounds -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "n", "p"), [(0, 5, 0.3), (3, 7, 0.5), (40, 900, 0.05), (9, 9, 0.9)])
def test_the_binomial_distribution_is_that_of_scipy(k: int, n: int, p: float) -> None:
    assert binomial_cdf(k, n, p) == pytest.approx(binom.cdf(k, n, p), rel=1e-9)


def test_the_binomial_distribution_at_its_ends() -> None:
    assert (binomial_cdf(-1, 5, 0.5), binomial_cdf(5, 5, 0.5)) == (0.0, 1.0)
    assert (binomial_cdf(2, 5, 0.0), binomial_cdf(2, 5, 1.0)) == (1.0, 0.0)


@pytest.mark.parametrize(("errors", "n"), [(0, 10), (3, 50), (20, 400), (49, 50)])
def test_the_upper_bound_is_clopper_and_pearson_s(errors: int, n: int) -> None:
    wanted = beta.ppf(0.95, errors + 1, n - errors)
    assert clopper_pearson_upper(errors, n, 0.05) == pytest.approx(wanted, rel=1e-9)


def test_all_wrong_may_be_all_wrong() -> None:
    assert clopper_pearson_upper(7, 7, 0.05) == 1.0


def test_hoeffding_and_bentkus_of_a_worked_example() -> None:
    # n = 100, R = .02, alpha = .1
    h = 0.02 * log(0.2) + 0.98 * log(0.98 / 0.9)
    wanted = min(exp(-100 * h), exp(1) * binom.cdf(2, 100, 0.1))
    assert hoeffding_bentkus(0.02, 100, 0.1) == pytest.approx(wanted, rel=1e-9)
    assert hoeffding_bentkus(0.1, 100, 0.1) == hoeffding_bentkus(0.5, 100, 0.1) == 1.0
    assert hoeffding_bentkus(0.0, 100, 0.1) == pytest.approx(0.9**100, rel=1e-9)


def test_the_exact_p_value_is_never_above_that_for_any_loss() -> None:
    for errors in range(0, 40, 3):
        exact = binomial_p_value(errors, 200, 0.1)
        assert exact <= hoeffding_bentkus(errors / 200, 200, 0.1) + 1e-12


def test_p_values_of_the_worst_allowed_risk_are_seldom_small() -> None:
    counts = np.arange(301)
    chances = binom.pmf(counts, 300, 0.05)  # the null at its edge, exactly
    for level in (0.01, 0.05, 0.2):
        small = [hoeffding_bentkus(k / 300, 300, 0.05) <= level for k in counts]
        exact = [binomial_p_value(int(k), 300, 0.05) <= level for k in counts]
        assert chances[small].sum() <= chances[exact].sum() <= level


@pytest.mark.parametrize(("alpha", "delta", "n"), [(0.01, 0.05, 299), (0.05, 0.05, 59)])
def test_rows_needed_without_an_error(alpha: float, delta: float, n: int) -> None:
    assert rows_needed(alpha, delta) == n
    assert binomial_p_value(0, n, alpha) <= delta < binomial_p_value(0, n - 1, alpha)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: clopper_pearson_upper(3, 2, 0.1), "errors: 3 of 2; allowed: 0 to n"),
        (lambda: clopper_pearson_upper(1, 2, 0.0), "level: got 0"),
        (lambda: hoeffding_bentkus(1.5, 2, 0.1), "mean: got 1"),
        (lambda: fixed_sequence([0.1], 0.0), "delta: got 0"),
        (lambda: fixed_sequence([0.1], 0.1, (1,)), r"starts: got \[1\]; allowed"),
        (lambda: conformal_risk_control(np.array([[0.0, 1.0]]), 0.9), "row 0 rises"),
        (lambda: conformal_risk_control(np.zeros(3), 0.5), "losses: shape"),
        (lambda: conformal_risk_control(np.ones((9, 2)), 0.5), "the last parameter still has"),
    ],
)
def test_impossible_numbers_are_refused(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ShapeError, match=message):
        call()


# -- choosing a parameter -----------------------------------------------------------------------


def test_a_sequence_ends_at_its_first_failure() -> None:
    assert fixed_sequence([0.01, 0.04, 0.2, 0.0], 0.05) == [0, 1]
    assert fixed_sequence([0.2, 0.0], 0.05) == []
    assert fixed_sequence([0.2, 0.02, 0.03, 0.01], 0.05, starts=(0, 1)) == [1]
    assert fixed_sequence([0.2, 0.02, 0.02, 0.01], 0.05, starts=(0, 1)) == [1, 2, 3]


def test_risk_control_of_a_worked_example() -> None:
    losses = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 0], [1, 0, 0, 0]], dtype=float)
    # sums 4, 2, 1, 0; with B = 1 over n + 1 = 5: 1, .6, .4, .2
    assert [conformal_risk_control(losses, a) for a in (1.0, 0.6, 0.5, 0.4, 0.2)] == [0, 1, 2, 2, 3]
    with pytest.raises(TooFewRowsError, match="4 rows; needed: 9"):
        conformal_risk_control(losses, 0.1)


def test_risk_control_holds_on_average() -> None:
    random = np.random.default_rng(0)
    grid = np.linspace(0, 1, 101)
    risks = []
    for _ in range(150):  # loss = 1 where the parameter is below a uniform draw: risk 1 - lambda
        losses = (random.random((60, 1)) > grid).astype(float)
        risks.append(1 - grid[conformal_risk_control(losses, 0.15)])
    assert np.mean(risks) <= 0.15 + 3 * np.std(risks) / np.sqrt(150)
    assert np.mean(risks) > 0.1  # and it is not idle


# -- selective answers --------------------------------------------------------------------------


def sample(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Confidences from .5 to 1, right with probability conf^2: too sure everywhere."""
    random = np.random.default_rng(seed)
    confidences = random.uniform(0.5, 1.0, size=n)
    return confidences, random.random(n) < confidences**2


def true_risk(threshold: float) -> float:
    """1 - E[c^2 | c > t] for c uniform on (t, 1)."""
    low = max(threshold, 0.5)
    return 1 - (1 - low**3) / (3 * (1 - low))


@pytest.mark.parametrize("select", [scan_threshold, ltt_threshold])
def test_the_bound_is_broken_no_more_often_than_stated(select: Select) -> None:
    broken = _broken(select, seeds=40, n=800)
    assert broken <= binom.ppf(0.999, 40, 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("select", [scan_threshold, ltt_threshold])
def test_the_bound_is_broken_no_more_often_than_stated_over_many_samples(select: Select) -> None:
    broken = _broken(select, seeds=600, n=800)
    assert broken <= binom.ppf(0.999, 600, 0.1)


def _broken(select: Select, seeds: int, n: int) -> int:
    found = [select(*sample(n, seed), risk=0.2, delta=0.1) for seed in range(seeds)]
    thresholds = [one.threshold for one in found if one.threshold is not None]
    assert len(thresholds) > seeds / 3  # the rule does find something
    return sum(true_risk(threshold) > 0.2 for threshold in thresholds)


@pytest.mark.parametrize("select", [scan_threshold, ltt_threshold])
def test_a_perfect_model_is_always_accepted_and_a_blind_one_never(select: Select) -> None:
    confidences, _ = sample(500, 0)
    everything = select(confidences, np.ones(500), risk=0.05)
    assert everything.coverage == 1.0 and everything.accepts(0.501)
    nothing = select(confidences, np.zeros(500), risk=0.05)
    assert nothing.threshold is None and not nothing.accepts(1.0)
    assert (nothing.accepted, nothing.coverage) == (0, 0.0)


def test_what_is_accepted_is_strictly_above_the_threshold() -> None:
    confidences = np.repeat([0.9, 0.6], [100, 100])
    found = scan_threshold(confidences, np.repeat([1, 0], [100, 100]), risk=0.1)
    assert found.threshold == 0.6 and (found.accepted, found.errors) == (100, 0)
    assert found.accepts(0.61) and not found.accepts(0.6)


def test_too_few_rows_for_a_bound_are_refused_with_the_number() -> None:
    needed = scan_rows_needed(0.05, 0.05)
    assert needed == rows_needed(0.05, 0.05 / 7)  # 97: ceil(log2 97) = 7
    ones = np.ones(needed)
    assert scan_threshold(ones, ones, risk=0.05).coverage == 1.0
    with pytest.raises(TooFewRowsError, match=f"{needed - 1} rows; needed: {needed}"):
        scan_threshold(ones[1:], ones[1:], risk=0.05)
    with pytest.raises(TooFewRowsError, match="89 rows; needed: 90"):
        ltt_threshold(ones[:89], ones[:89], risk=0.05)


def test_confidences_and_outcomes_are_checked() -> None:
    for confidences, right in (([0.0], [1]), ([0.5], [0.5]), ([0.5, 0.6], [1])):
        with pytest.raises(ShapeError):
            scan_threshold(np.array(confidences), np.array(right), risk=0.1)


# -- exits --------------------------------------------------------------------------------------


def depths(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two exits that agree with full depth with probability 1 - (1 - confidence) / 4."""
    random = np.random.default_rng(seed)
    confidences = random.uniform(0.5, 1.0, size=(n, 2))
    agree = random.random((n, 2)) < 1 - (1 - confidences) / 4
    return confidences, np.column_stack([np.where(agree, 1, 0), np.ones(n, dtype=int)])


def true_disagreement(threshold: float) -> float:
    """Of the joint rule: confidences are uniform on (.5, 1), independent."""
    share = 2 * (1 - threshold)  # leaves at an exit
    wrong = (1 - threshold) / 2 / 4  # mean over those that leave
    return (share + (1 - share) * share) * wrong


def test_the_share_that_differs_is_broken_no_more_often_than_stated() -> None:
    broken = _differing(seeds=30)
    assert broken <= binom.ppf(0.999, 30, 0.1)


@pytest.mark.slow
def test_the_share_that_differs_over_many_samples() -> None:
    assert _differing(seeds=1500) <= binom.ppf(0.999, 1500, 0.1)


def _differing(seeds: int) -> int:
    found = [
        fit_exit_threshold(*depths(500, seed), disagreement=0.03, delta=0.1)
        for seed in range(seeds)
    ]
    thresholds = [one.threshold for one in found if one.threshold is not None]
    assert np.mean(thresholds) < 0.95
    return sum(true_disagreement(threshold) > 0.03 for threshold in thresholds)


def test_the_rule_is_the_engine_s_first_exit_that_is_sure() -> None:
    confidences = np.tile([[0.6, 0.9], [0.9, 0.2], [0.2, 0.2]], (100, 1))
    decisions = np.tile([[5, 1, 1], [2, 5, 2], [5, 5, 3]], (100, 1))
    found = fit_exit_threshold(confidences, decisions)
    assert found.exits == (100, 100, 100) and found.differing == 0
    assert found.threshold == pytest.approx(0.605)


def test_exits_that_never_agree_are_never_used() -> None:
    decisions = np.column_stack([np.zeros(300, dtype=int), np.ones(300, dtype=int)])
    found = fit_exit_threshold(np.ones((300, 1)), decisions)
    assert found.threshold is None and found.exits == (0, 300)
    with pytest.raises(TooFewRowsError, match="298 rows; needed: 299"):
        fit_exit_threshold(np.ones((298, 1)), decisions[:298])
    with pytest.raises(ShapeError, match="decisions: shape"):
        fit_exit_threshold(np.ones((300, 2)), decisions)


# -- act, ask, escalate -------------------------------------------------------------------------


def _threshold(at: float | None) -> SelectiveThreshold:
    return SelectiveThreshold(threshold=at, risk=0.1, delta=0.1, rows=100, accepted=50, errors=0)


def test_confidence_decides_among_three_actions() -> None:
    rule = ActionRule({Slot(8, "choice", 1, None): Thresholds(_threshold(0.9), _threshold(0.6))})
    found = [
        rule.action(np.array([top, 1 - top]), kind="choice", exit_layer=8)
        for top in (0.95, 0.9, 0.7, 0.6)
    ]
    assert found == ["act", "ask", "ask", "escalate"]
    with pytest.raises(CapabilityError, match="for noul of 2 options at layer 8; fitted: choice"):
        rule.action(np.array([0.5, 0.5]), kind="noul", exit_layer=8)
    shut = ActionRule({Slot(8, "choice", 1, None): Thresholds(_threshold(None), _threshold(None))})
    assert shut.action(np.array([1.0]), kind="choice", exit_layer=8) == "escalate"


def test_actions_are_fitted_slot_by_slot() -> None:
    rows = readings(600, options=(3,), spread=4.0) + readings(600, options=(12,), seed=1)
    forecasts = [softmax(one.scores) for one in rows]
    rule = fit_actions(rows, forecasts, act_risk=0.05, ask_risk=0.2)
    assert [str(slot) for slot in rule.slots] == [
        "choice of 3 to 5 options at layer 8",
        "choice of 11 or more options at layer 8",
    ]
    for thresholds in rule.slots.values():
        assert thresholds.act.delta == thresholds.ask.delta == 0.025
        assert thresholds.act.coverage <= thresholds.ask.coverage
    easy, hard = rule.slots.values()
    assert easy.act.coverage > hard.act.coverage
    with pytest.raises(ShapeError, match="allowed: 0 < act < ask < 1"):
        fit_actions(rows, forecasts, act_risk=0.2, ask_risk=0.1)
    with pytest.raises(TooFewRowsError):
        fit_actions(rows[:20], forecasts[:20], act_risk=0.05, ask_risk=0.2)
