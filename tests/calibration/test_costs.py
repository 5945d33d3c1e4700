"""The cheapest action by hand-worked numbers."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.calibration.costs import cheapest, mean_cost, threshold_for
from steelyard.errors import ShapeError

COSTS = np.array([[0.0, 10.0], [1.0, 0.0], [0.4, 0.4]])
"""Yes, no, ask a person; where yes is right, where no is."""


def test_the_cheapest_action_need_not_be_the_most_probable_option() -> None:
    found = cheapest(np.array([0.8, 0.2]), COSTS)
    assert found.expected == pytest.approx((2.0, 0.8, 0.4)) and found.action == 2
    assert cheapest(np.array([0.99, 0.01]), COSTS).action == 0
    assert cheapest(np.array([0.3, 0.7]), COSTS).action == 1


def test_equal_costs_of_errors_give_the_most_probable_option() -> None:
    random = np.random.default_rng(0)
    for p in random.dirichlet(np.ones(5), size=20):
        assert cheapest(p, 1 - np.eye(5)).action == p.argmax()


def test_a_threshold_is_where_yes_and_no_cost_the_same() -> None:
    at = threshold_for(false_yes=10.0, false_no=1.0)
    assert at == pytest.approx(10 / 11)
    both = cheapest(np.array([at, 1 - at]), COSTS[:2]).expected
    assert both[0] == pytest.approx(both[1])


def test_calibrated_probabilities_cost_less_than_overconfident_ones() -> None:
    random = np.random.default_rng(1)
    yes = random.uniform(0, 1, size=2000)
    truths = (random.random(2000) >= yes).astype(int)  # 0 is yes
    honest = np.column_stack([yes, 1 - yes])
    sharp = honest**3 / (honest**3).sum(axis=1, keepdims=True)
    assert mean_cost(honest, truths, COSTS) < mean_cost(sharp, truths, COSTS)


def test_what_does_not_fit_is_refused() -> None:
    for p, costs in (
        ([0.5, 0.5], np.eye(3)),
        ([0.5, 0.6], COSTS),
        ([1.0, 0.0], np.full((2, 2), np.inf)),
    ):
        with pytest.raises(ShapeError):
            cheapest(np.array(p), costs)
    with pytest.raises(ShapeError, match="got 0 and 1; allowed: above 0"):
        threshold_for(0, 1)
    with pytest.raises(ShapeError, match="labels: float64"):
        mean_cost(np.eye(2), np.zeros(2), COSTS)
