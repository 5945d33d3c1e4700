"""Scores are the textbook's, and intervals draw whole states."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from random import Random
from statistics import fmean

import pytest
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from benchmarks.answers import Answered
from benchmarks.scoring import difference, score


def noul(p: float, truth: str, group: str = "g", name: str = "q") -> Answered:
    return Answered(
        suite="s",
        group=group,
        id=name,
        kind="noul",
        truth=truth,
        usual="no",
        probabilities={"no": 1 - p, "yes": p},
    )


def choice(probabilities: Sequence[float], truth: str, group: str = "g") -> Answered:
    return Answered(
        suite="s",
        group=group,
        id="q",
        kind="choice",
        truth=truth,
        usual="a",
        probabilities=dict(zip("abcd", probabilities, strict=False)),
    )


def test_an_even_noul_is_a_no_and_equal_options_fall_to_the_first() -> None:
    assert noul(0.5, "no").correct
    assert choice([0.4, 0.4, 0.2], "a").correct


def test_figures_of_choices_against_worked_numbers() -> None:
    answers = [
        choice([0.7, 0.2, 0.1], "a", "g1"),
        choice([0.5, 0.3, 0.2], "b", "g2"),
        choice([0.1, 0.9], "b", "g3"),
        choice([0.6, 0.2, 0.1, 0.1], "d", "g4"),
    ]
    figures = score(answers)
    assert figures["n"] == figures["groups"] == 4
    assert figures["accuracy"]["value"] == 0.5
    assert figures["chance"] == pytest.approx((1 / 3 + 1 / 3 + 1 / 2 + 1 / 4) / 4)
    assert figures["first"] == figures["usual"] == 0.25
    assert figures["nll"] == pytest.approx(-(log(0.7) + log(0.3) + log(0.9) + log(0.1)) / 4)
    worked = (0.09 + 0.04 + 0.01) + (0.25 + 0.49 + 0.04) + 0.02 + (0.36 + 0.04 + 0.01 + 0.81)
    assert figures["brier"] == pytest.approx(worked / 4)


def test_figures_of_nouls_against_scikit_learn() -> None:
    random = Random(5)
    answers = [
        noul(round(random.random(), 1), random.choice(("yes", "no", "no")), f"g{index // 3}")
        for index in range(60)
    ]
    truth = [answer.truth == "yes" for answer in answers]
    p = [answer.probabilities["yes"] for answer in answers]
    said = [value > 0.5 for value in p]
    figures = score(answers)
    assert figures["auroc"]["value"] == pytest.approx(roc_auc_score(truth, p))
    balanced = balanced_accuracy_score(truth, said)
    assert figures["balanced_accuracy"]["value"] == pytest.approx(balanced)
    low, high = figures["balanced_accuracy"]["interval"]
    assert low < balanced < high
    assert figures["groups"] == 20
    assert figures["always_no"] == pytest.approx(1 - fmean(truth))
    assert figures["said_yes"] == pytest.approx(fmean(said))


def test_questions_of_one_state_that_agree_widen_the_interval() -> None:
    apart = score([noul(0.9, truth, f"g{i}") for i, truth in enumerate(["yes", "no"] * 50)])
    together = score([noul(0.9, truth, f"g{truth}") for truth in ["yes", "no"] * 50])
    # 100 independent states: the normal approximation. Two states: anything is possible.
    assert apart["accuracy"]["interval"] == pytest.approx([0.402, 0.598], abs=0.02)
    assert together["accuracy"]["interval"] == [0.0, 1.0]


def test_difference_pairs_the_same_questions() -> None:
    before = [noul(0.9, "no", "g1"), noul(0.1, "no", "g2"), noul(0.9, "yes", "g3")]
    after = [noul(0.2, "no", "g1"), noul(0.2, "no", "g2"), noul(0.9, "no", "g4")]
    change = difference(before, after)
    assert change["n"] == 2
    assert change["value"] == change["changed"] == 0.5
