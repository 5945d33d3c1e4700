"""When a call is sent again, by the arithmetic alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from steelyard.client.refusal import Refusal
from steelyard.client.retries import Retries


def refused(**headers: str) -> Refusal:
    return Refusal(503, httpx.Headers({k.replace("_", "-"): v for k, v in headers.items()}), b"")


def test_waits_double_up_to_a_bound_and_jitter_shortens_them(monkeypatch):
    retries, last = Retries(most=9), refused()
    monkeypatch.setattr("random.random", lambda: 0.0)
    assert [retries.wait_s(n, last) for n in range(1, 8)] == [0.5, 1, 2, 4, 8, 8, 8]
    monkeypatch.setattr("random.random", lambda: 1.0)
    assert [retries.wait_s(n, last) for n in range(1, 4)] == [0.375, 0.75, 1.5]


def test_the_number_of_retries_is_a_bound():
    assert Retries(most=0).wait_s(1, refused()) is None
    assert Retries(most=2).wait_s(2, refused()) is not None
    assert Retries(most=2).wait_s(3, refused()) is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry_after": "7"}, 7.0),
        ({"retry_after_ms": "250", "retry_after": "7"}, 0.25),
        ({"retry_after_ms": "-5"}, 0.0),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 -0000"}, None),  # a date without a zone
        ({"retry_after_ms": "many"}, None),
    ],
)
def test_what_a_server_asks_for(headers, seconds):
    assert refused(**headers).retry_after_s() == seconds


def test_a_date_is_seconds_from_now():
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)
    assert refused(retry_after=then).retry_after_s() == pytest.approx(40, abs=5)


def test_the_server_s_wait_is_kept_to_and_jitter_only_lengthens_it(monkeypatch):
    monkeypatch.setattr("random.random", lambda: 1.0)
    assert Retries().wait_s(1, refused(retry_after="4")) == 5.0


def test_a_server_that_asks_for_too_long_a_wait_is_not_waited_for():
    assert Retries().wait_s(1, refused(retry_after="60")) is not None
    assert Retries().wait_s(1, refused(retry_after="61")) is None
