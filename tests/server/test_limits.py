"""Limits: what a key may ask in a minute, on a clock that the tests move."""

from __future__ import annotations

import os

import pytest

from steelyard.errors import RateLimitError
from steelyard.server.keys import Key
from steelyard.server.limits import Limiter


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


FREE = Key("free", "0")
TWO = Key("two", "1", requests_per_min=2)
HUNDRED = Key("hundred", "2", tokens_per_min=100)
KEYS = (FREE, TWO, HUNDRED)


def limiter() -> tuple[Limiter, Clock]:
    clock = Clock()
    return Limiter(KEYS, clock), clock


def refused(one: Limiter, key: Key, tokens: int = 1) -> float:
    """After how many seconds a refused request may come back."""
    with pytest.raises(RateLimitError) as caught:
        one.spend(key, requests=1, tokens=tokens)
    return caught.value.retry_after_s


def test_a_key_without_limits_is_never_refused() -> None:
    one, _ = limiter()
    for _ in range(1000):
        one.spend(FREE, requests=10, tokens=10**9)
    assert not one.is_limited(FREE)
    one.settle(FREE, 5)


def test_a_minutes_worth_may_be_spent_at_once_and_then_as_it_is_earned() -> None:
    one, clock = limiter()
    one.spend(TWO, requests=1, tokens=1)
    one.spend(TWO, requests=1, tokens=1)
    assert refused(one, TWO) == pytest.approx(30)
    clock.now += 29
    assert refused(one, TWO) == pytest.approx(1)  # what was refused has cost nothing
    clock.now += 1.001
    one.spend(TWO, requests=1, tokens=1)
    assert refused(one, TWO) == pytest.approx(30, abs=0.01)


def test_tokens_are_limited_and_the_refusal_says_by_what() -> None:
    one, _ = limiter()
    one.spend(HUNDRED, requests=1, tokens=60)
    with pytest.raises(RateLimitError, match="more than 100 tokens a minute"):
        one.spend(HUNDRED, requests=1, tokens=60)
    one.spend(HUNDRED, requests=1, tokens=40)


def test_a_request_larger_than_a_minute_needs_a_full_balance_and_is_paid_for() -> None:
    one, clock = limiter()
    one.spend(HUNDRED, requests=1, tokens=300)
    assert refused(one, HUNDRED) == pytest.approx(120.6)
    clock.now += 179
    assert refused(one, HUNDRED, 300) == pytest.approx(1)
    clock.now += 1.001
    one.spend(HUNDRED, requests=1, tokens=300)


def test_what_a_request_really_cost_is_settled() -> None:
    one, _ = limiter()
    one.spend(HUNDRED, requests=1, tokens=90)
    one.settle(HUNDRED, 10 - 90)
    one.spend(HUNDRED, requests=1, tokens=90)
    one.settle(HUNDRED, 100 - 90)
    assert refused(one, HUNDRED, 1) > 0


def test_keys_have_balances_of_their_own() -> None:
    one, _ = limiter()
    one.spend(TWO, requests=2, tokens=1)
    refused(one, TWO)
    one.spend(HUNDRED, requests=50, tokens=100)


def test_forked_workers_share_the_balances() -> None:
    one, _ = limiter()
    pid = os.fork()
    if pid == 0:
        try:
            one.spend(TWO, requests=2, tokens=1)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    refused(one, TWO)
