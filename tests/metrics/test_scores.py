"""Scores against figures worked by hand and against plain loops."""

from math import inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import ShapeError
from steelyard.metrics.scores import (
    accuracy,
    brier_score,
    brier_scores,
    hits,
    log_loss,
    log_losses,
    ranked_probability_score,
    ranked_probability_scores,
)

FORECASTS = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.25, 0.25, 0.5]])
LABELS = np.array([0, 1, 0])
PER_ROW = [hits, brier_scores, log_losses, ranked_probability_scores]


def test_worked_example():
    assert hits(FORECASTS, LABELS).tolist() == [1, 1, 0]
    # 0.25 + 2 * 0.0625; 0; 0.75^2 + 0.0625 + 0.25
    assert brier_scores(FORECASTS, LABELS).tolist() == [0.375, 0.0, 0.875]
    np.testing.assert_allclose(log_losses(FORECASTS, LABELS), [log(2), 0, log(4)])
    # F = .5 .75 against O = 1 1; 0; F = .25 .5 against 1 1
    assert ranked_probability_scores(FORECASTS, LABELS).tolist() == [0.3125, 0.0, 0.8125]


def test_the_singular_is_the_mean_of_the_plural():
    assert accuracy(FORECASTS, LABELS) == 2 / 3
    assert brier_score(FORECASTS, LABELS) == pytest.approx(1.25 / 3)
    assert log_loss(FORECASTS, LABELS) == pytest.approx(log(8) / 3)
    assert ranked_probability_score(FORECASTS, LABELS) == pytest.approx(1.125 / 3)
    assert ranked_probability_score(FORECASTS, LABELS, normalised=True) == pytest.approx(0.1875)


def test_what_was_called_impossible_costs_infinity():
    assert log_losses(np.array([[1.0, 0.0]]), np.array([1])).tolist() == [inf]


def test_a_near_miss_costs_less_than_a_far_one_only_in_the_ranked_score():
    near = np.array([[0.0, 1.0, 0.0]])
    far = np.array([[0.0, 0.0, 1.0]])
    label = np.array([0])
    assert ranked_probability_score(near, label) == 1.0
    assert ranked_probability_score(far, label) == 2.0
    assert ranked_probability_score(far, label, normalised=True) == 1.0
    assert brier_score(near, label) == brier_score(far, label) == 2.0


def test_a_single_option_is_always_right():
    one = np.ones((2, 1))
    for score in PER_ROW[1:]:
        assert score(one, np.zeros(2, int)).tolist() == [0, 0]
    assert ranked_probability_score(one, np.zeros(2, int), normalised=True) == 0


@st.composite
def judged(draw):
    n, k = draw(st.integers(1, 5)), draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.dirichlet(np.full(k, 0.7), size=n), rng.integers(k, size=n)


@given(judged())
def test_scores_agree_with_plain_loops(case):
    probabilities, labels = case
    for i, (row, label) in enumerate(zip(probabilities.tolist(), labels.tolist(), strict=True)):
        brier = sum((p - (j == label)) ** 2 for j, p in enumerate(row))
        # D6: the ranked score is the sum of the Brier scores of the threshold events
        ranked = sum((sum(row[: j + 1]) - (label <= j)) ** 2 for j in range(len(row) - 1))
        assert brier_scores(probabilities, labels)[i] == pytest.approx(brier)
        assert ranked_probability_scores(probabilities, labels)[i] == pytest.approx(ranked)
        assert log_losses(probabilities, labels)[i] == pytest.approx(-log(row[label]))
        assert hits(probabilities, labels)[i] == (row.index(max(row)) == label)


@given(judged(), st.integers(1, 3))
def test_padding_with_zeros_changes_no_score(case, extra):
    probabilities, labels = case
    padded = np.pad(probabilities, ((0, 0), (0, extra)))
    for score in PER_ROW:
        np.testing.assert_allclose(score(padded, labels), score(probabilities, labels), atol=1e-12)


@pytest.mark.parametrize("score", [brier_score, log_loss, ranked_probability_score])
def test_scores_are_proper(score):
    """No forecast has a lower expected score than the truth."""
    rng = np.random.default_rng(0)
    truth = np.array([0.5, 0.3, 0.2])

    def expected(forecast):
        return sum(truth[y] * score(forecast[None], np.array([y])) for y in range(3))

    for other in rng.dirichlet(np.ones(3), size=50):
        assert expected(truth) < expected(other)


@pytest.mark.parametrize(
    ("probabilities", "labels", "field"),
    [
        ([0.5, 0.5], [0], "probabilities"),
        (np.ones((0, 2)), [], "probabilities"),
        (np.ones((2, 0)), [0, 0], "probabilities"),
        ([[0.5, 0.6]], [0], "probabilities"),
        ([[1.5, -0.5]], [0], "probabilities"),
        ([[np.nan, 1.0]], [0], "probabilities"),
        ([[0.5, 0.5]], [0, 1], "labels"),
        ([[0.5, 0.5]], [2], "labels"),
        ([[0.5, 0.5]], [-1], "labels"),
        ([[0.5, 0.5]], [0.0], "labels"),
        ([[0.5, 0.5]], [True], "labels"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(probabilities, labels, field):
    for score in PER_ROW:
        with pytest.raises(ShapeError, match="allowed") as caught:
            score(np.array(probabilities), np.array(labels))
        assert caught.value.field == field
