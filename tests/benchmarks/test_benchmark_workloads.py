"""Workloads are the same bytes everywhere, and have the shapes that they promise."""

from __future__ import annotations

import pytest

from benchmarks.workloads import (
    criteria,
    digest,
    directory,
    equal64,
    right_queue,
    shape777,
    unequal64,
)
from steelyard.types.question import Choice


def test_shape777_is_pinned() -> None:
    assert digest(shape777()) == (
        "9864ecd4fe0a988ee91629d4d5443eda6980b85d2936fdca29ace8e713c44e11"
    )


def test_unequal64_is_pinned() -> None:
    assert digest([unequal64()]) == (
        "c379c3db27c0c1680119ef5540d3939361f21e8ca6b9a27dacab507bb2def64b"
    )


def test_directory_is_pinned() -> None:
    assert digest([directory(255, 27)]) == (
        "e1e2fa83d59716222556ff53bcfeb85ed6f669036ff571a135d1cd0b4e58ed35"
    )


def test_another_seed_gives_other_documents() -> None:
    assert digest(shape777(1)) != digest(shape777(2))


def test_shape777_asks_777_questions_of_37_different_states() -> None:
    requests = shape777()
    assert len({request.state for request in requests}) == 37
    assert sum(len(request.questions) for request in requests) == 777
    assert all(5200 < len(request.state) < 7500 for request in requests)


def test_criteria_come_in_short_and_medium_wording() -> None:
    words = [len(str(question.instructions).split()) for question in criteria().values()]
    assert max(words[:11]) <= 8
    assert min(words[11:]) >= 10


def test_unequal64_runs_from_5_to_more_than_400_words() -> None:
    questions = unequal64().questions.values()
    words = sorted(len(str(question.instructions).split()) for question in questions)
    assert len(words) == 64
    assert (words[0], words[-1]) == (5, 420)
    assert words[32] < sum(words) / 64 / 1.5  # a few are far longer than most


def test_equal64_has_the_state_and_the_words_of_unequal64_shared_out_evenly() -> None:
    equal, unequal = (
        [len(str(question.instructions).split()) for question in request.questions.values()]
        for request in (equal64(), unequal64())
    )
    assert equal64().state == unequal64().state
    assert sum(equal) == sum(unequal)
    assert max(equal) - min(equal) == 1


@pytest.mark.parametrize("position", [1, 26, 27, 128, 255])
def test_the_right_queue_is_where_it_was_put(position: int) -> None:
    request = directory(255, position)
    question = request.questions["queue"]
    assert isinstance(question, Choice)
    options = list(question.criteria)
    assert len(options) == 255
    assert options[position - 1] == right_queue(request)
    assert str(request.state).count(right_queue(request)) == 1


def test_a_directory_names_its_queue_at_the_end_of_a_longer_state() -> None:
    assert str(directory(26, 3, state="Before.").state).startswith("Before.\n\nTicket ")
    assert right_queue(directory(26, 3, state="Before.")) == right_queue(directory(26, 5))
