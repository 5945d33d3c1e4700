"""Kappa and the way from chance to perfect, against scikit-learn and worked numbers."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score

from steelyard.errors import ShapeError
from steelyard.metrics.agreement import quadratic_kappa
from steelyard.metrics.chance import above_chance


def test_kappa_is_scikit_learns():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 5, 300)
    answers = np.clip(labels + rng.integers(-1, 2, 300), 0, 4)
    wanted = cohen_kappa_score(labels, answers, weights="quadratic", labels=range(5))
    assert quadratic_kappa(answers, labels, 5) == pytest.approx(wanted)


def test_kappa_of_full_agreement_is_one_and_of_one_level_nothing():
    levels = np.array([0, 1, 2])
    assert quadratic_kappa(levels, levels, 3) == 1
    assert np.isnan(quadratic_kappa(levels * 0, levels * 0, 3))


@pytest.mark.parametrize("answers", [[0, 3], [-1, 0], [0.0, 1.0], [], [0, 1, 1]])
def test_kappa_refuses_what_is_no_level(answers):
    with pytest.raises(ShapeError):
        quadratic_kappa(np.array(answers), np.array([0, 1]), 3)


def test_above_chance_is_zero_for_a_guess_and_one_for_perfect():
    assert above_chance(0.25, 0.25) == 0
    assert above_chance(1, 0.25) == 1
    assert above_chance(0.0, 0.5) == -1
    with pytest.raises(ShapeError, match="below 1"):
        above_chance(1.0, 1.0)


def test_above_chance_is_scikit_learns_adjusted_balanced_accuracy():
    labels, answers = [0, 0, 1, 1, 2], [0, 1, 1, 1, 0]
    plain = balanced_accuracy_score(labels, answers)
    assert above_chance(plain, 1 / 3) == pytest.approx(
        balanced_accuracy_score(labels, answers, adjusted=True)
    )
