from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.data.split import LEAST, MOST, MOST_SHARE, SHARE, held_out, quota


@given(st.dictionaries(st.integers(0, 99).map(str), st.integers(1, 30), max_size=40))
def test_no_more_than_the_quota_is_held_out(sizes):
    chosen = held_out("made", sizes)
    assert chosen <= set(sizes)
    assert sum(sizes[group] for group in chosen) <= quota(sum(sizes.values()))


@pytest.mark.parametrize(
    ("examples", "expected"),
    [(100, 10), (400, 40), (1000, 40), (5000, 100), (7500, 150), (300_000, 150), (0, 0)],
)
def test_the_quota_is_a_share_within_bounds(examples, expected):
    assert (SHARE, MOST, LEAST, MOST_SHARE) == (0.02, 150, 40, 0.1)
    assert quota(examples) == expected


def test_the_quota_is_filled_whatever_the_order_of_rows():
    sizes = {str(number): 1 + number % 3 for number in range(4000)}
    backwards = dict(reversed(sizes.items()))
    chosen = held_out("made", sizes)
    assert chosen == held_out("made", backwards)
    assert sum(sizes[group] for group in chosen) == 150


def test_sources_hold_out_groups_of_their_own():
    sizes = {str(number): 1 for number in range(1000)}
    both = Counter([*held_out("first", sizes), *held_out("second", sizes)])
    assert sum(count == 2 for count in both.values()) < 10  # 1.6 expected by chance


def test_a_document_above_the_quota_is_trained_on():
    assert held_out("made", {"large": 150, "small": 10}) == {"small"}
