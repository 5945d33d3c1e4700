"""A server at twice its capacity, and a server that loses a worker.

    python -m benchmarks.http_load --model mini --threads 1 --seconds 120

First the engine is asked in this process, so that every answer over HTTP is held to its own. Then
the server's capacity is measured, and requests come at twice that rate over 64 connections: some
are answered, others refused at once. At last one of two workers is killed under load.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from benchmarks.http_client import Connection
from benchmarks.http_overhead import arguments
from benchmarks.record import (
    add_model_arguments,
    add_record_arguments,
    load_model,
    model_name,
    model_settings,
    provenance,
    write_record,
)
from benchmarks.serving import Served, serving
from benchmarks.short_requests import Known, answered, bodies, difference

CONNECTIONS = 64
BOUNDS = {"float32": 1e-5, "bfloat16": 0.05}
"""How far an answer may lie from the same question's asked alone: the engine's own bound."""


@dataclass(slots=True)
class Seen:
    """What clients have seen.

    Attributes:
        seconds: of each reply, by status.
        broken: connections that ended without a reply.
        differences: of the answers, to the known ones.
        at: when each answer came, on the clock.
        late: requests that found no connection free when they were due.
    """

    seconds: dict[int, list[float]] = field(default_factory=dict)
    broken: int = 0
    differences: list[float] = field(default_factory=list)
    at: list[float] = field(default_factory=list)
    late: int = 0

    async def ask(self, connection: Connection, known: Known) -> None:
        begin = time.perf_counter()
        reply = await connection.ask(known.request)
        now = time.perf_counter()
        self.seconds.setdefault(reply.status, []).append(now - begin)
        if reply.status == 200:
            self.at.append(now)
            self.differences.append(difference(reply, known))

    def results(self, bound: float) -> dict[str, object]:
        return {
            "statuses": {str(each): len(found) for each, found in sorted(self.seconds.items())},
            "broken": self.broken,
            "late": self.late,
            "wrong": sum(each > bound for each in self.differences),
            "largest_difference": max(self.differences, default=0.0),
            "accepted_s": _spread(self.seconds.get(200, [])),
            "refused_s": _spread(self.seconds.get(429, [])),
        }


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = provenance(options.allow_dirty)
    bound = BOUNDS[options.dtype]
    known = known_answers(options)
    limits = ("--max-queue", str(options.max_queue), "--deadline-s", str(options.deadline_s))
    with serving(*arguments(options), *limits) as served:
        capacity = asyncio.run(ask_again(served, known, 16, options.seconds / 8)).at
        rate = len(capacity) / (options.seconds / 8)
        load, memory = asyncio.run(overloaded(served, known, 2 * rate, options.seconds))
    print(load.results(bound), file=sys.stderr)
    with serving(*arguments(options), *limits, num_workers=2) as served:
        killed = asyncio.run(losing_one(served, known, options.seconds / 2, bound))
    path = write_record(
        options.records,
        f"http_load--{model_name(options.model)}-{options.dtype}",
        origin,
        seed=options.seed,
        settings=model_settings(options)
        | {
            "connections": CONNECTIONS,
            "seconds": options.seconds,
            "max_queue": options.max_queue,
            "deadline_s": options.deadline_s,
            "window_ms": options.window_ms,
            "bound": bound,
        },
        results={
            "capacity_per_s": rate,
            "offered_per_s": 2 * rate,
            "load": load.results(bound),
            "resident_bytes": memory,
            "killed": killed,
        },
    )
    print(path)
    if any(each > bound for each in load.differences):
        sys.exit("an answer is not the engine's")


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.http_load",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_arguments(made)
    made.add_argument("--seconds", type=float, default=120.0, help="of load (default: 120)")
    made.add_argument("--max-queue", type=int, default=16, help="(default: 16)")
    made.add_argument("--deadline-s", type=float, default=30.0, help="(default: 30)")
    made.add_argument("--window-ms", type=float, default=1.0)
    made.add_argument("--requests", type=int, default=100, help="different ones (default: 100)")
    made.add_argument("--seed", type=int, default=1)
    add_record_arguments(made)
    return made


def known_answers(options: argparse.Namespace) -> list[Known]:
    """Every request with what the engine answers it, asked alone in this process."""
    with load_model(options) as engine:
        return answered(engine, bodies(options.requests, options.seed))


async def ask_again(served: Served, known: Sequence[Known], clients: int, seconds: float) -> Seen:
    """Clients that ask again as soon as they are answered, and reconnect when they are cut off."""
    seen, waiting = Seen(), itertools.cycle(known)
    end = time.perf_counter() + seconds

    async def work() -> None:
        while time.perf_counter() < end:
            try:
                async with Connection(served.host, served.port) as connection:
                    while time.perf_counter() < end:
                        await seen.ask(connection, next(waiting))
            except OSError:
                seen.broken += 1
                await asyncio.sleep(0.05)

    await asyncio.gather(*(work() for _ in range(clients)))
    return seen


async def overloaded(
    served: Served, known: Sequence[Known], rate: float, seconds: float
) -> tuple[Seen, list[int]]:
    """Requests at a steady rate, whether or not those before are answered; and memory over time."""
    seen, waiting = Seen(), itertools.cycle(known)
    free: asyncio.Queue[Connection] = asyncio.Queue()
    asking: set[asyncio.Task[None]] = set()
    memory: list[int] = []

    async def one(connection: Connection) -> None:
        try:
            await seen.ask(connection, next(waiting))
        except OSError:
            seen.broken += 1
            connection = await Connection(served.host, served.port).__aenter__()
        free.put_nowait(connection)

    for _ in range(CONNECTIONS):
        free.put_nowait(await Connection(served.host, served.port).__aenter__())
    begin = time.perf_counter()
    for due in _due(rate, seconds):
        await asyncio.sleep(max(0.0, begin + due - time.perf_counter()))
        if due >= seconds / 20 * len(memory):
            memory.append(served.resident_bytes())
        seen.late += free.empty()
        task = asyncio.create_task(one(await free.get()))
        asking.add(task)
        task.add_done_callback(asking.discard)
    await asyncio.gather(*asking)
    memory.append(served.resident_bytes())
    while not free.empty():
        await free.get_nowait().__aexit__()
    return seen, memory


async def losing_one(
    served: Served, known: Sequence[Known], seconds: float, bound: float
) -> dict[str, object]:
    """Kill a worker a quarter of the way through, and see what clients see."""
    asking = asyncio.create_task(ask_again(served, known, 16, seconds))
    await asyncio.sleep(seconds / 4)
    before = served.workers
    killed = min(before)
    os.kill(killed, signal.SIGKILL)
    at = time.perf_counter()
    while len(served.workers - {killed}) < 2:
        await asyncio.sleep(0.05)
    replaced_s = time.perf_counter() - at
    seen = await asking
    gaps = [b - a for a, b in itertools.pairwise(sorted(seen.at))]
    return {
        **seen.results(bound),
        "replaced_s": replaced_s,
        "answers_while_it_was_gone": sum(at < each < at + replaced_s for each in seen.at),
        "longest_pause_s": max(gaps, default=seconds),
    }


def _due(rate: float, seconds: float) -> Iterator[float]:
    """When each request is due, in seconds from the start."""
    return (number / rate for number in range(int(rate * seconds)))


def _spread(seconds: Sequence[float]) -> dict[str, float] | None:
    """Median, 99th percentile and largest."""
    if not seconds:
        return None
    ordered = sorted(seconds)
    at = {"median": 0.5, "p99": 0.99, "largest": 1.0}
    return {name: ordered[min(int(q * len(ordered)), len(ordered) - 1)] for name, q in at.items()}


if __name__ == "__main__":
    main()
