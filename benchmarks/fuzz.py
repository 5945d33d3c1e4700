"""A server under calls that nobody should make: no 5xx, no hang, no growth of memory.

    python -m benchmarks.fuzz --cases 20000

starts `steelyard serve` with an engine without a model, sends it cases of `benchmarks/hostile.py`
and, between them, good requests whose answers are known. A case that fails is written to
--failures; its file, put into tests/server/hostile/, is asked again by the tests.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.hostile import MAX_BODY_BYTES, Case, case
from benchmarks.http_client import Connection, Reply, encode_json, read_reply
from benchmarks.record import add_record_arguments, provenance, write_record
from benchmarks.serving import Served, serving

LIMIT_S = 30.0
"""For all that one case has to be told. The server's own clocks run for BODY_S."""

BODY_S = 3.0
AT_ONCE = 48
CHUNK = 500
FAILURES = Path("build/fuzz")
SERVER = ("--body-s", str(BODY_S), "--max-body-mb", str(MAX_BODY_BYTES / 2**20))

GOOD = encode_json(
    "/v1/systemone",
    {"state": "known", "questions": {"q": {"type": "noul", "instructions": "Is it?"}}},
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came back for a case.

    Attributes:
        statuses: of its replies, or "closed" where the connection ended without one.
        wrong: what must not be, or "".
    """

    statuses: tuple[str, ...]
    seconds: float
    wrong: str = ""


@dataclass(slots=True)
class Found:
    """All outcomes so far, counted."""

    statuses: dict[str, Counter[str]] = field(default_factory=dict)
    by_kind: dict[str, Counter[str]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    failures: list[tuple[Case, str]] = field(default_factory=list)

    def add(self, one: Case, outcome: Outcome) -> None:
        self.statuses.setdefault(one.route, Counter()).update(outcome.statuses)
        self.by_kind.setdefault(one.kind, Counter()).update(outcome.statuses)
        self.seconds.append(outcome.seconds)
        if outcome.wrong:
            self.failures.append((one, outcome.wrong))


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = provenance(options.allow_dirty)
    found = Found()
    with serving(*SERVER, fake=True) as served:
        asyncio.run(
            run(served, cases(options.seed, 0, CHUNK), Found())
        )  # what it keeps, it has now
        memory = [served.resident_bytes()]
        for begin in range(CHUNK, CHUNK + options.cases, CHUNK):
            end = min(begin + CHUNK, CHUNK + options.cases)
            asyncio.run(run(served, cases(options.seed, begin, end), found))
            memory.append(served.resident_bytes())
            done = f"{end - CHUNK} cases, {len(found.failures)} failures, {memory[-1]:,} bytes"
            print(done, file=sys.stderr, flush=True)
        connections = served.num_connections()
        logged = served.log.read_text(encoding="utf-8")
    for index, (one, wrong) in enumerate(found.failures):
        options.failures.mkdir(parents=True, exist_ok=True)
        path = options.failures / f"{one.kind}-{index}.json"
        path.write_text(one.dumps(), encoding="utf-8")
        print(f"{path}: {wrong}", file=sys.stderr)
    seconds = sorted(found.seconds)
    path = write_record(
        options.records,
        "fuzz",
        origin,
        seed=options.seed,
        settings={"cases": options.cases, "limit_s": LIMIT_S, "body_s": BODY_S, "at_once": AT_ONCE,
                  "max_body_bytes": MAX_BODY_BYTES},
        results={
            "statuses": _sorted(found.statuses),
            "statuses_by_kind": _sorted(found.by_kind),
            "failures": Counter(wrong for _, wrong in found.failures),
            "tracebacks": logged.count("Traceback"),
            "median_s": seconds[len(seconds) // 2],
            "longest_s": seconds[-1],
            "resident_bytes": memory,
            "connections_left": connections,
        },
    )  # fmt: skip
    print(path)
    if found.failures or "Traceback" in logged:
        print(logged[logged.find("Traceback") - 500 :][:3000], file=sys.stderr)
        sys.exit(1)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--cases", type=int, default=20_000, help="how many (default: 20000)")
    made.add_argument("--seed", type=int, default=1, help="of the cases (default: 1)")
    made.add_argument(
        "--failures", type=Path, default=FAILURES, help="folder of failed cases (%(default)s)"
    )
    add_record_arguments(made)
    return made


def cases(seed: int, begin: int, end: int) -> list[Case]:
    """Made before they are sent: a client that computes meanwhile looks like a slow one."""
    return [case(seed, number) for number in range(begin, end)]


async def run(served: Served, some: Sequence[Case], found: Found) -> None:
    """Send cases, some at a time, and good requests between them."""
    async with Connection(served.host, served.port) as known:
        expected = (await known.ask(GOOD)).json()
    waiting = iter(some)

    async def work() -> None:
        for number, one in enumerate(waiting):
            found.add(one, await send(served.host, served.port, one))
            if number % 10 == 0:
                wrong = await _probe(served, expected)
                if wrong:
                    found.failures.append((one, wrong))

    await asyncio.gather(*(work() for _ in range(AT_ONCE)))


async def send(host: str, port: int, one: Case) -> Outcome:
    """Send a case on a connection of its own, and judge what comes back."""
    begin = time.perf_counter()
    replies: list[Reply] = []
    wrong = reset = ""
    try:
        async with asyncio.timeout(LIMIT_S), Connection(host, port) as connection:
            sending = asyncio.create_task(_send(connection, one))
            try:
                while one.ending != "leave" and len(replies) < one.replies:
                    reply = await read_reply(connection.reader, is_head=one.is_head)
                    if reply is None:
                        break
                    replies.append(reply)
                if one.ending == "leave":
                    await sending
            finally:
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)
    except TimeoutError:
        wrong = f"nothing within {LIMIT_S:g} s"
    except OSError as error:  # as good as closed
        reset = type(error).__name__
    statuses = [str(reply.status) for reply in replies]
    if len(replies) < one.replies and one.ending != "leave":
        statuses.append("closed")
    seconds = time.perf_counter() - begin - sum(pause for pause, _ in one.sends)
    wrong = wrong or judge(one, replies)
    return Outcome(tuple(statuses), seconds, wrong and f"{wrong} {reset}".rstrip())


async def _send(connection: Connection, one: Case) -> None:
    for pause, data in one.sends:
        await asyncio.sleep(pause)
        connection.writer.write(data)
        await connection.writer.drain()
    if one.ending == "half-close":
        connection.writer.write_eof()


def judge(one: Case, replies: Sequence[Reply]) -> str:
    """What is wrong with the replies to a case, or ""."""
    if one.must_reply and not replies:
        return "no reply"
    for reply in replies:
        if reply.status >= 500:
            return f"status {reply.status}"
        if reply.status >= 400 and not one.is_head and "x-request-id" in reply.headers:
            try:
                told = reply.json()
            except ValueError:
                return "an error that is not JSON"
            if not isinstance(told, dict) or not {"detail", "error"} & told.keys():
                return "an error of no known form"
    return ""


async def _probe(served: Served, expected: object) -> str:
    """Whether a good request is answered as ever."""
    try:
        async with asyncio.timeout(LIMIT_S), Connection(served.host, served.port) as known:
            reply = await known.ask(GOOD)
    except (TimeoutError, OSError) as error:
        return f"a good request beside it: {type(error).__name__}"
    if reply.status != 200 or reply.json() != expected:
        return f"a good request beside it: {reply.status}"
    return ""


def _sorted(counted: dict[str, Counter[str]]) -> dict[str, dict[str, int]]:
    return {name: dict(sorted(counted[name].items())) for name in sorted(counted)}


if __name__ == "__main__":
    main()
