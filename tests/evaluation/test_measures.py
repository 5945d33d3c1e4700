"""Measures against worked numbers and plain loops."""

from math import log

import numpy as np
import pytest

from steelyard.errors import ShapeError
from steelyard.evaluation.measures import measure
from steelyard.evaluation.run import Prediction
from steelyard.metrics.intervals import bootstrap_interval


def prediction(number, probabilities, target, *, kind="choice", group=None, layer=10, suite="s"):
    return Prediction(
        suite=suite,
        example=f"{suite}{kind}{number}",
        group=group or f"g{number}",
        kind=kind,
        probabilities=probabilities,
        target=target,
        exit_layer=layer,
        seconds=0.5,
        code="",
    )


def uniform_priors(predictions):
    return {p.example: (1 / len(p.target),) * len(p.target) for p in predictions}


def test_a_worked_example_of_choices_with_different_numbers_of_options():
    rows = [
        prediction(0, (0.7, 0.2, 0.1), (1.0, 0.0, 0.0), layer=10),
        prediction(1, (0.5, 0.25, 0.25), (0.0, 1.0, 0.0), layer=20),
        prediction(2, (0.1, 0.9), (0.0, 1.0), layer=30),
    ]
    priors = {rows[0].example: (0.5, 0.5, 0.0), rows[1].example: (0.5, 0.25, 0.25)}
    priors[rows[2].example] = (0.25, 0.75)
    (found,) = measure(rows, priors)
    assert (found.suite, found.kind, found.n, found.groups) == ("s", "choice", 3, 3)
    assert found.accuracy.value == pytest.approx(2 / 3)
    assert found.chance == pytest.approx((1 / 3 + 1 / 3 + 1 / 2) / 3)
    assert found.majority == pytest.approx((0.5 + 0 + 1) / 3)  # the first prior ties
    assert found.nll.value == pytest.approx(-(log(0.7) + log(0.25) + log(0.9)) / 3)
    assert found.kl.model.value == pytest.approx(found.nll.value)
    assert found.kl.uniform == pytest.approx((2 * log(3) + log(2)) / 3)
    assert found.kl.prior == pytest.approx(-(log(0.5) + log(0.25) + log(0.75)) / 3)
    assert found.brier.model.value == pytest.approx((0.14 + 0.875 + 0.02) / 3)
    assert found.rps is None
    assert found.ece == pytest.approx((0.3 + 0.5 + 0.1) / 3)  # each alone in its bin
    assert found.confidence.value == pytest.approx(0.7)
    assert found.layers == 20
    assert found.seconds == 0.5


def test_a_score_against_votes_has_a_normalised_rps_by_its_own_levels():
    rows = [
        prediction(0, (0.5, 0.5, 0.0), (0.0, 0.5, 0.5), kind="score"),
        prediction(1, (1.0, 0.0), (0.0, 1.0), kind="score"),
    ]
    (found,) = measure(rows, uniform_priors(rows))
    assert found.rps.model.value == pytest.approx(((0.25 + 0.25) / 2 + 1) / 2)
    # the first row's most probable level is the first of two equals, which nobody voted for
    assert found.accuracy.value == 0
    assert found.chance == pytest.approx((2 / 3 + 1 / 2) / 2)
    entropy = log(2) / 2  # of the votes, in the mean of both rows
    assert found.nll.value == pytest.approx(found.kl.model.value + entropy)


def test_what_was_called_impossible_costs_much_and_not_infinity():
    rows = [prediction(n, (1.0, 0.0), (0.0, 1.0)) for n in range(2)]
    (found,) = measure(rows, uniform_priors(rows))
    assert found.nll.value == pytest.approx(-log(1e-9))


def test_where_nothing_can_be_known_there_is_no_accuracy():
    rows = [prediction(n, (0.9, 0.1), (0.5, 0.5), kind="noul") for n in range(3)]
    (found,) = measure(rows, uniform_priors(rows))
    assert found.accuracy is found.chance is found.majority is None
    assert found.kl.uniform == pytest.approx(0)
    assert found.kl.model.value == pytest.approx(log(0.5 / 0.9) / 2 + log(0.5 / 0.1) / 2)
    assert found.ece == pytest.approx(0.4)


def test_intervals_draw_groups_and_one_group_has_none():
    rng = np.random.default_rng(3)
    rows = [
        prediction(n, *(((0.8, 0.2), (1.0, 0.0)) if right else ((0.2, 0.8), (1.0, 0.0))), group=g)
        for n, (right, g) in enumerate(zip(rng.random(60) < 0.7, list("abcdef") * 10, strict=True))
    ]
    (found,) = measure(rows, uniform_priors(rows), draws=300, seed=4)
    hits = np.array([float(p.probabilities[0] > 0.5) for p in rows])
    groups = np.array([p.group for p in rows])
    assert found.accuracy.interval == bootstrap_interval(hits, groups, draws=300, seed=4)
    (alone,) = measure(rows[::6], uniform_priors(rows))
    assert alone.accuracy.interval is None


def test_suites_and_kinds_are_measured_apart_in_order():
    rows = [
        prediction(0, (0.9, 0.1), (1.0, 0.0), suite="z"),
        prediction(0, (0.9, 0.1), (1.0, 0.0), suite="a"),
        prediction(0, (0.9, 0.1), (1.0, 0.0), kind="noul", suite="z"),
    ]
    found = measure(rows, uniform_priors(rows))
    assert [(m.suite, m.kind, m.n) for m in found] == [
        ("z", "noul", 1),
        ("z", "choice", 1),
        ("a", "choice", 1),
    ]


def test_predictions_need_priors_and_are_needed():
    with pytest.raises(ShapeError, match="priors: none of example schoice0"):
        measure([prediction(0, (0.9, 0.1), (1.0, 0.0))], {})
    with pytest.raises(ShapeError, match="predictions: none"):
        measure([], {})
