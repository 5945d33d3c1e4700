"""The figures of the typed-decisions card, and what stands beside them."""

from math import log

import pytest
from support.predictions import prediction

from steelyard.errors import ShapeError
from steelyard.evaluation.boards.typed_decisions import typed_decisions


def test_a_worked_example_of_two_kinds():
    rows = [
        prediction(0, (0.8, 0.2), (0.6, 0.4), kind="noul"),
        prediction(1, (0.5, 0.25, 0.25), (0.0, 0.5, 0.5), kind="score"),
    ]
    priors = {rows[0].example: (0.6, 0.4), rows[1].example: (0.5, 0.25, 0.25)}
    found = typed_decisions(rows, priors)
    answers, uniform, prior = (found[name] for name in ("answers", "uniform", "prior"))
    assert answers.accuracy == 0.5
    kl = 0.6 * log(0.6 / 0.8) + 0.4 * log(0.4 / 0.2)
    assert answers.kl == pytest.approx((kl + log(2)) / 2)
    assert answers.brier == pytest.approx((0.08 + (0.25 + 2 * 0.0625)) / 2)
    assert answers.ece == pytest.approx((abs(0.8 - 0.6) + abs(0.5 - 0.0)) / 2)
    assert prior.kl == pytest.approx(log(2) / 2)
    # the uniform says any option: right half the time of the first, two thirds of the second
    assert uniform.accuracy == pytest.approx((1 / 2 + 2 / 3) / 2)


def test_what_was_called_impossible_costs_a_finite_divergence():
    (row,) = [prediction(0, (1.0, 0.0), (0.0, 1.0), kind="noul")]
    assert typed_decisions([row], {row.example: (0.5, 0.5)})["answers"].kl == pytest.approx(
        -log(1e-9)
    )


def test_nothing_and_a_missing_prior_are_refused():
    with pytest.raises(ShapeError):
        typed_decisions([], {})
    with pytest.raises(ShapeError, match="priors"):
        typed_decisions([prediction(0, (0.5, 0.5), (1.0, 0.0))], {})
