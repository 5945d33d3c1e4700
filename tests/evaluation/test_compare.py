"""Paired differences, by hand and against bootstraps one draw at a time."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t
from support.predictions import prediction

from steelyard.errors import InputFileError, TooFewRowsError
from steelyard.evaluation.compare import MIN_ROWS, Difference, compare, figures
from steelyard.evaluation.retrain_noise import T_975, Noise, retrain_noise
from steelyard.metrics.intervals import bootstrap_interval
from steelyard.metrics.reliability import expected_calibration_error


def run_of(right, *, groups=None, suite="s", sure=0.8):
    """Answers to nouls of which these are right."""
    return [
        prediction(
            number,
            (sure, 1 - sure) if hit else (1 - sure, sure),
            (1.0, 0.0),
            kind="noul",
            group=None if groups is None else f"g{groups[number]}",
            suite=suite,
        )
        for number, hit in enumerate(right)
    ]


def whole(found):
    return {one.measure: one for one in found.compared[0].differences}


def test_a_difference_is_paired_and_draws_groups():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 25, 200)
    a = run_of(rng.random(200) < 0.6, groups=groups)
    b = run_of(rng.random(200) < 0.8, groups=groups, sure=0.7)
    found = compare({"s": a}, {"s": b})
    first = found.compared[0]
    assert (first.suite, first.name, first.n, first.groups) == ("s", "", 200, 25)
    assert (found.only_a, found.only_b) == (0, 0)
    accuracy = whole(found)["accuracy"]
    hits = np.array([[x.probabilities[0] > 0.5 for x in side] for side in (a, b)]).T
    assert accuracy.value == pytest.approx(hits[:, 1].mean() - hits[:, 0].mean())
    slow = bootstrap_interval(
        hits, groups, lambda rows: rows[:, 1].mean() - rows[:, 0].mean(), draws=2000
    )
    assert accuracy.interval == pytest.approx(slow, abs=0.02)
    assert accuracy.verdict == "B better"


def test_the_calibration_error_of_each_draw_is_that_of_its_rows():
    # unsure and always right, or sure and right half of the time: bins must not cancel
    rng = np.random.default_rng(1)
    a = run_of(rng.random(80) < 0.7)
    unsure = rng.random(80) < 0.5
    b = [
        one if sure else other
        for sure, one, other in zip(
            ~unsure,
            run_of(rng.random(80) < 0.5, sure=0.95),
            run_of([1] * 80, sure=0.6),
            strict=True,
        )
    ]
    ece = whole(compare({"s": a}, {"s": b}))["ece"]
    sides = [
        np.array([(one.confidence, one.probabilities[0] > 0.5) for one in side]) for side in (a, b)
    ]
    assert ece.b == pytest.approx(expected_calibration_error(sides[1][:, 0], sides[1][:, 1]))
    rows = np.concatenate(sides, axis=1)

    def difference(drawn):
        return expected_calibration_error(drawn[:, 2], drawn[:, 3]) - expected_calibration_error(
            drawn[:, 0], drawn[:, 1]
        )

    assert ece.interval == pytest.approx(bootstrap_interval(rows, None, difference), abs=0.03)


def test_a_run_against_itself_shows_nothing():
    a = run_of([1, 0, 1, 1, 0, 1])
    for one in whole(compare({"s": a}, {"s": a})).values():
        assert (one.value, one.interval, one.verdict) == (0, (0, 0), "not shown")


@pytest.mark.parametrize(
    ("measure", "value", "verdict"),
    [("accuracy", 0.1, "B better"), ("nll", 0.1, "A better"), ("ece", -0.1, "B better")],
)
def test_what_is_better_depends_on_the_measure(measure, value, verdict):
    interval = (min(value / 2, value * 2), max(value / 2, value * 2))
    one = Difference(
        measure=measure, a=0.5, b=0.5 + value, value=value, interval=interval, noise=None
    )
    assert one.verdict == verdict
    assert replace(one, interval=(-0.01, 0.3)).verdict == "not shown"
    assert replace(one, interval=None).verdict == "not shown"
    assert replace(one, noise=0.2).verdict == "within retrain noise"
    assert replace(one, noise=0.05).verdict == verdict


def test_only_shared_questions_count_and_targets_must_agree():
    a, b = run_of([1, 0, 1, 1]), run_of([1, 1, 1, 1, 1])
    found = compare({"s": a, "other": run_of([1, 1], suite="other")}, {"s": b})
    assert found.compared[0].n == 4
    assert (found.only_a, found.only_b) == (2, 1)
    with pytest.raises(InputFileError, match="share no question"):
        compare({"s": a}, {"t": b})
    with pytest.raises(InputFileError, match="two targets"):
        compare({"s": a}, {"s": [replace(b[0], target=(0.0, 1.0))]})


def test_slices_are_compared_where_they_have_enough_rows():
    a = run_of([1, 0] * MIN_ROWS)
    a = [replace(one, source="s/big" if n < MIN_ROWS else "s/small") for n, one in enumerate(a)]
    found = compare({"s": a[: MIN_ROWS + 5]}, {"s": a})
    assert [(one.name, one.part) for one in found.compared] == [("", ""), ("source", "s/big")]


def test_scores_have_the_ranked_score_too():
    scores = [prediction(0, (0.5, 0.3, 0.2), (0.0, 1.0, 0.0), kind="score")]
    assert figures({"s": scores})["s", "", ""]["rps"] == pytest.approx((0.25 + 0.04) / 2)
    assert "rps" not in figures({"s": run_of([1])})["s", "", ""]


def test_noise_is_what_two_runs_of_a_recipe_differ_by():
    values = [0.70, 0.74, 0.69, 0.72]
    runs = [{"s": {"accuracy": value, "nll": 1.0}, f"only{value}": {}} for value in values]
    found = retrain_noise(runs)
    assert set(found) == {("s", "accuracy"), ("s", "nll")}
    noise = found["s", "accuracy"]
    assert noise.deviation == pytest.approx(np.std(values, ddof=1))
    assert noise.range == pytest.approx(t.ppf(0.975, 3) * 2**0.5 * noise.deviation, rel=1e-3)
    assert found["s", "nll"].range == 0
    with pytest.raises(TooFewRowsError, match="1 rows; needed: 2"):
        retrain_noise(runs[:1])


def test_a_difference_that_seeds_show_too_is_noise():
    a, b = run_of([1, 0] * 50), run_of([1] * 100)
    plain = whole(compare({"s": a}, {"s": b}))["accuracy"]
    assert (plain.verdict, plain.noise) == ("B better", None)
    noise = retrain_noise([figures({"s": a}), figures({"s": b})])
    assert whole(compare({"s": a}, {"s": b}, noise=noise))["accuracy"].verdict == (
        "within retrain noise"
    )


def test_the_quantiles_are_students():
    assert pytest.approx([t.ppf(0.975, n + 1) for n in range(len(T_975))], abs=6e-4) == list(T_975)
    assert Noise(100, 1.0).range == pytest.approx(T_975[-1] * 2**0.5)
