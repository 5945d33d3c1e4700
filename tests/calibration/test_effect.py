"""Folds keep groups whole, and a gain is claimed only where the intervals part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from support.forecasts import readings

from steelyard.calibration.effect import Change, Figure, effect
from steelyard.calibration.folds import folds, out_of_fold
from steelyard.calibration.readings import Reading
from steelyard.calibration.slotted import SlottedCalibrator, fit_slotted
from steelyard.calibration.temperature import fit_constant
from steelyard.errors import ShapeError, TooFewRowsError
from steelyard.metrics.noise_floor import ece_noise_floor
from steelyard.metrics.reliability import expected_calibration_error
from steelyard.readout.scores import softmax


def fit(rows: Sequence[Reading]) -> SlottedCalibrator:
    return fit_slotted(rows, fit_constant)


def test_a_group_is_in_one_fold_and_folds_are_even() -> None:
    groups = [f"g{row // 3}" for row in range(69)]
    found = folds(groups)
    for group in set(groups):
        assert len({int(fold) for fold, of in zip(found, groups, strict=True) if of == group}) == 1
    sizes = np.bincount(found) // 3
    assert len(sizes) == 5 and sizes.max() - sizes.min() <= 1
    assert (folds(groups) == found).all() and (folds(groups, seed=1) != found).any()


def test_what_is_too_few_for_folds_is_refused() -> None:
    with pytest.raises(TooFewRowsError, match="4 rows; needed: 5"):
        folds(["a", "b", "c", "d", "a"])
    with pytest.raises(ShapeError, match="num_folds: got 1"):
        folds(["a", "b"], num_folds=1)


def test_a_row_s_own_group_does_not_teach_its_calibrator() -> None:
    rows = [replace(one, group=f"g{index // 2}") for index, one in enumerate(readings(300))]
    seen: list[set[str]] = []

    def watched(others: Sequence[Reading]) -> SlottedCalibrator:
        seen.append({one.group for one in others})
        return fit(others)

    found = out_of_fold(rows, watched)
    assert len(found) == len(rows) and len(seen) == 5
    fold_of = folds([one.group for one in rows])
    for one, fold in zip(rows, fold_of.tolist(), strict=True):
        assert one.group not in seen[fold]
    first = fit([one for one, fold in zip(rows, fold_of, strict=True) if fold != fold_of[0]])
    np.testing.assert_array_equal(
        found[0], first.apply(rows[0].scores, kind="choice", exit_layer=8)
    )


def test_a_real_gain_is_shown_and_none_is_not() -> None:
    for temperature, verdict in ((4.0, "better"), (1.0, "not shown")):
        rows = readings(400, temperature=temperature, kind="score")
        raw = [softmax(one.scores) for one in rows]
        found = effect(rows, raw, out_of_fold(rows, fit), draws=60)
        assert found.nll.verdict == found.ece.verdict == verdict
        assert found.rps is not None and found.floors is not None
        assert (found.rows, found.groups, found.kind) == (400, 400, "score")
        assert found.ece.after.value < 2.5 * found.floors[1]
    assert effect(rows, out_of_fold(rows, fit), raw, draws=20).nll.verdict == "not shown"


def test_harm_is_said_as_plainly() -> None:
    rows = readings(400)
    wrong = [softmax(one.scores * 4) for one in rows]
    found = effect(rows, [softmax(one.scores) for one in rows], wrong, draws=60)
    assert found.nll.verdict == "worse" and found.rps is None


def test_intervals_that_touch_do_not_part() -> None:
    low, high = Figure(0.1, (0.0, 0.2)), Figure(0.3, (0.2, 0.4))
    assert Change(high, low).verdict == Change(low, high).verdict == "not shown"
    assert Change(high, Figure(0.1, (0.0, 0.19))).verdict == "better"


def test_votes_have_no_floor_of_single_outcomes() -> None:
    rows = readings(40, soft=True)
    raw = [softmax(one.scores) for one in rows]
    found = effect(rows, raw, raw, draws=20)
    assert found.floors is None and found.ece.before.value < 1e-6


def test_too_few_groups_and_several_kinds_are_refused() -> None:
    rows = readings(19)
    raw = [softmax(one.scores) for one in rows]
    with pytest.raises(TooFewRowsError, match="19 rows; needed: 20"):
        effect(rows, raw, raw)
    with pytest.raises(ShapeError, match=r"readings of \['choice', 'noul'\]"):
        effect([*rows, *readings(1, kind="noul")], raw, raw)
    with pytest.raises(ShapeError, match="18 and 19 forecasts of 19"):
        effect(rows, raw[1:], raw)


def test_a_perfect_forecaster_errs_by_the_floor() -> None:
    random = np.random.default_rng(3)
    confidences = random.uniform(0.3, 1.0, size=500)
    errors = [
        expected_calibration_error(confidences, (random.random(500) < confidences).astype(float))
        for _ in range(60)
    ]
    floor = ece_noise_floor(confidences, seed=4)
    assert np.mean(errors) == pytest.approx(floor, abs=4 * np.std(errors) / np.sqrt(60))
    assert ece_noise_floor(np.ones(50)) == 0.0
    assert ece_noise_floor(confidences[:50]) > floor


def test_a_floor_needs_draws() -> None:
    with pytest.raises(ShapeError, match="draws: 0"):
        ece_noise_floor(np.ones(3), draws=0)
