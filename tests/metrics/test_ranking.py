"""Ranking figures against scikit-learn."""

import math

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from steelyard.errors import ShapeError
from steelyard.metrics.ranking import auroc, balanced_accuracy


@pytest.mark.parametrize("digits", [1, 6])
def test_both_agree_with_scikit_learn_with_and_without_ties(digits):
    rng = np.random.default_rng(digits)
    truths = rng.random(200) < 0.3
    scores = np.round(rng.random(200) * 0.7 + truths * 0.2, digits)
    assert auroc(scores, truths) == pytest.approx(roc_auc_score(truths, scores))
    assert balanced_accuracy(scores, truths) == pytest.approx(
        balanced_accuracy_score(truths, scores > 0.5)
    )


@pytest.mark.parametrize("figure", [auroc, balanced_accuracy])
def test_one_side_alone_says_nothing(figure):
    assert math.isnan(figure(np.array([0.2, 0.9]), np.array([1, 1])))
    assert math.isnan(figure(np.array([0.2, 0.9]), np.array([0, 0])))


@pytest.mark.parametrize("figure", [auroc, balanced_accuracy])
def test_scores_and_truths_must_pair(figure):
    with pytest.raises(ShapeError, match=r"shapes \(2,\) and \(3,\)"):
        figure(np.array([0.2, 0.9]), np.array([1, 0, 1]))
