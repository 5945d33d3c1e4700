"""The sections on the server in docs/measurements.md: what HTTP adds, load, and the fuzz."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.tables import source, table

Record = Mapping[str, Any]


def overhead(records: Sequence[Record], _: Path) -> str:
    """What HTTP adds to the engine's time, and what many clients gain over one."""
    rows = [
        [
            str(record["settings"]["workers"]),
            str(record["settings"]["threads"]),
            _spread(record["results"]["added_ms"]),
            _spread(record["results"]["compute_ms"], digits=0),
            _spread(record["results"]["gain"], digits=2),
        ]
        for record in records
    ]
    cell = records[0]["settings"]
    head = [
        "workers",
        "threads each",
        "added by HTTP, ms",
        "engine, ms",
        f"throughput of {cell['clients']} clients to one's",
    ]
    return _part(
        f"Short requests of {cell['tokens']} tokens with a state each, {cell['model']}, "
        f"{cell['dtype']}; medians, and the extremes in brackets.",
        table(head, rows),
        records,
    )


def load(records: Sequence[Record], _: Path) -> str:
    """Clients at twice the capacity, and a worker that is killed."""
    (record,) = records
    cell, found = record["settings"], record["results"]
    rows = []
    for name, seen in (("load", found["load"]), ("a worker killed", found["killed"])):
        refused = seen["refused_s"]
        rows.append(
            [
                name,
                f"{seen['statuses'].get('200', 0):,}",
                f"{seen['statuses'].get('429', 0):,}",
                str(seen["wrong"]),
                str(seen["broken"]),
                "{median:.2f}, {p99:.2f}".format(**seen["accepted_s"]),
                "" if refused is None else f"{1e3 * refused['p99']:.0f}",
            ]
        )
    head = [
        "",
        "answered",
        "refused",
        "wrong",
        "connections broken",
        "answered after, s: median, p99",
        "refused after, ms: p99",
    ]
    first, last = (f"{found['resident_bytes'][at] / 2**20:,.0f}" for at in (0, -1))
    return _part(
        f"{cell['connections']} connections for {cell['seconds']:.0f} s at twice the capacity "
        f"({found['capacity_per_s']:.1f} requests a second of one client), a queue of "
        f"{cell['max_queue']}, a deadline of {cell['deadline_s']:g} s, {cell['model']}, "
        f"{cell['dtype']}, {cell['threads']} thread. Every answer was held against the engine's "
        f"own (largest difference {found['load']['largest_difference']:.0e}). Memory: {first} MiB "
        f"at the start, {last} at the end, with stored prefixes. A worker of two that was killed "
        f"was replaced after {found['killed']['replaced_s']:.1f} s; the longest time without any "
        f"answer was {found['killed']['longest_pause_s']:.1f} s.",
        table(head, rows),
        records,
    )


def fuzz(records: Sequence[Record], _: Path) -> str:
    """Hostile calls, by the first figure of the status that they got."""
    (record,) = records
    found = record["results"]
    rows = []
    for route, statuses in found["statuses"].items():
        counts: Counter[str] = Counter()
        for status, number in statuses.items():
            counts[status if status == "closed" else f"{status[0]}xx"] += number
        shown = (f"{counts[name]:,}" for name in ("2xx", "4xx", "5xx", "closed"))
        rows.append(["others" if route == "-" else f"`{route}`", *shown])
    half = len(found["resident_bytes"]) // 2
    kept = [number / 2**20 for number in found["resident_bytes"][half:]]
    return _part(
        f"{record['settings']['cases']:,} hostile calls: {sum(found['failures'].values())} "
        f"failures, {found['tracebacks']} tracebacks; the longest took {found['longest_s']:.0f} s. "
        f"Memory in the second half: {min(kept):,.0f} to {max(kept):,.0f} MiB.",
        table(["route", "2xx", "4xx", "5xx", "closed"], rows),
        records,
    )


def _spread(one: Mapping[str, float], digits: int = 1) -> str:
    median, low, high = (f"{one[name]:.{digits}f}" for name in ("median", "low", "high"))
    return f"{median} ({low} to {high})"


def _part(text: str, shown: str, records: Sequence[Record]) -> str:
    return "\n\n".join([text, shown, *map(source, records)])
