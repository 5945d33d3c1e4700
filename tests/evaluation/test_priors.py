"""Priors know how often each answer is right, and nothing of the state."""

import pytest

from steelyard.evaluation.priors import label_priors
from steelyard.types.example import Example
from steelyard.types.question import Choice, Noul, Score


def example(question, target, group):
    return Example(f"state {group}", question, target, "s", str(group), "MIT")


def test_a_question_asked_often_has_its_own_prior_in_any_order_of_options():
    rows = [
        example(Choice("Which?", ["a", "b"]), (1.0, 0.0), 0),
        *(example(Choice("Which?", ["b", "a"]), (0.0, 1.0), group) for group in range(1, 8)),
        *(example(Choice("Which?", ["a", "b"]), (0.0, 1.0), group) for group in range(8, 10)),
    ]
    priors = label_priors(rows)
    assert priors[0] == priors[9] == pytest.approx((0.8, 0.2))
    assert priors[1] == pytest.approx((0.2, 0.8))


def test_a_choice_asked_seldom_has_the_uniform():
    rows = [example(Choice("Which?", ["a", "b", "c"]), (1.0, 0.0, 0.0), g) for g in range(9)]
    assert label_priors(rows) == [pytest.approx((1 / 3,) * 3)] * 9


def test_rows_of_one_group_count_once_towards_often():
    rows = [example(Choice("Which?", ["a", "b"]), (1.0, 0.0), g % 3) for g in range(30)]
    assert label_priors(rows)[0] == (0.5, 0.5)


def test_nouls_and_scores_asked_seldom_have_that_of_their_kind_and_size():
    rows = [
        *(example(Noul(f"Question {g}?"), (float(g < 3), float(g >= 3)), g) for g in range(4)),
        example(Score("How?", ["low", "high"]), (0.25, 0.75), 4),
        example(Score("How else?", ["low", "high"]), (0.75, 0.25), 5),
        example(Score("Of three?", ["low", "mid", "high"]), (0.0, 0.5, 0.5), 6),
    ]
    priors = label_priors(rows)
    assert priors[:4] == [(0.75, 0.25)] * 4
    assert priors[4:] == [(0.5, 0.5), (0.5, 0.5), (0.0, 0.5, 0.5)]
