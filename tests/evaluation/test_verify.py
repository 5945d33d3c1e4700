"""Promises against fresh rows, counted by hand where that can be done."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.forecasts import readings

from steelyard.calibration.actions import ActionRule, Thresholds
from steelyard.calibration.card import Card
from steelyard.calibration.conformal import ConformalSets, Cut
from steelyard.calibration.readings import Reading
from steelyard.calibration.recipe import Origin, Recipe, fit_calibration
from steelyard.calibration.selective import SelectiveThreshold
from steelyard.calibration.slots import Slot
from steelyard.calibration.slotted import SlottedCalibrator
from steelyard.calibration.stored import Calibration
from steelyard.errors import InputFileError, ShapeError
from steelyard.evaluation.readings import origin_of, readings_of
from steelyard.evaluation.run import Maker, Prediction
from steelyard.evaluation.verify import verify
from steelyard.readout.scores import softmax

SLOT = Slot(8, "choice", 3, 5)
CARD = Card(
    data="d" * 64,
    rows=100,
    groups=100,
    teaching=0,
    targets="soft",
    model="a" * 64,
    layout="b" * 64,
    readout="letters",
    rotations=1,
    reread_below=0.0,
    exit_layers=(8,),
)


def row(top: float, answer: int, group: str) -> Reading:
    """Of three options, the first with probability `top`, the others even."""
    p = np.array([top, (1 - top) / 2, (1 - top) / 2])
    return Reading(
        kind="choice", scores=np.log(p), target=np.eye(3)[answer], group=group, exit_layer=8
    )


def threshold(at: float, risk: float) -> SelectiveThreshold:
    return SelectiveThreshold(threshold=at, risk=risk, delta=0.05, rows=100, accepted=50, errors=0)


def test_a_worked_example() -> None:
    calibration = Calibration(
        card=CARD,
        calibrator=SlottedCalibrator({}),
        sets=(ConformalSets("lac", False, 0.1, {SLOT: Cut(0.75, 100)}),),
        actions=ActionRule({SLOT: Thresholds(act=threshold(0.9, 0.01), ask=threshold(0.6, 0.1))}),
    )
    rows = [
        row(0.95, 0, "a"),  # acted on, right; the set holds the first alone
        row(0.95, 1, "b"),  # acted on, wrong; not in the set
        row(0.70, 0, "c"),  # proposed, right
        row(0.70, 2, "d"),  # proposed, wrong; not in the set
        row(0.40, 1, "e"),  # handed on; the set holds all three
        replace(row(0.40, 1, "e"), target=np.eye(3)[1]),  # the same group counts once
    ]
    [kept] = verify(calibration, rows)
    assert (kept.kind, kept.rows) == ("choice", 5)
    assert kept.sets is not None and kept.actions is not None
    assert (kept.sets.alpha, kept.sets.missing.count, kept.sets.missing.n) == (0.1, 2, 5)
    assert kept.sets.mean_size == pytest.approx((1 + 1 + 1 + 1 + 3) / 5)
    actions = kept.actions
    assert (actions.act.count, actions.ask.count, actions.act.n) == (2, 2, 5)
    assert (actions.act_errors.count, actions.act_errors.n) == (1, 2)
    assert (actions.ask_errors.count, actions.ask_errors.n) == (2, 4)
    assert (actions.act_risk, actions.ask_risk) == (0.01, 0.1)
    low, high = actions.act_errors.interval
    assert actions.act_errors.value == 0.5 and 0 < low < 0.5 < high < 1


def test_promises_are_kept_on_rows_like_those_of_the_fit() -> None:
    recipe = Recipe(sets="aps", alpha=0.2, act_risk=0.1, ask_risk=0.3)
    origin = Origin(model="a" * 64, layout="b" * 64, readout="letters")
    rows = readings(1500, temperature=2.0, spread=3.0)
    calibration = fit_calibration(rows, recipe, origin, draws=10).calibration
    [kept] = verify(calibration, readings(500, temperature=2.0, spread=3.0, seed=1))
    assert kept.sets is not None and kept.actions is not None
    assert kept.sets.missing.interval[0] < 0.2
    assert kept.actions.act.count > 60
    assert kept.actions.act_errors.interval[0] < 0.1
    assert kept.actions.ask_errors.interval[0] < 0.3


def test_what_was_not_promised_is_not_judged() -> None:
    bare = Calibration(card=CARD, calibrator=SlottedCalibrator({}))
    [kept] = verify(bare, [row(0.5, 0, "a")])
    assert (kept.sets, kept.actions) == (None, None)
    with pytest.raises(ShapeError, match="readings: none"):
        verify(bare, [])


MAKER = Maker(
    weights="a" * 64,
    tokenizer="t",
    layout="b" * 64,
    calibrator=None,
    runtime="torch",
    dtype="float32",
    exit_layers=(30,),
    settings={"readout": "pointer", "how": {"rotations": 2, "reread_below": 0.1}},
)
PREDICTION = Prediction(
    suite="s",
    example="e",
    group="g",
    kind="noul",
    probabilities=(1.0, 0.0),
    target=(1.0, 0.0),
    exit_layer=30,
    seconds=0.1,
    code="",
)


def test_kept_answers_become_readings_whose_softmax_is_the_answer() -> None:
    p = (0.2, 0.5, 0.3)
    choice = replace(PREDICTION, kind="choice", probabilities=p, target=(0.0, 1.0, 0.0))
    noul, other = readings_of(MAKER, [PREDICTION, choice])
    np.testing.assert_allclose(softmax(other.scores), p)
    assert np.isfinite(noul.scores).all() and softmax(noul.scores)[0] == pytest.approx(1.0)
    assert (other.group, other.exit_layer, other.label) == ("g", 30, 1)
    assert origin_of(MAKER) == Origin(
        model="a" * 64, layout="b" * 64, readout="pointer", rotations=2, reread_below=0.1
    )


def test_calibrated_answers_and_unknown_readouts_are_refused() -> None:
    with pytest.raises(InputFileError, match="calibrator: calibrated by c; allowed: answers of"):
        readings_of(replace(MAKER, calibrator="c"), [PREDICTION])
    with pytest.raises(InputFileError, match=r"settings\.readout: missing"):
        origin_of(replace(MAKER, settings={"how": {}}))
