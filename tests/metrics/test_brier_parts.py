"""The parts of a Brier score add up to it, and are Murphy's where bins hold one confidence."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss

from steelyard.metrics.brier_parts import brier_parts


def test_the_parts_add_up_to_scikit_learns_score():
    rng = np.random.default_rng(0)
    confidences = rng.random(500)
    outcomes = (rng.random(500) < confidences**2).astype(float)
    parts = brier_parts(confidences, outcomes)
    assert parts.total == pytest.approx(brier_score_loss(outcomes, confidences))
    assert parts.uncertainty == pytest.approx(outcomes.mean() * (1 - outcomes.mean()))


def test_a_worked_example_of_murphys():
    # .8 said three times, right twice; .3 said twice, right once; 3 of 5 right overall
    parts = brier_parts(np.array([0.8, 0.8, 0.8, 0.3, 0.3]), np.array([1, 1, 0, 1, 0]))
    assert parts.reliability == pytest.approx((3 * (0.8 - 2 / 3) ** 2 + 2 * (0.3 - 0.5) ** 2) / 5)
    assert parts.resolution == pytest.approx((3 * (2 / 3 - 0.6) ** 2 + 2 * (0.5 - 0.6) ** 2) / 5)
    assert parts.uncertainty == pytest.approx(0.24)
    assert parts.within == pytest.approx(0)


def test_shares_of_votes_are_outcomes_too():
    rng = np.random.default_rng(3)
    confidences, outcomes = rng.random(200), rng.random(200)
    wanted = np.square(confidences - outcomes).mean()
    assert brier_parts(confidences, outcomes).total == pytest.approx(wanted)
