"""Whether a call is sent again, and when. Decisions change nothing, so sending twice is safe.

Sent again is what another moment may cure: a refusal with status 429, 502, 503 or 504, and a
connection that could not be made or broke. A server that is silent until the timeout is not asked
again: it may still be at work, and would be given more.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import httpx

from steelyard.client.refusal import Refusal
from steelyard.errors import RequestError

STATUSES = (429, 502, 503, 504)
CONNECTION = (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ConnectTimeout)
JITTER = 0.25


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how patiently.

    Attributes:
        most: times that a call is sent again.
        first_s: about how long to wait the first time; it doubles from then on ...
        longest_s: ... up to this.
        longest_asked_s: a server that asks for a longer wait than this is not waited for.
    """

    most: int = 2
    first_s: float = 0.5
    longest_s: float = 8.0
    longest_asked_s: float = 60.0

    def __post_init__(self) -> None:
        if self.most < 0:
            raise RequestError(f"got {self.most}; allowed: 0 or more", field="max_retries")

    def wait_s(self, failures: int, last: Refusal | httpx.RequestError) -> float | None:
        """Seconds to wait before the call is sent again, or None: the last failure stands.

        Args:
            failures: how often the call has failed, at least 1.
        """
        if failures > self.most:
            return None
        asked_s = None
        if isinstance(last, Refusal):
            if last.status not in STATUSES:
                return None
            asked_s = last.retry_after_s()
        elif not isinstance(last, CONNECTION):
            return None
        # Jitter, so that clients that were refused together do not come back together.
        share = JITTER * random.random()
        if asked_s is None:
            return min(self.longest_s, self.first_s * 2.0 ** (failures - 1)) * (1 - share)
        return None if asked_s > self.longest_asked_s else asked_s * (1 + share)
