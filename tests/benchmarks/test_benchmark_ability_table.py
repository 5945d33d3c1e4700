"""The table shows each figure with its interval, baselines beside it, cells in reading order."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from benchmarks.ability import Cell
from benchmarks.ability_table import render
from benchmarks.answers import Answered, Line, append_line
from benchmarks.record import Machine, Provenance, write_record
from benchmarks.scoring import score
from benchmarks.tables import table, with_interval

ORIGIN = Provenance(
    commit="c" * 40,
    dirty=False,
    date="2026-11-29T12:00:00+00:00",
    machine=Machine(cpu="Test", cores=2, memory_bytes=1, load_average=0.0),
    versions={},
    command="python -m benchmarks.ability",
)


def answered(group: str, kind: str, right: bool) -> Answered:
    labels = ("no", "yes") if kind == "noul" else ("a", "b", "c", "d")
    rest = 0.2 / (len(labels) - 1)
    return Answered(
        suite="sys1bench",
        group=group,
        id=kind,
        kind=kind,
        truth=labels[0] if right else labels[1],
        usual=labels[0],
        probabilities=dict.fromkeys(labels, rest) | {labels[0]: 0.8},
    )


def write_cell(folder: Path, layout: str, rotations: int, num_right: int) -> None:
    """A cell with four states, of which the first few are answered rightly."""
    cell = Cell(model="m", dtype="float32", readout="letters", layout=layout, rotations=rotations)
    answers = []
    for number in range(4):
        group = f"g{number}"
        pair = tuple(answered(group, kind, number < num_right) for kind in ("choice", "noul"))
        answers += pair
        line = Line(
            suite="sys1bench",
            group=group,
            commit="c",
            weights="w",
            layout="l",
            seconds=1.0,
            computed_tokens=1,
            answers=pair,
        )
        append_line(folder / "ability" / f"{cell.name}.jsonl", line)
    results = {
        f"sys1bench {kind}": score([a for a in answers if a.kind == kind])
        for kind in ("choice", "noul")
    }
    write_record(
        folder,
        f"ability--{cell.name}",
        ORIGIN,
        settings=asdict(cell),
        results=results | {"seconds": 240.0},
    )


def test_accuracy_stands_beside_chance_in_the_order_of_layouts_and_rotations(
    tmp_path: Path,
) -> None:
    write_cell(tmp_path, "sandwich-v1", 1, num_right=1)
    write_cell(tmp_path, "isolated-v1", 4, num_right=3)
    write_cell(tmp_path, "isolated-v1", 1, num_right=2)
    rows = [line for line in render(tmp_path).splitlines() if line.startswith("| m |")]
    assert [row.split(" | ")[2:6] for row in rows[:3]] == [
        ["isolated-v1", "1", "0.50 [0.00, 1.00]", "0.25"],
        ["isolated-v1", "4", "0.75 [0.25, 1.00]", "0.25"],
        ["sandwich-v1", "1", "0.25 [0.00, 0.75]", "0.25"],
    ]


def test_rotations_are_compared_question_by_question(tmp_path: Path) -> None:
    write_cell(tmp_path, "isolated-v1", 1, num_right=2)
    write_cell(tmp_path, "isolated-v1", 4, num_right=3)
    last = render(tmp_path).splitlines()[-1]
    assert last == "| m | letters | isolated-v1 | 4 | noul | 4 | 0.25 [0.00, 0.75] | 0.00 |"


def test_rotations_without_a_single_reading_are_compared_with_nothing(tmp_path: Path) -> None:
    write_cell(tmp_path, "isolated-v1", 4, num_right=3)
    assert "rotations change" not in render(tmp_path)


def test_no_records_are_said_to_be_none(tmp_path: Path) -> None:
    assert render(tmp_path) == "No records yet.\n"


def test_a_table_is_markdown() -> None:
    assert table(["a", "b"], [["1", "2"]]) == "| a | b |\n|---|---|\n| 1 | 2 |"
    assert with_interval({"value": 0.614, "interval": [0.5, 0.7]}) == "0.61 [0.50, 0.70]"
