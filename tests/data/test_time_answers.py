from random import Random

import pytest

from steelyard.data.time_answers import near_dates, near_lists


@pytest.mark.parametrize(
    ("gold", "one"),
    [
        ("2001-05-03", "2001-05-04"),
        ("May 3, 2001", "May 4, 2001"),
        ("Mar, 1873", "Apr, 1873"),
        ("09:30", "09:31"),
        ("9:30 PM", "9:31 PM"),
        ("23:59:10", "00:00:10"),
    ],
)
def test_dates_and_times_move_a_little_and_keep_their_form(gold: str, one: str) -> None:
    found = {text for seed in range(60) for text in near_dates(gold, Random(seed))}
    assert one in found and gold not in found
    assert len({len(text.split()) for text in found}) == 1


def test_what_is_no_date_has_no_neighbours() -> None:
    assert near_dates("next week", Random(0)) == []


def test_lists_lose_one_name_or_swap_two_neighbours() -> None:
    found = {text for seed in range(40) for text in near_lists(["a", "b", "c"], Random(seed))}
    assert found == {"b, c", "a, c", "a, b", "b, a, c", "a, c, b"}
    assert near_lists(["a"], Random(0)) == []
