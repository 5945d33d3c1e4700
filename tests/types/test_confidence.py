"""Confidence against the worked figures printed in the public docs and against first principles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.types.confidence import choice_confidence, score_confidence

distributions = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [
        ([0.88, 0.08, 0.04], 0.82),  # (0.88 - 1/3) / (2/3)
        ([0.5, 0.5], 0.0),
        ([0.75, 0.25], 0.5),
        ([1.0], 1.0),
        ([0.2], 1.0),
    ],
)
def test_choice_confidence_is_the_height_above_uniform(probabilities, expected):
    assert choice_confidence(probabilities) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [
        ([0.57, 0.43, 0.0], 0.355),  # D = 2/3; printed in the docs as 0.35
        ([0.95, 0.05, 0.0], 0.925),  # printed as 0.92
        ([0.0, 0.57, 0.43], 0.355),
        ([0.5, 0.0, 0.5], 0.0),  # spread 1 from the mode, more than the uniform's 2/3
        ([0.0, 0.0, 1.0, 0.0], 1.0),
        ([1.0], 1.0),
    ],
)
def test_score_confidence_is_the_spread_saved_against_uniform(probabilities, expected):
    assert score_confidence(probabilities) == pytest.approx(expected, abs=1e-12)


def test_score_confidence_takes_the_lowest_of_several_modes():
    # from level 0 the mass is 0.4 * 1 + 0.2 * 2 away; from level 1 it would be 0.4 + 0.2
    assert score_confidence([0.4, 0.4, 0.2]) == pytest.approx(max(0, 1 - 0.8 / (2 / 3)))


def test_adjacent_mass_keeps_more_score_confidence_than_distant_mass():
    assert score_confidence([0.0, 0.6, 0.4]) > score_confidence([0.4, 0.0, 0.6])


@pytest.mark.parametrize("n", [2, 3, 7, 10, 255])
def test_all_zero_means_uniform(n):
    assert choice_confidence([0.0] * n) == choice_confidence([1 / n] * n) == 0.0
    assert score_confidence([0.0] * n) == score_confidence([1 / n] * n)


@given(distributions)
def test_confidence_is_a_share(probabilities):
    assert 0 <= choice_confidence(probabilities) <= 1
    assert 0 <= score_confidence(probabilities) <= 1


@given(distributions, st.sampled_from([0.25, 0.5, 2.0, 1024.0]))
def test_only_the_proportions_count(probabilities, factor):
    scaled = [p * factor for p in probabilities]
    assert choice_confidence(scaled) == pytest.approx(choice_confidence(probabilities), abs=1e-12)
    assert score_confidence(scaled) == pytest.approx(score_confidence(probabilities), abs=1e-12)


@pytest.mark.parametrize("bad", [[], [float("nan"), 1.0], [-0.1, 1.1], [float("inf"), 1.0]])
def test_what_is_no_distribution_is_a_broken_promise(bad):
    with pytest.raises(AssertionError):
        choice_confidence(bad)
    with pytest.raises(AssertionError):
        score_confidence(bad)
