"""Degraded health: what went wrong in the last minute, and that it is forgotten."""

from __future__ import annotations

from steelyard.server.health import Recent
from steelyard.server.trace import Trace


def ended(status: int = 200, error: str = "-", asks: bool = True) -> Trace:
    return Trace(id="x", begin=0.0, asks=asks, status=status, error=error)


def test_troubles_are_counted_over_a_minute_and_then_forgotten() -> None:
    now = [100.0]
    recent = Recent(lambda: now[0])
    assert recent.troubles() == []
    for _ in range(5):
        recent.called(ended())
    recent.called(ended(422, "invalid_request"))
    recent.called(ended(401, "authentication_error"))
    assert recent.troubles() == []
    recent.called(ended(500, "steelyard"))
    recent.called(ended(504, "timeout"))
    recent.called(ended(429, "overloaded"))
    recent.called(ended(500, "steelyard", asks=False))
    assert recent.troubles() == [
        "1 of 10 calls in the last 60 s ended in an internal error",
        "1 of 10 calls in the last 60 s missed the deadline",
        "1 of 10 calls in the last 60 s were refused by a full queue",
    ]
    now[0] += 59
    recent.called(ended())
    assert "1 of 11" in recent.troubles()[0]
    now[0] += 2
    assert recent.troubles() == []
