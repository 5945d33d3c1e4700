"""Skills, areas and the index by hand."""

import pytest

from steelyard.errors import ShapeError
from steelyard.evaluation.boards.decision_index import (
    Benchmark,
    decision_index,
    forecast_skill,
    skill,
)


def test_skill_counts_what_was_not_answered_as_nothing():
    assert skill(0.75, 0.5) == pytest.approx(0.5)
    assert skill(0.8, 0.25, coverage=0.5) == pytest.approx((0.4 - 0.25) / 0.75)
    assert skill(0.3, 0.5) == 0
    assert skill(1.0, 0.5) == 1


def test_a_forecast_is_measured_against_a_coin():
    assert forecast_skill(0.25) == 0
    assert forecast_skill(0.05, coverage=0.5) == pytest.approx(0.4)


def test_areas_are_weighted_and_stars_count_more():
    parts = [
        Benchmark("tools", 0.5),
        Benchmark("tools", 1.0, starred=True),
        Benchmark("arts", 0.25),
    ]
    tools = (0.5 + 1.2) / 2.2
    index, breadth = decision_index(parts)
    assert index == pytest.approx(100 * (18.3 * tools + 10.0 * 0.25) / 28.3)
    assert breadth == pytest.approx(100 * tools ** (18.3 / 28.3) * 0.25 ** (10.0 / 28.3))


def test_what_is_no_area_is_refused():
    with pytest.raises(ShapeError, match="area: got 'law'; allowed: tools"):
        decision_index([Benchmark("law", 0.5)])
    with pytest.raises(ShapeError):
        decision_index([])
