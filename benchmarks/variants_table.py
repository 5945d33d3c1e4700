"""The tables of docs/mini.md about the recipe's choices, from the records of benchmarks.variants.

python -m benchmarks.variants_table           writes them between the page's two marks
python -m benchmarks.variants_table --check   fails if the page shows others
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.pages import command
from benchmarks.record import RECORDS, ROOT, read_records
from benchmarks.tables import table
from benchmarks.variants import SUITES_ASKED, VARIANTS

Record: TypeAlias = Mapping[str, Any]

MAKER = "benchmarks.variants_table"
PAGE = ROOT / "docs" / "mini.md"
VALID = ("valid", "valid noul", "valid choice", "valid score")


def render(folder: Path) -> str:
    """All tables for the records in `folder`."""
    records = read_records(folder, "variants")
    if not records:
        return "No records yet.\n"
    by_variant = {
        name: [record for record in records if record["settings"]["variant"] == name]
        for name in VARIANTS
    }
    rows = {name: found for name, found in by_variant.items() if found}
    return (
        "\n\n".join(
            (
                _section("Accuracy on validation", rows, VALID, _accuracy(2)),
                _section("Cross entropy on validation, nats", rows, VALID, _cross_entropy),
                _section(
                    "Accuracy on suites that chose nothing", rows, tuple(SUITES_ASKED), _accuracy(2)
                ),
                _order(rows),
                _sources(records),
            )
        )
        + "\n"
    )


def _section(
    title: str,
    rows: Mapping[str, Sequence[Record]],
    names: Sequence[str],
    figure: Callable[[Record, str], str],
) -> str:
    some = next(iter(rows.values()))[0]["results"]["qualities"]
    head = ["variant", *(f"{name} ({some[name]['n']})" for name in names)]
    body = [
        [variant, *(_seeds(records, figure, name) for name in names)]
        for variant, records in rows.items()
    ]
    return f"{title}:\n\n{table(head, body)}"


def _order(rows: Mapping[str, Sequence[Record]]) -> str:
    def figure(name: str, form: str) -> Callable[[Record, str], str]:
        return lambda record, _: format(record["results"]["order"][name], form)

    body = [
        [
            variant,
            _seeds(records, figure("distance", ".3f"), ""),
            _seeds(records, figure("largest_distance", ".3g"), ""),
            _seeds(records, figure("flips", ".3f"), ""),
            _seeds(records, lambda record, _: f"{record['results']['tokens'] / 1e3:,.0f}", ""),
            _seeds(records, lambda record, _: f"{record['results']['questions_learned']:,.0f}", ""),
        ]
        for variant, records in rows.items()
    ]
    head = ["variant", "mean distance", "largest", "flips", "thousand tokens", "questions learned"]
    return (
        "Sensitivity to the order of a choice's options (total variation between two orders, and "
        "how often the most probable option is another), and what was learned:\n\n"
        f"{table(head, body)}"
    )


def _seeds(records: Sequence[Record], figure: Callable[[Record, str], str], name: str) -> str:
    return " / ".join(figure(record, name) for record in records)


def _accuracy(digits: int) -> Callable[[Record, str], str]:
    return lambda record, name: (
        f"{record['results']['qualities'][name]['accuracy']['value']:.{digits}f}"
    )


def _cross_entropy(record: Record, name: str) -> str:
    return f"{record['results']['qualities'][name]['cross_entropy']:.3f}"


def _sources(records: Sequence[Record]) -> str:
    commands = "\n".join(dict.fromkeys(record["provenance"]["command"] for record in records))
    commits = sorted({record["provenance"]["commit"][:10] for record in records})
    path = RECORDS.relative_to(ROOT) / "variants--*.json"
    return f"`{path}`, commits {', '.join(commits)}\n\n```\n{commands}\n```"


if __name__ == "__main__":
    command(MAKER, __doc__, PAGE, render)
