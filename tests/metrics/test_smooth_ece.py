"""The smooth calibration error against integrals of reflected Gaussians, written out."""

import numpy as np
import pytest
from scipy.stats import norm

from steelyard.errors import ShapeError
from steelyard.metrics.smooth_ece import smooth_ece


def smoothed(confidences, outcomes, width):
    """The definition: images of each point in both mirrors, the integral by trapezoids."""
    t = np.linspace(0, 1, 2001)
    total = np.zeros_like(t)
    for c, y in zip(confidences, outcomes, strict=True):
        for period in range(-4, 5):
            for image in (c, -c):
                total += norm.pdf(t, image + 2 * period, width) * (y - c) / len(confidences)
    heights = abs(total)
    return float((heights[1:] + heights[:-1]).sum() / 2 / 2000)


@pytest.mark.parametrize("bias", [0.0, 0.15, -0.2])
def test_it_is_the_width_at_which_the_smoothed_error_equals_it(bias):
    rng = np.random.default_rng(1)
    confidences = rng.random(40)
    outcomes = (rng.random(40) < np.clip(confidences + bias, 0, 1)).astype(float)
    found = smooth_ece(confidences, outcomes)
    assert smoothed(confidences, outcomes, found) == pytest.approx(found, abs=1e-3)


def test_a_perfect_forecaster_of_certainties_has_none():
    assert smooth_ece(np.array([0.0, 1.0, 1.0]), np.array([0.0, 1.0, 1.0])) == 0


def test_one_confidence_that_is_always_off_by_as_much():
    # All residuals are equal, so smoothing only moves them: the error is the residual.
    assert smooth_ece(np.full(10, 0.6), np.ones(10)) == pytest.approx(0.4, abs=1e-3)


def test_it_falls_with_more_rows_for_a_perfect_forecaster():
    rng = np.random.default_rng(2)
    errors = []
    for n in (100, 10_000):
        confidences = rng.random(n)
        errors.append(smooth_ece(confidences, (rng.random(n) < confidences).astype(float)))
    assert errors[1] < errors[0] / 2 and errors[1] < 0.02


def test_what_leaves_the_unit_interval_is_refused():
    with pytest.raises(ShapeError):
        smooth_ece(np.array([1.2]), np.array([1.0]))
    with pytest.raises(ShapeError):
        smooth_ece(np.array([0.2, 0.3]), np.array([1.0]))
