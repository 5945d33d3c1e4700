"""JevBench v1.5 by cases worked by hand from its method text."""

import math

import pytest
from support.predictions import failure, prediction

from steelyard.errors import ShapeError
from steelyard.evaluation.boards.jevbench import (
    EQUAL,
    FROZEN,
    Item,
    calibration,
    competence,
    intelligence,
    items_of,
)
from steelyard.evaluation.boards.jevbench_axes import PRESET_B, composite, cost, speed


def item(kind, probabilities, gold, *, tier="standard", sealed=False, exact=None, options=None):
    return Item(
        kind=kind,
        tier=tier,
        gold=gold,
        num_options=options or len(probabilities),
        probabilities=probabilities,
        exact=exact,
        sealed=sealed,
    )


def noul(yes, gold_yes, **how):
    return item("noul", (yes, 1 - yes), 0 if gold_yes else 1, **how)


def test_a_choice_counts_above_the_chance_of_its_options():
    right = item("choice", (0.7, 0.2, 0.1, 0.0), 0)
    wrong = item("choice", (0.7, 0.3), 1)
    # accuracy 1/2, chance (1/4 + 1/2) / 2 = 3/8
    assert competence([right, wrong]) == pytest.approx(100 * (1 / 2 - 3 / 8) / (5 / 8))


@pytest.mark.parametrize(
    ("yes", "gold_yes", "right"),
    [(0.8, True, 1), (0.79, True, 0), (0.2, False, 1), (0.21, False, 0), (0.9, False, 0)],
)
def test_a_noul_between_the_bounds_abstains_and_is_wrong(yes, gold_yes, right):
    assert competence([noul(yes, gold_yes)]) == (100 if right else -100)


def test_a_uniform_score_of_five_levels_with_even_golds_earns_a_quarter():
    # |E - gold| = 2, 1, 0, 1, 2 over 4: mean .3; of an even draw: mean .4
    even = [item("score", (0.2,) * 5, gold) for gold in range(5)]
    assert competence(even) == pytest.approx(25)


def test_a_score_is_judged_by_its_expected_level():
    # E = 1.5, gold 2 of 0..2: .5 / 2 = .25; an even draw misses by (2 + 1 + 0) / 3 / 2 = .5
    assert competence([item("score", (0.1, 0.3, 0.6), 2)]) == pytest.approx(50)


def test_a_failed_answer_is_wrong_and_a_failed_score_as_wrong_as_can_be():
    assert competence([item("choice", None, 0, options=4)]) == pytest.approx(-100 / 3)
    assert competence([item("noul", None, 0, options=2)]) == -100
    # gold 1 of 0..2: the worst is 1/2, an even draw (1 + 0 + 1) / 3 / 2 = 1/3
    assert competence([item("score", None, 1, options=3)]) == pytest.approx(100 * (1 - 1.5))


def test_tiers_and_types_are_weighted_and_empty_ones_give_their_weight_away():
    items = [
        noul(0.9, True, tier="easy"),  # 100
        noul(0.9, False, tier="hard"),  # -100
        item("choice", (0.9, 0.1), 0),  # 100
    ]
    found = intelligence(items, EQUAL)
    assert found.competence == {
        ("noul", "easy"): 100, ("noul", "hard"): -100, ("choice", "standard"): 100,
    }  # fmt: skip
    of_nouls = (0.1 * 100 - 0.4 * 100) / 0.5  # -60
    assert found.open == pytest.approx((of_nouls + 100) / 2)
    assert (found.sealed, found.penalty, found.value) == (None, 1.0, pytest.approx(20))
    frozen = intelligence(items, FROZEN)
    assert frozen.open == pytest.approx((0.25 * of_nouls + 0.5 * 100) / 0.75)


def test_a_gap_beyond_the_fields_and_eight_points_is_a_penalty():
    items = [noul(0.9, True), noul(0.9, True, sealed=True), noul(0.9, False, sealed=True)]
    # open 100, sealed 0, gap 100; the field's 20 and 8 allowed leave 72 points
    found = intelligence(items, median_gap=20)
    assert (found.open, found.sealed) == (pytest.approx(100), 0)
    assert found.penalty == pytest.approx(0.28)
    assert found.value == pytest.approx(50 * 0.28)
    assert intelligence(items).penalty == 1.0


def test_intelligence_is_clipped_and_needs_open_items():
    assert intelligence([noul(0.9, False)]).value == 0
    with pytest.raises(ShapeError, match="open"):
        intelligence([noul(0.9, True, sealed=True)])
    with pytest.raises(ShapeError, match="one kind"):
        competence([noul(0.9, True), item("choice", (1.0, 0.0), 0)])
    with pytest.raises(ShapeError, match="one option"):
        competence([item("choice", (1.0,), 0)])


def test_calibration_of_each_type():
    # .9 said of yes, always right: ECE .1
    assert calibration([noul(0.9, True)] * 4) == pytest.approx(80)
    # top .7, right half of the time: ECE .2
    half = [item("choice", (0.7, 0.3), gold) for gold in (0, 1)]
    assert calibration(half) == pytest.approx(60)
    # with the exact distribution: TVD |.7 - .5| = .2 of the item that has one
    known = [half[0], item("choice", (0.7, 0.3), 1, exact=(0.5, 0.5))]
    assert calibration(known) == pytest.approx((60 + 80) / 2)
    # score: top .6 and right: ECE .4 -> 20; RPS (.1^2 + .4^2) / 2 = .085
    assert calibration([item("score", (0.1, 0.3, 0.6), 2)]) == pytest.approx((20 + 91.5) / 2)


def test_calibration_is_weighted_by_type_and_nothing_without_probabilities():
    items = [noul(0.9, True), item("choice", (0.7, 0.3), 0)]
    assert calibration(items, EQUAL) == pytest.approx((80 + 40) / 2)
    assert calibration(items, FROZEN) == pytest.approx((0.25 * 80 + 0.5 * 40) / 0.75)
    assert calibration([item("choice", None, 0, options=2)]) == 0


def test_answers_become_items_with_the_tier_of_their_source():
    told = prediction(1, (0.7, 0.3), (0.0, 1.0), source="mine/hard")
    exact = prediction(2, (0.7, 0.3), (0.25, 0.75), source="mine")
    failed = failure(3, (1.0, 0.0, 0.0))
    first, second, third = items_of([told, exact, failed])
    assert (first.tier, first.gold, first.exact) == ("hard", 1, None)
    assert (second.tier, second.exact) == ("standard", (0.25, 0.75))
    assert (third.probabilities, third.num_options) == (None, 3)


def test_speed_takes_a_time_of_ones_own_for_what_it_would_be_in_production():
    # 13 ms -> 176 ms; 50 ms -> 250 ms: the numbers of the method's notes
    assert speed(0.013, 0.013) == pytest.approx(95.1, abs=0.05)
    assert speed(0.05, 0.05) == pytest.approx(92.0, abs=0.05)
    assert speed(0.1, 1.0, self_hosted=False) == pytest.approx((100 + 80) / 2)
    assert speed(0.01, 0.01, self_hosted=False) == 100
    with pytest.raises(ShapeError):
        speed(0.0, 1.0, self_hosted=False)


def test_cost_falls_by_thirty_points_a_decade():
    assert cost(0.001) == 100
    assert cost(0.01) == pytest.approx(70)
    assert cost(0.0399) == pytest.approx(100 - 30 * math.log10(39.9))
    assert cost(1e9) == 0


def test_the_score_is_a_harmonic_mean_with_gates():
    axes = {"intelligence": 60.0, "calibration": 80.0, "speed": 90.0, "cost": 55.0}
    mean = 4 / (1 / 60 + 1 / 80 + 1 / 90 + 1 / 55)
    assert composite(axes) == pytest.approx(mean)
    b = 1 / (0.4 / 60 + 0.2 / 80 + 0.2 / 90 + 0.2 / 55)
    assert composite(axes, PRESET_B) == pytest.approx(b)
    slow = axes | {"speed": 25.0}
    assert composite(slow) == pytest.approx(4 / (1 / 60 + 1 / 80 + 1 / 25 + 1 / 55) / 4)
    unsure = axes | {"calibration": 25.0}  # calibration has no gate
    assert composite(unsure) == pytest.approx(4 / (1 / 60 + 1 / 25 + 1 / 90 + 1 / 55))
    assert composite(axes | {"cost": 0.0}) == 0
    with pytest.raises(ShapeError, match="axes"):
        composite({"intelligence": 60.0})
