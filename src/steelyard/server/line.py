"""Who waits, and who goes next: the order of a queue, without clocks, threads or engines.

Requests stand in the order of their arrival, as if a request of n tokens had come n / AGEING later.
So short ones pass the long states in front of them, and a long one is passed only by what arrives
within that time: neither starves.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from steelyard.types.codec import dumps, encode_request
from steelyard.types.request import Request

AGEING_TOKENS_PER_S = 2000
CHARACTERS_PER_TOKEN = 3  # rather too many tokens than too few: English has more than four
QUESTION_TOKENS = 40  # the wording around a question


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """A request that waits.

    Attributes:
        tokens: what it is expected to cost; see `estimate_tokens`.
        partition: only requests of the same one are computed together.
        arrived_s: on any clock that only moves forward.
    """

    request: Request
    tokens: int
    partition: str
    arrived_s: float

    @property
    def rank(self) -> float:
        return self.arrived_s + self.tokens / AGEING_TOKENS_PER_S


W = TypeVar("W", bound=Waiting)


class Line(Generic[W]):
    """A bounded queue from which batches are taken.

    Args:
        max_waiting: most that may wait.
        batch_tokens: most tokens of a batch of several; a longer request goes alone.
    """

    def __init__(self, *, max_waiting: int, batch_tokens: int) -> None:
        self.max_waiting = max_waiting
        self.batch_tokens = batch_tokens
        self._waiting: list[W] = []  # by rank

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[W]:
        return iter(self._waiting)

    @property
    def is_full(self) -> bool:
        return len(self._waiting) >= self.max_waiting

    @property
    def tokens(self) -> int:
        """What all that wait are expected to cost."""
        return sum(one.tokens for one in self._waiting)

    def join(self, one: W) -> None:
        assert not self.is_full, "check is_full first"
        insort(self._waiting, one, key=lambda each: each.rank)  # equal ranks: the earlier first

    def leave(self, one: W) -> bool:
        """Take `one` out, wherever it stands; whether it was still there."""
        for place, each in enumerate(self._waiting):
            if each is one:
                del self._waiting[place]
                return True
        return False

    def take(self) -> list[W]:
        """The next batch: the first in line, then those of its partition that fit beside it.

        Those that do not fit are passed over, not waited for.
        """
        batch: list[W] = []
        rest: list[W] = []
        tokens = 0
        for one in self._waiting:
            if not batch or (
                one.partition == batch[0].partition and tokens + one.tokens <= self.batch_tokens
            ):
                batch.append(one)
                tokens += one.tokens
            else:
                rest.append(one)
        self._waiting = rest
        return batch


def estimate_tokens(request: Request) -> int:
    """About how many tokens a request costs, from its characters: no tokenizer is asked."""
    characters = len(dumps(encode_request(request)))
    return characters // CHARACTERS_PER_TOKEN + QUESTION_TOKENS * len(request.questions)
