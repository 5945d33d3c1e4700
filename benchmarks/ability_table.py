"""The tables of real ability, from the records of benchmarks.ability.

    python -m benchmarks.ability_table

prints Markdown: accuracy with its interval and what ignorance scores beside it, then the proper
scores, then what four rotations change, question by question.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.answers import Answered, flat, read_lines
from benchmarks.record import RECORDS, read_records
from benchmarks.scoring import difference
from benchmarks.tables import table, with_interval

Record: TypeAlias = Mapping[str, Any]

LAYOUTS = ("isolated-v1", "sandwich-v1", "sandwich-shared-v1")
SUITES = ("sys1bench", "jevbench240")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ability_table", description=__doc__)
    parser.add_argument("--records", type=Path, default=RECORDS)
    print(render(parser.parse_args().records))


def render(folder: Path) -> str:
    """All tables for the records in `folder`."""
    records = sorted(read_records(folder, "ability"), key=order)
    if not records:
        return "No records yet.\n"
    parts = []
    for suite in SUITES:
        part = [
            record
            for record in records
            if {f"{suite} choice", f"{suite} noul"} <= record["results"].keys()
        ]
        if part:
            parts += [f"### {suite}\n\n{baselines(part, suite)}", accuracies(part, suite)]
            parts += [proper_scores(part, suite)]
    changes = rotations(records, folder)
    if changes:
        parts.append(f"### What rotations change\n\n{changes}")
    return "\n\n".join(parts) + "\n"


def order(record: Record) -> tuple[object, ...]:
    """By model, then readout, then layouts in the order of LAYOUTS, then rotations."""
    cell = record["settings"]
    return (cell["model"], cell["readout"], LAYOUTS.index(cell["layout"]), cell["rotations"])


def baselines(records: Sequence[Record], suite: str) -> str:
    """One sentence on what the questions are and what ignorance scores."""
    choice = records[0]["results"][f"{suite} choice"]
    noul = records[0]["results"][f"{suite} noul"]
    return (
        f"{choice['n']} choices and {noul['n']} nouls. Choices: guessing scores "
        f"{choice['chance']:.2f}, the first option {choice['first']:.2f}, the most frequent answer "
        f"of each question {choice['usual']:.2f}. Nouls: guessing scores 0.50, always no "
        f"{noul['always_no']:.2f}, the most frequent answer of each question {noul['usual']:.2f}."
    )


def accuracies(records: Sequence[Record], suite: str) -> str:
    head = ["model", "readout", "layout", "rotations", "choice", "chance", "noul"]
    head += ["always no", "noul, balanced", "noul, AUROC", "minutes, all suites"]
    rows = []
    for record in records:
        choice, noul = (record["results"][f"{suite} {kind}"] for kind in ("choice", "noul"))
        rows.append(
            [
                *labels(record),
                with_interval(choice["accuracy"]),
                f"{choice['chance']:.2f}",
                with_interval(noul["accuracy"]),
                f"{noul['always_no']:.2f}",
                with_interval(noul["balanced_accuracy"]),
                with_interval(noul["auroc"]),
                f"{record['results']['seconds'] / 60:.0f}",
            ]
        )
    return table(head, rows)


def proper_scores(records: Sequence[Record], suite: str) -> str:
    head = ["model", "readout", "layout", "rotations", "choice NLL", "choice Brier"]
    head += ["noul NLL", "noul Brier", "noul, said yes"]
    rows = []
    for record in records:
        choice, noul = (record["results"][f"{suite} {kind}"] for kind in ("choice", "noul"))
        figures = [choice["nll"], choice["brier"], noul["nll"], noul["brier"], noul["said_yes"]]
        rows.append([*labels(record), *(f"{figure:.2f}" for figure in figures)])
    return table(head, rows)


def rotations(records: Sequence[Record], folder: Path) -> str:
    """Accuracy with rotations minus without, over the same questions; empty without a pair."""
    single = {key(record): record for record in records if record["settings"]["rotations"] == 1}
    rows = []
    for record in records:
        before = single.get(key(record))
        if before is None or before is record:
            continue
        for kind in ("choice", "noul"):
            change = difference(answers(before, folder, kind), answers(record, folder, kind))
            rows.append(
                [
                    *labels(record),
                    kind,
                    str(change["n"]),
                    with_interval(change),
                    f"{change['changed']:.2f}",
                ]
            )
    head = ["model", "readout", "layout", "rotations", "kind", "n", "difference", "answers changed"]
    return table(head, rows) if rows else ""


def answers(record: Record, folder: Path, kind: str) -> list[Answered]:
    """The kept answers behind a record."""
    path = folder / "ability" / f"{record['name'].removeprefix('ability--')}.jsonl"
    return [answer for answer in flat(read_lines(path)) if answer.kind == kind]


def key(record: Record) -> tuple[str, ...]:
    """What two records share that differ in rotations only."""
    cell = record["settings"]
    return (cell["model"], cell["dtype"], cell["readout"], cell["layout"])


def labels(record: Record) -> list[str]:
    cell = record["settings"]
    return [cell["model"], cell["readout"], cell["layout"], str(cell["rotations"])]


if __name__ == "__main__":
    main()
