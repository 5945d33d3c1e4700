"""How the last minute went: what answers, but not as it should, is degraded and says why."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable

from steelyard.server.trace import Trace

WINDOW_S = 60
NOT_RECORDED = "decisions cannot be recorded, so every one is refused"

_TROUBLES = {
    "internal": "ended in an internal error",
    "timeout": "missed the deadline",
    "overloaded": "were refused by a full queue",
}


class Recent:
    """The calls of the last minute, counted by the second.

    Args:
        clock: seconds that only move forward.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seconds: deque[tuple[int, Counter[str]]] = deque()

    def called(self, trace: Trace) -> None:
        """Count a call that has ended, if it asked for a decision."""
        if not trace.asks:
            return
        self._forget()
        second = int(self._clock())
        if not self._seconds or self._seconds[-1][0] != second:
            self._seconds.append((second, Counter()))
        kind = "internal" if trace.status == 500 else trace.error
        self._seconds[-1][1].update(("all", kind))

    def troubles(self, *, recording: bool = True) -> list[str]:
        """What went wrong, in words; empty when nothing did.

        Args:
            recording: False where the audit file cannot be written, so that nothing is answered.
        """
        self._forget()
        counts: Counter[str] = Counter()
        for _, counted in self._seconds:
            counts.update(counted)
        told = [
            f"{counts[kind]} of {counts['all']} calls in the last {WINDOW_S} s {what}"
            for kind, what in _TROUBLES.items()
            if counts[kind]
        ]
        return told if recording else [NOT_RECORDED, *told]

    def _forget(self) -> None:
        oldest = self._clock() - WINDOW_S
        while self._seconds and self._seconds[0][0] < oldest:
            self._seconds.popleft()
