"""Micro-batching: many requests at once in front of an engine that computes one batch at a time.

Whoever submits waits for an answer, a refusal or the deadline; whoever is cancelled while waiting
leaves the queue. One thread computes. All else happens on one event loop.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self, TypeAlias

from steelyard.errors import (
    DeadlineError,
    OverloadedError,
    SteelyardError,
    UnavailableError,
)
from steelyard.server.line import Line, Waiting, estimate_tokens
from steelyard.types.answer import Response
from steelyard.types.request import Request

logger = logging.getLogger(__name__)

Decide: TypeAlias = Callable[[Sequence[Request], str], Sequence[Response | SteelyardError]]
"""(requests, partition) -> a response or an error in the place of each."""

MIN_RETRY_S, MAX_RETRY_S = 1.0, 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A response, and how it came about.

    Attributes:
        queue_ms: from submission to the start of its batch.
        compute_ms: of its batch.
        batch_requests: how many were computed together.
    """

    response: Response
    queue_ms: float
    compute_ms: float
    batch_requests: int


@dataclass(frozen=True, slots=True, eq=False)
class _Ticket(Waiting):
    outcome: asyncio.Future[Served] = field(kw_only=True)


class Scheduler:
    """Answers requests in batches, while it is entered: `async with Scheduler(decide) as s`.

    Leaving it drains it: what waits is still answered, and nothing new is taken.

    Args:
        decide: called in a thread of its own, one call at a time.
        window_s: how long a request that finds the engine idle waits for company, where the last
            batch had some; a client that asks alone need not wait for anybody.
        batch_tokens, max_queue: see `Line`.
        deadline_s: from submission to the answer.
    """

    def __init__(
        self,
        decide: Decide,
        *,
        window_s: float,
        batch_tokens: int,
        max_queue: int,
        deadline_s: float,
    ) -> None:
        self._decide = decide
        self._window_s = window_s
        self._deadline_s = deadline_s
        self._line: Line[_Ticket] = Line(max_waiting=max_queue, batch_tokens=batch_tokens)
        self._arrived = asyncio.Event()
        self._open = False
        self._had_company = False  # the last batch
        self._tokens_per_s = 0.0  # smoothed; 0 until a batch has been measured
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="steelyard-engine")
        self._loop: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether it takes requests: entered, not draining, and its loop alive."""
        return self._open and self._loop is not None and not self._loop.done()

    @property
    def num_waiting(self) -> int:
        return len(self._line)

    async def __aenter__(self) -> Self:
        self._open = True
        self._loop = asyncio.create_task(self._run(), name="steelyard-scheduler")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._loop is not None, "never entered"
        self._open = False
        self._arrived.set()
        try:
            await self._loop
        finally:
            self._thread.shutdown(wait=False)

    async def submit(self, request: Request, partition: str = "") -> Served:
        """The answer to `request`, computed with others of the same partition.

        Raises:
            OverloadedError: the queue is full. UnavailableError: the scheduler takes nothing.
            DeadlineError: no answer in time.
            SteelyardError: what the engine refused.
        """
        if not self.is_open:
            raise UnavailableError("the server is shutting down; send it again elsewhere or later")
        if self._line.is_full:
            raise OverloadedError(
                f"{len(self._line)} requests are waiting, as many as may wait",
                retry_after_s=self._wait_s(),
            )
        ticket = _Ticket(
            request,
            estimate_tokens(request),
            partition,
            time.monotonic(),
            outcome=asyncio.get_running_loop().create_future(),
        )
        self._line.join(ticket)
        self._arrived.set()
        try:
            async with asyncio.timeout(self._deadline_s):
                return await ticket.outcome
        except TimeoutError:
            raise DeadlineError(f"no answer within {self._deadline_s:g} s") from None
        finally:
            self._line.leave(ticket)

    async def _run(self) -> None:
        while True:
            if not self._line:
                if not self._open:
                    return
                self._arrived.clear()
                await self._arrived.wait()
                continue
            await self._gather()
            batch = self._line.take()
            if batch:  # all may have left during the window
                await self._answer(batch)

    async def _gather(self) -> None:
        """Wait for company until the window of the longest waiting closes, or a batch is full."""
        if not self._had_company:
            return
        remaining = min(one.arrived_s for one in self._line) + self._window_s - time.monotonic()
        if self._open and remaining > 0 and self._line.tokens < self._line.batch_tokens:
            await asyncio.sleep(remaining)

    async def _answer(self, batch: Sequence[_Ticket]) -> None:
        begin = time.monotonic()
        self._had_company = len(batch) > 1
        requests = [ticket.request for ticket in batch]
        outcomes = await asyncio.get_running_loop().run_in_executor(
            self._thread, self._compute, requests, batch[0].partition
        )
        seconds = time.monotonic() - begin
        self._learn(sum(ticket.tokens for ticket in batch), seconds)
        for ticket, outcome in zip(batch, outcomes, strict=True):
            if ticket.outcome.done():
                continue  # its client has gone, or its deadline has passed
            if isinstance(outcome, Exception):
                ticket.outcome.set_exception(outcome)
                continue
            served = Served(
                response=outcome,
                queue_ms=1e3 * (begin - ticket.arrived_s),
                compute_ms=1e3 * seconds,
                batch_requests=len(batch),
            )
            ticket.outcome.set_result(served)

    def _compute(self, requests: Sequence[Request], partition: str) -> list[Response | Exception]:
        """In the thread. One request that breaks the engine must not take its company with it."""
        try:
            return list(self._decide(requests, partition))
        except Exception as error:  # the worker's boundary: told to the client, and logged there
            if len(requests) == 1:
                return [error]
            logger.warning("event=batch_failed requests=%d error=%r", len(requests), type(error))
        return [self._compute([request], partition)[0] for request in requests]

    def _learn(self, tokens: int, seconds: float) -> None:
        rate = tokens / max(seconds, 1e-6)
        self._tokens_per_s = rate if not self._tokens_per_s else (self._tokens_per_s + rate) / 2

    def _wait_s(self) -> float:
        """About how long until what waits now has been computed."""
        if not self._tokens_per_s:
            return MIN_RETRY_S
        return min(max(self._line.tokens / self._tokens_per_s, MIN_RETRY_S), MAX_RETRY_S)
