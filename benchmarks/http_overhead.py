"""What HTTP adds to the engine's time, and what many clients gain over one.

    python -m benchmarks.http_overhead --model mini --threads 1

asks `steelyard serve` short requests, one client and several in turns. From one reply come both
sides of a pair: the client's clock, and the engine's time of the batch, which server-timing tells.
The difference is HTTP, validation, the wait for company and the client's own part.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from benchmarks.http_client import Connection, encode_json
from benchmarks.record import (
    add_model_arguments,
    add_record_arguments,
    model_name,
    model_settings,
    provenance,
    summarise,
    write_record,
)
from benchmarks.serving import Served, serving
from benchmarks.short_requests import bodies


@dataclass(frozen=True, slots=True)
class Asked:
    """One answered request, in milliseconds: by the client's clock, and the engine's part."""

    wall_ms: float
    compute_ms: float
    tokens: int

    @property
    def added_ms(self) -> float:
        return self.wall_ms - self.compute_ms


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = provenance(options.allow_dirty)
    requests = itertools.cycle(
        [encode_json("/v1/systemone", body) for body in bodies(options.requests, options.seed)]
    )
    one: list[Asked] = []
    rates: dict[int, list[float]] = {1: [], options.clients: []}
    with serving(*arguments(options), num_workers=options.workers) as served:
        asyncio.run(ask(served, requests, options.clients, 2.0))  # warm
        for _ in range(options.rounds):
            for clients, seen in rates.items():
                asked, rate = asyncio.run(ask(served, requests, clients, options.seconds))
                seen.append(rate)
                one += asked if clients == 1 else []
    ratios = [many / single for single, many in zip(*rates.values(), strict=True)]
    path = write_record(
        options.records,
        f"http_overhead--{model_name(options.model)}-{options.dtype}-w{options.workers}",
        origin,
        seed=options.seed,
        settings=model_settings(options)
        | {
            "workers": options.workers,
            "clients": options.clients,
            "seconds": options.seconds,
            "rounds": options.rounds,
            "window_ms": options.window_ms,
            "tokens": max(each.tokens for each in one),
        },
        results={
            "added_ms": asdict(summarise([each.added_ms for each in one])),
            "compute_ms": asdict(summarise([each.compute_ms for each in one])),
            "requests_per_s": {str(n): asdict(summarise(seen)) for n, seen in rates.items()},
            "gain": asdict(summarise(ratios)),
        },
    )
    print(path)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.http_overhead",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_arguments(made)
    made.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    made.add_argument("--clients", type=int, default=16, help="against one (default: 16)")
    made.add_argument("--window-ms", type=float, default=1.0, help="as of `steelyard serve`")
    made.add_argument("--seconds", type=float, default=10.0, help="of each turn (default: 10)")
    made.add_argument("--rounds", type=int, default=5, help="turns of each (default: 5)")
    made.add_argument("--requests", type=int, default=256, help="different ones (default: 256)")
    made.add_argument("--seed", type=int, default=1)
    add_record_arguments(made)
    return made


def arguments(options: argparse.Namespace) -> tuple[str, ...]:
    """Those of `steelyard serve` that the benchmark's say."""
    return (
        *("--model", options.model, "--dtype", options.dtype, "--device", options.device),
        *("--threads", str(options.threads), "--window-ms", str(options.window_ms)),
    )


async def ask(
    served: Served, requests: Iterator[bytes], clients: int, seconds: float
) -> tuple[list[Asked], float]:
    """What clients are answered, each asking again at once, and requests a second."""
    asked: list[Asked] = []
    begin = time.perf_counter()

    async def work() -> None:
        async with Connection(served.host, served.port) as connection:
            while time.perf_counter() - begin < seconds:
                asked.append(await _timed(connection, next(requests)))

    await asyncio.gather(*(work() for _ in range(clients)))
    return asked, len(asked) / (time.perf_counter() - begin)


async def _timed(connection: Connection, request: bytes) -> Asked:
    begin = time.perf_counter()
    reply = await connection.ask(request)
    wall_ms = 1e3 * (time.perf_counter() - begin)
    assert reply.status == 200, reply
    told = re.search(r"compute;dur=([\d.]+)", reply.headers["server-timing"])
    assert told is not None, reply.headers
    return Asked(wall_ms, float(told[1]), reply.json()["usage"]["input_tokens"])


if __name__ == "__main__":
    main()
