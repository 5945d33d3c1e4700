"""The order of the queue, on a clock made of numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from steelyard.server.line import AGEING_TOKENS_PER_S, Line, Waiting, estimate_tokens
from steelyard.types.question import Noul
from steelyard.types.request import Request

REQUEST = Request("a state", {"q": Noul("Is it?")})


def waiting(tokens: int, arrived_s: float = 0.0, partition: str = "") -> Waiting:
    return Waiting(REQUEST, tokens, partition, arrived_s)


def line(*those: Waiting, batch_tokens: int = 100, max_waiting: int = 100) -> Line[Waiting]:
    one: Line[Waiting] = Line(max_waiting=max_waiting, batch_tokens=batch_tokens)
    for each in those:
        one.join(each)
    return one


def test_equal_requests_are_taken_in_the_order_of_arrival() -> None:
    those = [waiting(40, arrived_s=0.1 * n) for n in range(5)]
    queue = line(*reversed(those))
    assert [queue.take(), queue.take(), queue.take(), queue.take()] == [
        those[:2], those[2:4], those[4:], [],
    ]  # fmt: skip


def test_a_request_longer_than_a_batch_goes_alone() -> None:
    long, short = waiting(500), waiting(10, arrived_s=1.0)
    queue = line(long, short)
    assert queue.take() == [long]
    assert queue.take() == [short]


def test_short_requests_pass_long_ones_that_came_shortly_before() -> None:
    longs = [waiting(20_000, arrived_s=0.01 * n) for n in range(3)]
    short = waiting(50, arrived_s=1.0)
    queue = line(*longs, short)
    assert queue.take() == [short]


def test_a_long_request_is_not_passed_for_ever() -> None:
    long = waiting(20_000, arrived_s=0.0)
    patience_s = 20_000 / AGEING_TOKENS_PER_S
    queue = line(long)
    now, taken = 0.0, [waiting(0)]
    while long not in taken:  # a short one arrives before each batch is taken
        queue.join(waiting(50, arrived_s=now))
        taken = queue.take()
        now += 0.25
    assert now <= patience_s + 0.5


def test_what_does_not_fit_is_passed_over_and_not_waited_for() -> None:
    first, big, small = waiting(60, 0.0), waiting(90, 0.1), waiting(30, 0.2)
    queue = line(first, big, small)
    assert queue.take() == [first, small]
    assert queue.take() == [big]


def test_a_batch_has_one_partition() -> None:
    ones = [waiting(10, 0.0, "one"), waiting(10, 0.2, "one")]
    other = waiting(10, 0.1, "other")
    queue = line(*ones, other)
    assert queue.take() == ones
    assert queue.take() == [other]


def test_whoever_leaves_is_not_taken_and_leaves_once() -> None:
    one, other = waiting(10), waiting(10)
    queue = line(one, other)
    assert queue.leave(one) and not queue.leave(one)
    assert queue.take() == [other]
    assert not queue.leave(other)


def test_the_line_is_full_at_its_bound() -> None:
    queue = line(waiting(1), max_waiting=2)
    assert not queue.is_full
    queue.join(waiting(1))
    assert queue.is_full and len(queue) == 2 and queue.tokens == 2


@given(
    st.lists(st.tuples(st.integers(1, 200), st.floats(0, 10), st.sampled_from("ab")), max_size=30)
)
def test_everybody_is_taken_once_and_batches_keep_to_the_bound(
    those: list[tuple[int, float, str]],
) -> None:
    everybody = [waiting(tokens, arrived, partition) for tokens, arrived, partition in those]
    queue = line(*everybody)
    taken: list[Waiting] = []
    while batch := queue.take():
        assert len(batch) == 1 or sum(one.tokens for one in batch) <= queue.batch_tokens
        assert len({one.partition for one in batch}) == 1
        taken += batch
    assert sorted(map(id, taken)) == sorted(map(id, everybody))


def test_the_estimate_grows_with_text_and_questions() -> None:
    more = Request("a state " * 100, REQUEST.questions)
    asked = Request("a state", {"q": Noul("Is it?"), "r": Noul("Is it not?")})
    assert estimate_tokens(REQUEST) < estimate_tokens(asked) < estimate_tokens(more)
