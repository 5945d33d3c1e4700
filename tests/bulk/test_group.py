"""Order of work: equal states together, answers in input order, no row lost or repeated."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.bulk.group import WINDOW_BATCHES, answer, batches
from steelyard.bulk.row import Row
from steelyard.errors import ModelError, RequestError
from steelyard.types.question import Noul
from steelyard.types.request import Request

ASKED = {"q": Noul("?")}


def requests(states):
    return [(index, Request(state, ASKED)) for index, state in enumerate(states)]


def states_of(calls):
    return ["".join(request.state for _, request in call) for call in calls]


@pytest.mark.parametrize(
    ("states", "size", "calls"),
    [
        ("", 4, []),
        ("abc", 4, ["abc"]),
        ("abab", 4, ["aabb"]),
        ("abcab", 2, ["aa", "bb", "c"]),
        ("aabbb", 4, ["aa", "bbb"]),  # b fits one call, so it is not split
        ("aaaaab", 4, ["aaaa", "ab"]),  # a does not fit one call
        ("baaaaa", 4, ["b", "aaaa", "a"]),
        ("abc", 1, ["a", "b", "c"]),
    ],
)
def test_equal_states_share_a_call(states, size, calls):
    assert states_of(batches(requests(states), size)) == calls


def test_structured_states_are_grouped_by_value():
    mixed = [{"a": 1}, {"a": 2}, {"a": 1}, {"a": True}]
    numbered = [(index, Request(state, ASKED)) for index, state in enumerate(mixed)]
    assert [[index for index, _ in call] for call in batches(numbered, 4)] == [[0, 2, 1, 3]]


@given(
    st.lists(st.sampled_from(["a", "b", "c", "d", None]), max_size=60),
    st.integers(min_value=1, max_value=5),
)
def test_every_row_is_answered_once_and_in_order(states, size):
    bad = RequestError("bad")
    rows = [
        Row(line=n + 1, end=n, id=n, asked=bad if state is None else Request(state, ASKED))
        for n, state in enumerate(states)
    ]
    calls = []

    def decide(asked):
        calls.append([request.state for request in asked])
        return [RequestError(request.state) for request in asked]

    given_back = list(answer(iter(rows), decide, size))
    assert all(given_back), "no empty list"
    pairs = [pair for ready in given_back for pair in ready]
    assert [row for row, _ in pairs] == rows
    assert [outcome.message for _, outcome in pairs] == [state or "bad" for state in states]
    assert all(1 <= len(call) <= size for call in calls)
    assert sorted(itertools.chain(*calls)) == sorted(filter(None, states))


def test_rows_are_read_a_window_at_a_time():
    read = []

    def rows():
        for number in range(100):
            read.append(number)
            yield Row(line=number + 1, end=0, id=None, asked=Request(f"s{number}", ASKED))

    answers = answer(rows(), lambda asked: [RequestError("x") for _ in asked], 2)
    next(answers)
    assert len(read) == 2 * WINDOW_BATCHES


def test_an_error_that_is_not_the_rows_is_raised():
    rows = [Row(line=1, end=0, id=None, asked=Request("a", ASKED))]
    with pytest.raises(ModelError, match="broken"):
        list(answer(rows, lambda asked: [ModelError("broken")], 4))
