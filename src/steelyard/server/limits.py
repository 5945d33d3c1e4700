"""How much each key may ask: requests and tokens a minute, over all worker processes.

The generic cell rate algorithm (ITU-T I.371, annex A, virtual scheduling): of each limit one number
is kept, the time at which all that was granted will have been earned. While that is less than a
minute ahead more is granted, so a quiet key may spend a minute's worth at once.

The numbers lie in memory that forked workers share, behind a lock that the kernel takes back from a
process that dies.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import struct
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from steelyard.errors import RateLimitError
from steelyard.server.keys import Key

WINDOW_S = 60.0


class Limiter:
    """The balances of keys. Made before workers are forked, it is one for all of them.

    Args:
        keys: those that may ask; a key without limits is never refused.
        clock: seconds that only move forward, the same in every process.
    """

    def __init__(self, keys: Sequence[Key], clock: Callable[[], float] = time.monotonic) -> None:
        limited = [key for key in keys if key.requests_per_min or key.tokens_per_min]
        self._places = {key.digest: place for place, key in enumerate(limited)}
        self._earned = mmap.mmap(-1, max(1, len(limited)) * _PAIR.size)  # zeros: all in the past
        self._lock, path = tempfile.mkstemp(prefix="steelyard-limits-")
        os.unlink(path)  # the descriptor is what is locked
        weakref.finalize(self, os.close, self._lock)
        self._clock = clock

    def is_limited(self, key: Key) -> bool:
        return key.digest in self._places

    def spend(self, key: Key, *, requests: int, tokens: int) -> None:
        """Take requests, and their tokens as far as they are known, from what `key` may ask.

        More than a minute allows is granted to a key that has all of its minute left, which then
        waits as long as that takes.

        Raises:
            RateLimitError: one of the limits; then nothing is taken.
        """
        if not self.is_limited(key):
            return
        now = self._clock()
        with self._balance(key) as (requests_at, tokens_at):
            asked = (
                ("requests", key.requests_per_min, requests, requests_at),
                ("tokens", key.tokens_per_min, tokens, tokens_at),
            )
            for what, limit, count, earned_at in asked:
                ahead = max(earned_at[0] - now, 0.0)
                excess = ahead + _seconds(count, limit) - WINDOW_S
                if limit and ahead and excess > 0:
                    raise RateLimitError(
                        f"more than {limit:,} {what} a minute", retry_after_s=min(ahead, excess)
                    )
            for _, limit, count, earned_at in asked:
                earned_at[0] = max(earned_at[0], now) + _seconds(count, limit)

    def settle(self, key: Key, tokens: int) -> None:
        """Add `tokens` to what was spent: what a request turned out to cost beyond the estimate.

        A negative number gives some back.
        """
        if self.is_limited(key):
            with self._balance(key) as (_, tokens_at):
                tokens_at[0] += _seconds(tokens, key.tokens_per_min)

    @contextmanager
    def _balance(self, key: Key) -> Iterator[tuple[list[float], list[float]]]:
        """Both numbers of a key, to be changed in place; kept unless an error is raised."""
        offset = self._places[key.digest] * _PAIR.size
        fcntl.lockf(self._lock, fcntl.LOCK_EX)
        try:
            requests_at, tokens_at = ([one] for one in _PAIR.unpack_from(self._earned, offset))
            yield requests_at, tokens_at
            _PAIR.pack_into(self._earned, offset, *requests_at, *tokens_at)
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)


_PAIR = struct.Struct("dd")


def _seconds(count: int, limit: int | None) -> float:
    """How long `count` takes to be earned."""
    return count * WINDOW_S / limit if limit else 0.0
