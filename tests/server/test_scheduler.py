"""What the scheduler promises to those who wait, with engines that can be held up."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from support.fake_engine import fake_response

from steelyard.errors import (
    DeadlineError,
    OverloadedError,
    RequestError,
    SteelyardError,
    UnavailableError,
)
from steelyard.server.scheduler import Decide, Scheduler
from steelyard.types.answer import Response
from steelyard.types.question import Noul
from steelyard.types.request import Request


def request(state: str) -> Request:
    return Request(state, {"q": Noul("Is it?")})


class Held:
    """Answers as the fake engine does, but only once `gate` is open; keeps what it was asked."""

    def __init__(self, *, is_open: bool = True) -> None:
        self.gate = threading.Event()
        self.started = threading.Event()
        self.batches: list[tuple[list[str], str]] = []
        if is_open:
            self.gate.set()

    def __call__(
        self, requests: Sequence[Request], partition: str
    ) -> list[Response | SteelyardError]:
        self.batches.append(([str(one.state) for one in requests], partition))
        self.started.set()
        assert self.gate.wait(60)
        if any(one.state == "broken" for one in requests):
            raise RuntimeError("the engine broke")
        return [_outcome(one) for one in requests]

    async def wait_until_busy(self) -> None:
        await asyncio.to_thread(self.started.wait, 60)


def _outcome(one: Request) -> Response | SteelyardError:
    try:
        return fake_response(one)
    except RequestError as error:
        return error


def scheduler(decide: Decide, **settings: Any) -> Scheduler:
    defaults = {"window_s": 0.005, "batch_tokens": 10_000, "max_queue": 100, "deadline_s": 10.0}
    return Scheduler(decide, **{**defaults, **settings})


def within(decide: Decide, use: Callable[[Scheduler], Awaitable[Any]], **settings: Any) -> Any:
    async def run() -> Any:
        async with scheduler(decide, **settings) as one:
            return await use(one)

    return asyncio.run(run())


def test_who_asks_alone_waits_for_nobody_until_there_was_company() -> None:
    async def use(one: Scheduler) -> list[float]:
        alone = [await one.submit(request("first")), await one.submit(request("second"))]
        await asyncio.gather(one.submit(request("a")), one.submit(request("b")))
        expecting = await one.submit(request("third"))
        return [each.queue_ms for each in (*alone, expecting)]

    first, second, third = within(Held(), use, window_s=0.2)
    assert max(first, second) < 100
    assert third >= 190


def test_requests_at_once_are_computed_together_and_each_gets_its_own_answer() -> None:
    engine = Held()
    states = [f"state {n}" for n in range(20)]

    async def use(one: Scheduler) -> list[Any]:
        return await asyncio.gather(*(one.submit(request(state)) for state in states))

    served = within(engine, use)
    assert [one.response for one in served] == [fake_response(request(state)) for state in states]
    assert engine.batches == [(states, "")]
    assert {one.batch_requests for one in served} == {20}
    assert all(one.queue_ms >= 0 and one.compute_ms >= 0 for one in served)


def test_partitions_are_computed_apart() -> None:
    engine = Held()

    async def use(one: Scheduler) -> None:
        await asyncio.gather(*(one.submit(request(p), p) for p in ("a", "b")))

    within(engine, use)
    assert engine.batches == [(["a"], "a"), (["b"], "b")]


def test_a_full_queue_refuses_at_once_and_says_when_to_come_back() -> None:
    engine = Held(is_open=False)

    async def use(one: Scheduler) -> OverloadedError:
        busy = asyncio.create_task(one.submit(request("busy")))
        await engine.wait_until_busy()
        waiting = [asyncio.create_task(one.submit(request(f"{n}"))) for n in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(OverloadedError) as refused:
            await one.submit(request("too much"))
        engine.gate.set()
        await asyncio.gather(busy, *waiting)
        return refused.value

    error = within(engine, use, max_queue=2)
    assert 1 <= error.retry_after_s <= 30
    assert all("too much" not in states for states, _ in engine.batches)


def test_the_deadline_holds_for_who_waits_and_for_who_is_computed() -> None:
    engine = Held(is_open=False)

    async def use(one: Scheduler) -> None:
        busy = asyncio.create_task(one.submit(request("busy")))
        await engine.wait_until_busy()
        waiting = asyncio.create_task(one.submit(request("late")))
        for task in (busy, waiting):
            with pytest.raises(DeadlineError, match=r"within 0\.2 s"):
                await task
        assert one.num_waiting == 0
        engine.gate.set()

    within(engine, use, deadline_s=0.2)
    assert engine.batches == [(["busy"], "")]


def test_who_is_cancelled_leaves_the_queue() -> None:
    engine = Held(is_open=False)

    async def use(one: Scheduler) -> None:
        busy = asyncio.create_task(one.submit(request("busy")))
        await engine.wait_until_busy()
        gone = asyncio.create_task(one.submit(request("gone")))
        stays = asyncio.create_task(one.submit(request("stays")))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        engine.gate.set()
        await asyncio.gather(busy, stays)

    within(engine, use)
    assert [states for states, _ in engine.batches] == [["busy"], ["stays"]]


def test_a_refused_request_fails_alone() -> None:
    async def use(one: Scheduler) -> list[Any]:
        return await asyncio.gather(
            *(one.submit(request(state)) for state in ("good", "refuse me")),
            return_exceptions=True,
        )

    good, refused = within(Held(), use)
    assert good.response == fake_response(request("good"))
    assert isinstance(refused, RequestError)


def test_a_request_that_breaks_the_engine_does_not_take_its_company_with_it() -> None:
    engine = Held()

    async def use(one: Scheduler) -> list[Any]:
        return await asyncio.gather(
            *(one.submit(request(state)) for state in ("good", "broken", "fine")),
            return_exceptions=True,
        )

    good, broken, fine = within(engine, use)
    assert isinstance(broken, RuntimeError)
    assert [good.response, fine.response] == [
        fake_response(request("good")), fake_response(request("fine")),
    ]  # fmt: skip
    assert len(engine.batches) == 4


def test_draining_answers_what_waits_and_takes_nothing_new() -> None:
    engine = Held(is_open=False)

    async def run() -> list[Any]:
        one = scheduler(engine)
        async with one:
            tasks = [asyncio.create_task(one.submit(request("first")))]
            await engine.wait_until_busy()
            tasks.append(asyncio.create_task(one.submit(request("second"))))
            await asyncio.sleep(0)
            asyncio.get_running_loop().call_later(0.05, engine.gate.set)
        with pytest.raises(UnavailableError):
            await one.submit(request("too late"))
        return await asyncio.gather(*tasks)

    assert len(asyncio.run(run())) == 2


def test_a_scheduler_that_was_not_entered_takes_nothing() -> None:
    async def run() -> None:
        with pytest.raises(UnavailableError):
            await scheduler(Held()).submit(request("early"))

    asyncio.run(run())
