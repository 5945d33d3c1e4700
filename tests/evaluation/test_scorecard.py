"""Figures beside the measures, by hand and against scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from support.predictions import failure, prediction

from steelyard.errors import ShapeError
from steelyard.evaluation.abstention import abstention
from steelyard.evaluation.measures import measure
from steelyard.evaluation.noul_costs import noul_costs
from steelyard.evaluation.scorecard import scorecard
from steelyard.evaluation.slices import options_bucket, place_of_right, sliced
from steelyard.evaluation.worst import surprise


def card(rows, failures=()):
    priors = {one.example: (1 / len(one.target),) * len(one.target) for one in rows}
    (measured,) = measure(rows, priors)
    return scorecard(measured, rows, failures)


def test_failures_are_wrong_and_chance_is_taken_off():
    rows = [
        prediction(0, (0.7, 0.3), (1.0, 0.0), seconds=0.1),
        prediction(1, (0.6, 0.4), (1.0, 0.0), seconds=0.1),
        prediction(2, (0.9, 0.1), (0.0, 1.0), seconds=0.3),
    ]
    found = card(rows, [failure(3, (1.0, 0.0)), failure(4, (1.0, 0.0), kind="noul")])
    assert (found.asked, found.accuracy_of_asked) == (4, pytest.approx(0.5))
    assert found.above_chance == pytest.approx((2 / 3 - 0.5) / 0.5)
    assert found.skill == 0
    assert found.aurc == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert found.excess_aurc == pytest.approx(found.aurc - (1 / 3) / 3)
    assert found.coverage_at == {"0.01": 0, "0.05": 0, "0.1": 0, "0.2": 0}
    assert (found.p50_s, found.kappa, found.auroc) == (0.1, None, None)
    assert found.groups_right is None and found.ece_floor is not None
    assert found.brier_parts.total == pytest.approx((0.09 + 0.16 + 0.81) / 3)


def test_a_group_is_right_where_all_of_it_is():
    rows = [
        prediction(n, (0.7, 0.3) if right else (0.3, 0.7), (1.0, 0.0), group=group)
        for n, (group, right) in enumerate([("a", 1), ("a", 1), ("b", 1), ("b", 0), ("c", 1)])
    ]
    found = card(rows).groups_right
    assert found is not None and found.value == pytest.approx(2 / 3)


def test_nouls_have_a_ranking_and_scores_a_kappa():
    rng = np.random.default_rng(0)
    said, true = rng.random(50), rng.random(50) < 0.5
    nouls = [
        prediction(n, (p, 1 - p), (float(t), float(not t)), kind="noul")
        for n, (p, t) in enumerate(zip(said, true, strict=True))
    ]
    assert card(nouls).auroc == pytest.approx(roc_auc_score(true, said))
    scores = [
        prediction(0, (0.8, 0.2, 0.0), (1.0, 0.0, 0.0), kind="score"),
        prediction(1, (0.0, 0.1, 0.9), (0.0, 0.0, 1.0), kind="score"),
    ]
    found = card(scores)
    assert found.kappa == 1
    assert found.level_error == pytest.approx((0.2 + 0.1) / 2)


def test_votes_have_no_floor_and_the_unknowable_no_accuracy():
    votes = card([prediction(n, (0.7, 0.3), (0.6, 0.4)) for n in range(3)])
    assert votes.ece_floor is None and votes.accuracy_of_asked == 1
    flat = card([prediction(n, (0.7, 0.3), (0.5, 0.5), kind="noul") for n in range(3)])
    assert flat.accuracy_of_asked is flat.skill is flat.auroc is None


def test_abstention_counts_commitments_on_both_sides():
    known = [prediction(0, (0.9, 0.1), (1.0, 0.0)), prediction(1, (0.7, 0.3), (1.0, 0.0))]
    unknown = [prediction(2, (0.85, 0.15), (0.5, 0.5)), prediction(3, (0.5, 0.5), (0.5, 0.5))]
    found = abstention(known, unknown)
    assert (found.answerable, found.unknowable) == (2, 2)
    assert (found.commits, found.commits_in_vain) == (0.5, 0.5)
    assert found.tells_apart == 0.75  # of four pairs only .7 against .85 is the wrong way
    with pytest.raises(ShapeError):
        abstention(known, [])


def test_a_noul_costs_what_its_rule_makes_of_it():
    rows = [
        prediction(0, (0.9, 0.1), (1.0, 0.0), kind="noul"),
        prediction(1, (0.6, 0.4), (0.0, 1.0), kind="noul"),
        prediction(2, (0.1, 0.9), (0.0, 1.0), kind="noul"),
        prediction(3, (1.0, 0.0), (1.0, 0.0)),
    ]
    found = noul_costs(rows, false_yes=3, false_no=1)
    assert found.threshold == 0.75
    assert found.argmax == pytest.approx(1)  # the .6 is a wrong yes
    assert found.bayes == found.best == 0
    assert found.constant == pytest.approx(1 / 3)  # always no misses one
    with pytest.raises(ShapeError):
        noul_costs(rows[3:], false_yes=1, false_no=1)


@pytest.mark.parametrize(
    ("count", "bucket"), [(1, "1"), (2, "2"), (5, "3-5"), (11, "11-26"), (300, "256-")]
)
def test_option_counts_come_in_ranges(count, bucket):
    assert options_bucket(count) == bucket


def test_the_place_of_the_right_option():
    def at(place, count):
        target = tuple(float(n == place) for n in range(count))
        return place_of_right(prediction(0, target, target))

    assert [at(n, 5) for n in range(5)] == ["first", "early", "middle", "late", "last"]
    assert [at(n, 3) for n in range(3)] == ["first", "early", "last"]


def test_slices_are_what_has_two_parts():
    rows = [prediction(0, (0.5, 0.5), (1.0, 0.0), source="s/a"), prediction(1, (1.0,), (1.0,))]
    assert set(sliced(rows)) == {"options"}
    rows[1] = prediction(1, (0.5, 0.5), (0.0, 1.0), source="s/b")
    assert set(sliced(rows)) == {"source", "right answer at"}
    assert list(sliced(rows)["source"]) == ["s/a", "s/b"]


def test_surprise_is_the_divergence():
    assert surprise(prediction(0, (0.25, 0.75), (1.0, 0.0))) == pytest.approx(np.log(4))
    assert surprise(prediction(0, (0.4, 0.6), (0.4, 0.6))) == pytest.approx(0)
