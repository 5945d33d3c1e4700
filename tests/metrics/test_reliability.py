"""The calibration error against a loop over bins and scikit-learn's bins."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from steelyard.errors import ShapeError
from steelyard.metrics.reliability import expected_calibration_error


def by_loop(confidences, outcomes, num_bins):
    total = 0.0
    for index in range(num_bins):
        low, high = index / num_bins, (index + 1) / num_bins
        inside = [
            (c, y)
            for c, y in zip(confidences, outcomes, strict=True)
            if low < c <= high or (index == 0 and c == 0)
        ]
        total += abs(sum(y - c for c, y in inside))
    return total / len(confidences)


@pytest.mark.parametrize("num_bins", [1, 2, 10])
def test_it_is_the_sum_over_bins(num_bins):
    rng = np.random.default_rng(num_bins)
    confidences = rng.integers(0, 21, 300) / 20  # many on the edges
    outcomes = (rng.random(300) < 0.6).astype(float)
    assert expected_calibration_error(confidences, outcomes, num_bins) == pytest.approx(
        by_loop(confidences.tolist(), outcomes.tolist(), num_bins)
    )


def test_it_agrees_with_scikit_learns_bins():
    rng = np.random.default_rng(7)
    confidences = rng.random(500)
    outcomes = rng.random(500) < confidences**2
    observed, stated = calibration_curve(outcomes, confidences, n_bins=10)
    sizes = np.histogram(confidences, bins=10, range=(0, 1))[0]
    expected = float((sizes / 500) @ abs(observed - stated))
    assert expected_calibration_error(confidences, outcomes) == pytest.approx(expected)


def test_sure_and_right_is_perfect_and_sure_and_wrong_the_worst():
    assert expected_calibration_error(np.ones(5), np.ones(5)) == 0
    assert expected_calibration_error(np.ones(5), np.zeros(5)) == 1


def test_shares_of_votes_are_outcomes_too():
    assert expected_calibration_error(np.array([0.5, 0.5]), np.array([0.25, 0.75])) == 0


@pytest.mark.parametrize(
    ("confidences", "outcomes", "num_bins", "message"),
    [
        ([0.5, 1.2], [0, 1], 10, "confidences: 0.5 to 1.2; allowed: 0 to 1"),
        ([0.5], [0, 1], 10, r"outcomes: shape \(2,\); allowed: \(1,\)"),
        ([], [], 10, "confidences: shape"),
        ([0.5], [1], 0, "num_bins: 0; allowed: 1 or more"),
    ],
)
def test_what_makes_no_sense_is_refused(confidences, outcomes, num_bins, message):
    with pytest.raises(ShapeError, match=message):
        expected_calibration_error(np.array(confidences), np.array(outcomes), num_bins)
