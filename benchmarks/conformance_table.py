"""The section on conformance in docs/measurements.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.tables import source, table


def render(records: Sequence[Mapping[str, Any]]) -> str:
    """What clients and suites of others found in the server, a part for each record."""
    return "\n\n".join(_part(record) for record in records)


def _part(record: Mapping[str, Any]) -> str:
    results = record["results"]
    parts = [
        f"The server with {record['settings']['model']}, put through jevcompat: requirements that "
        "hold of those that apply.",
        table(
            ["server", "MUST", "SHOULD", "requests", "seconds", "CPU s of each process"],
            [_compatibility(name, found) for name, found in results["jevcompat"].items()],
        ),
        *_javascript(results["javascript"]),
        *_coherence(results["jevbench"], record["settings"]["at_once"]),
        source(record),
    ]
    return "\n\n".join(parts)


def _compatibility(name: str, found: Mapping[str, Any]) -> list[str]:
    return [
        name,
        "{} of {}".format(*found["must"]),
        "{} of {}".format(*found["should"]),
        str(found["requests"]),
        f"{found['seconds']:.0f}",
        ", ".join(f"{seconds:.0f}" for seconds in found["worker_cpu_s"]),
    ]


def _javascript(found: Mapping[str, Any] | None) -> list[str]:
    if found is None:
        return []
    return [f"`{found['package']}` {'found' if found['passed'] else 'failed'}: {found['said']}."]


def _coherence(suites: Mapping[str, Mapping[str, Any]], at_once: int) -> list[str]:
    if not suites:
        return []
    dimensions = list(next(iter(suites.values()))["dimensions"])
    rows = [
        [
            suite,
            *(_share(found["dimensions"][name]) for name in dimensions),
            f"{found['largest_batch_difference']:.1e}",
            str(found["relations"]),
            str(found["requests"]),
            f"{found['seconds']:.0f}",
        ]
        for suite, found in suites.items()
    ]
    head = ["suite", *dimensions, "largest difference", "relations", "requests", "seconds"]
    return [
        f"JevBench, {at_once} requests at a time: share of the relations that hold, in per cent, "
        "for repetition (REP), batching (BAT), measurement (MEA), logic (LOG) and choice (CHO), "
        "and the largest difference that company in a batch made to a probability. All but BAT "
        "judge the model rather than the server.",
        table(head, rows),
    ]


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"
