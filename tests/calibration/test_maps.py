"""Each map against an independent fit: scipy's optimisers, scikit-learn, and known truths."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp
from sklearn.calibration import _sigmoid_calibration
from sklearn.isotonic import IsotonicRegression
from support.forecasts import readings

from steelyard.calibration.exit_temperature import COLDEST, HOTTEST
from steelyard.calibration.isotonic import fit_isotonic, pooled
from steelyard.calibration.matrix import (
    BIAS,
    OFF_DIAGONAL,
    MatrixScaling,
    fit_dirichlet,
    fit_vector,
)
from steelyard.calibration.minimise import minimise
from steelyard.calibration.platt import fit_platt
from steelyard.calibration.readings import Reading, hardened
from steelyard.calibration.temperature import SmoothTemperature, fit_constant, fit_smooth
from steelyard.calibration.tied import RIDGE, fit_tied
from steelyard.errors import ShapeError
from steelyard.readout.scores import softmax


def loss_of(rows: list[Reading], logits: list[np.ndarray]) -> float:
    return float(
        np.mean([-(one.target @ log_softmax(z)) for one, z in zip(rows, logits, strict=True)])
    )


def with_temperature(one: Reading, heat: float) -> Reading:
    return Reading(
        kind=one.kind,
        scores=one.scores * heat,
        target=one.target,
        group=one.group,
        exit_layer=one.exit_layer,
    )


def test_the_minimum_is_the_one_that_scipy_finds() -> None:
    random = np.random.default_rng(0)
    a, b = random.normal(size=(30, 6)), random.normal(size=30)

    def value_and_slope(at: np.ndarray) -> tuple[float, np.ndarray]:
        raised = a @ at + b
        return float(logsumexp(raised)), a.T @ np.exp(raised - logsumexp(raised))

    found = minimise(value_and_slope, np.zeros(6))
    wanted = minimize(value_and_slope, np.zeros(6), jac=True, options={"gtol": 1e-10})
    np.testing.assert_allclose(found, wanted.x, atol=1e-6)


@pytest.mark.parametrize("soft", [True, False])
def test_a_temperature_is_recovered(soft: bool) -> None:
    rows = readings(2500, temperature=1.7, soft=soft, options=(3, 5))
    assert fit_constant(rows).temperature == pytest.approx(1.7, rel=1e-6 if soft else 0.08)


def test_a_temperature_that_grows_with_the_options_is_recovered() -> None:
    truth = SmoothTemperature(0.8, 0.5)
    rows = [
        with_temperature(one, truth.at(one.num_options))
        for one in readings(160, options=(2, 4, 9, 30), soft=True)
    ]
    found = fit_smooth(rows)
    assert (found.a, found.b) == pytest.approx((0.8, 0.5), abs=1e-5)
    assert found.at(100) == pytest.approx(0.8 + 0.5 * np.log(100), rel=1e-4)


def test_a_smooth_temperature_stays_within_the_bounds_of_any() -> None:
    assert SmoothTemperature(1.0, -5.0).at(255) == COLDEST
    assert SmoothTemperature(1.0, 50.0).at(255) == HOTTEST


def test_one_option_count_gives_the_constant() -> None:
    rows = readings(300, temperature=2.0)
    assert fit_smooth(rows) == SmoothTemperature(fit_constant(rows).temperature, 0.0)


def test_tied_scaling_takes_back_what_the_model_prefers_of_a_place() -> None:
    lean = np.array([1.0, 0.0, -0.5, -0.5, 0.0, 0.0])
    rows = [
        Reading(
            kind="choice",
            scores=2.0 * one.scores + lean[: one.num_options],
            target=one.target,
            group=one.group,
            exit_layer=8,
        )
        for one in readings(600, options=(4, 6), soft=True)
    ]
    found = fit_tied(rows)
    gaps = [abs(found(one.scores) - one.target).max() for one in rows]
    assert max(gaps) < 0.03  # the ridge holds the biases back a little

    def loss(at: np.ndarray) -> float:
        logits = [
            (at[0] + at[1] * np.log(one.num_options)) * one.scores + at[2 : 2 + one.num_options]
            for one in rows[:60]
        ]
        return loss_of(rows[:60], logits) + RIDGE / 2 * float(at[2:] @ at[2:])

    few = fit_tied(rows[:60])
    ours = np.array([few.a, few.c, *few.biases])
    best = minimize(loss, ours, options={"gtol": 1e-7})
    assert loss(ours) <= best.fun + 1e-9


@pytest.mark.parametrize("full", [False, True])
def test_matrix_scaling_is_the_optimum_of_its_loss(full: bool) -> None:
    rows = readings(200, kind="score", options=(3,), temperature=2.0, soft=True, spread=1.5)
    found = fit_dirichlet(rows) if full else fit_vector(rows)
    logs = [log_softmax(one.scores) for one in rows]
    weights = np.array(found.weights)
    assert full or (weights == np.diag(np.diag(weights))).all()

    def loss(weights: np.ndarray, bias: np.ndarray) -> float:
        off = weights - np.diag(np.diag(weights))
        penalty = OFF_DIAGONAL / 6 * (off**2).sum() + BIAS / 3 * (bias**2).sum()
        return loss_of(rows, [weights @ p + bias for p in logs]) + float(penalty)

    least = loss(weights, np.array(found.biases))
    random = np.random.default_rng(1)
    for _ in range(20):  # convex: no step anywhere goes down
        step, shift = random.normal(scale=1e-3, size=(3, 3)), random.normal(scale=1e-3, size=3)
        step = step if full else np.diag(np.diag(step))
        assert loss(weights + step, np.array(found.biases) + shift) > least


def test_a_dirichlet_map_is_recovered() -> None:
    truth = MatrixScaling(((1.2, 0.3, 0.0), (0.0, 0.7, 0.2), (0.1, 0.0, 1.0)), (0.3, 0.0, -0.3))
    rows = [
        Reading(kind="score", scores=one.scores, target=truth(one.scores), group="g", exit_layer=8)
        for one in readings(500, kind="score", options=(3,), spread=1.5)
    ]
    found = fit_dirichlet(rows)
    assert max(abs(found(one.scores) - one.target).max() for one in rows) < 0.01


def test_matrix_scaling_is_for_one_number_of_options() -> None:
    with pytest.raises(ShapeError, match=r"readings of \[3, 4\] options; allowed: one count"):
        fit_vector(readings(10, options=(3, 4)))
    with pytest.raises(ShapeError, match="2 options; allowed: 3"):
        fit_vector(readings(50, options=(3,)))(np.zeros(2))


def test_platt_is_the_sigmoid_of_scikit_learn() -> None:
    rows = readings(400, kind="noul", options=(2,), temperature=2.0)
    found = fit_platt(rows)
    odds = np.array([one.scores[0] - one.scores[1] for one in rows])
    yes = np.array([int(one.target[0]) for one in rows])
    a, b = _sigmoid_calibration(odds, yes)
    assert (found.slope, found.shift) == pytest.approx((-a, -b), abs=1e-3)


def test_platt_ends_where_scores_separate_the_answers() -> None:
    rows = [
        Reading(
            kind="noul",
            scores=np.array([sign * 3.0, 0.0]),
            target=np.array([sign > 0, sign < 0], dtype=np.float64),
            group=str(sign),
            exit_layer=8,
        )
        for sign in (1, -1)
    ] * 20
    assert fit_platt(rows)(np.array([3.0, 0.0]))[0] == pytest.approx(21 / 22, abs=1e-6)


def test_platt_turns_round_when_yes_and_no_do() -> None:
    rows = readings(300, kind="noul", options=(2,), temperature=2.0)
    turned = [
        Reading(
            kind="noul",
            scores=one.scores[::-1],
            target=one.target[::-1],
            group=one.group,
            exit_layer=8,
        )
        for one in rows
    ]
    found, other = fit_platt(rows), fit_platt(turned)
    assert (found.slope, found.shift) == pytest.approx((other.slope, -other.shift), abs=1e-6)


@pytest.mark.parametrize("rounded", [False, True])
def test_isotonic_is_that_of_scikit_learn(rounded: bool) -> None:
    rows = readings(300, kind="noul", options=(2,), temperature=2.0)
    if rounded:  # many rows at one place
        rows = [
            Reading(
                kind="noul",
                scores=one.scores.round(),
                target=one.target,
                group=one.group,
                exit_layer=8,
            )
            for one in rows
        ]
    odds = np.array([one.scores[0] - one.scores[1] for one in rows])
    theirs = IsotonicRegression(y_min=1 / 302, y_max=301 / 302, out_of_bounds="clip")
    theirs.fit(odds, [one.target[0] for one in rows])
    found = fit_isotonic(rows)
    places = np.linspace(-12, 12, 97)
    ours = [found(np.array([place, 0.0]))[0] for place in places]
    np.testing.assert_allclose(ours, theirs.predict(places), atol=1e-12)


def test_pooling_leaves_what_rises_and_averages_what_falls() -> None:
    values, weights = np.array([1.0, 3.0, 2.0, 4.0]), np.array([1.0, 1.0, 3.0, 1.0])
    np.testing.assert_allclose(pooled(values, weights), [1.0, 2.25, 2.25, 4.0])


def test_noul_maps_refuse_other_option_counts() -> None:
    for fit in (fit_platt, fit_isotonic):
        with pytest.raises(ShapeError, match=r"options: \[3\]; allowed: 2"):
            fit(readings(5, options=(3,)))


def test_hard_targets_stand_on_the_mode_and_are_shared_by_several() -> None:
    rows = readings(2, soft=True)
    even = Reading(
        kind="choice",
        scores=np.zeros(3),
        target=np.array([0.4, 0.2, 0.4]),
        group="g",
        exit_layer=8,
    )
    first, second = hardened([rows[0], even])
    assert first.target.max() == 1.0 and first.label == rows[0].label
    assert second.target.tolist() == [0.5, 0.0, 0.5]
    soft = softmax(rows[0].scores)
    np.testing.assert_allclose(rows[0].target, soft)
