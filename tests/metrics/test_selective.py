"""Risk against coverage, by loops over every order of the answers."""

from itertools import pairwise, permutations

import numpy as np
import pytest

from steelyard.errors import ShapeError
from steelyard.metrics.selective import risk_coverage


def area_by_orders(confidences, losses):
    """The mean over all orders that confidence allows."""
    areas = []
    for order in permutations(range(len(losses))):
        if all(confidences[a] >= confidences[b] for a, b in pairwise(order)):
            taken = np.array(losses)[list(order)]
            areas.append(np.mean(taken.cumsum() / np.arange(1, len(taken) + 1)))
    return np.mean(areas)


@pytest.mark.parametrize("confidences", [[0.9, 0.8, 0.7, 0.6, 0.5], [0.9, 0.9, 0.5, 0.5, 0.5]])
def test_the_area_is_the_mean_over_orders(confidences):
    losses = [0, 1, 0, 1, 1]
    curve = risk_coverage(np.array(confidences), np.array(losses))
    assert curve.area == pytest.approx(area_by_orders(confidences, losses))
    best = area_by_orders([4, 2, 3, 1, 0], losses)
    assert curve.excess == pytest.approx(curve.area - best)


def test_equal_confidences_are_taken_together():
    curve = risk_coverage(np.array([0.9, 0.5, 0.5, 0.1]), np.array([0, 1, 0, 1]))
    assert curve.coverage.tolist() == [0.25, 0.75, 1.0]
    assert curve.risk.tolist() == pytest.approx([0, 1 / 3, 1 / 2])


def test_the_coverage_at_a_risk_is_the_largest_share_that_has_it():
    # right, wrong, right, right, right: the risk rises to a half and falls to a fifth
    curve = risk_coverage(np.arange(5, 0, -1.0), np.array([0, 1, 0, 0, 0]))
    assert curve.coverage_at(0.0) == 0.2
    assert curve.coverage_at(0.2) == 1.0
    assert risk_coverage(np.array([1.0]), np.array([1.0])).coverage_at(0.5) == 0


def test_an_order_that_knows_the_losses_has_no_excess():
    assert risk_coverage(np.array([3.0, 2, 1]), np.array([0, 0, 1])).excess == 0
    with pytest.raises(ShapeError):
        risk_coverage(np.array([1.0]), np.array([1.0, 0.0]))
