"""The tables of docs/mini.md from the records of benchmarks.mini.

python -m benchmarks.mini_table           writes them between the page's two marks
python -m benchmarks.mini_table --check   fails if the page shows others
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.pages import command
from benchmarks.record import RECORDS, ROOT, read_records
from benchmarks.tables import table, with_interval
from steelyard.evaluation.suites.registry import SUITES
from steelyard.types.question import KINDS

Record: TypeAlias = Mapping[str, Any]

MAKER = "benchmarks.mini_table"
PAGE = ROOT / "docs" / "mini.md"
MODES = ("untrained", "full", "adaptive")
"""The modes that come first, in this order; others follow by name."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A model asked in one way: a column."""

    model: str
    dtype: str
    mode: str

    @property
    def title(self) -> str:
        words = (self.model, *((self.dtype,) if self.dtype != "float32" else ()), self.mode)
        return ", ".join(words)


@dataclass(frozen=True, slots=True)
class Line:
    """A suite and one of its kinds, with the measures of each cell that answered it."""

    suite: str
    kind: str
    measures: Mapping[Cell, Mapping[str, Any]]

    @property
    def any(self) -> Mapping[str, Any]:
        """The first cell's, for what does not depend on the answers."""
        return next(iter(self.measures.values()))

    @property
    def sizes(self) -> str:
        """The number of questions, or the numbers where the cells had different samples."""
        return " / ".join(dict.fromkeys(str(found["n"]) for found in self.measures.values()))


def render(folder: Path) -> str:
    """All tables for the records in `folder`."""
    records = sorted(read_records(folder, "mini"), key=order)
    if not records:
        return "No records yet.\n"
    cells, lines = list(dict.fromkeys(map(cell_of, records))), lines_of(records)
    depth = {cell_of(record): record["settings"]["exit_layers"][-1] for record in records}
    parts = [
        f"### Accuracy\n\n{accuracies(cells, lines)}",
        f"### Distance from the target\n\n{distances(cells, lines, 'kl', 'KL in nats')}",
        distances(cells, lines, "rps", "Ranked probability score, 0 to 1"),
        f"### Calibration, depth and time\n\n{reliability(lines, depth)}",
        f"### Records\n\n{sources(records)}",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def accuracies(cells: Sequence[Cell], lines: Sequence[Line]) -> str:
    """A line for each suite and kind that has right answers, a column for each cell."""
    rows = [
        [
            line.suite,
            line.kind,
            line.sizes,
            f"{line.any['chance']:.2f}",
            f"{line.any['majority']:.2f}",
            *(_shown(line, cell, lambda found: found["accuracy"]) for cell in cells),
        ]
        for line in lines
        if line.any["accuracy"] is not None
    ]
    head = ["suite", "kind", "n", "chance", "majority", *(cell.title for cell in cells)]
    return (
        "How often the most probable option is right. Chance guesses evenly; majority knows how "
        "often each answer of a question is right, and not the state.\n\n" + table(head, rows)
    )


def distances(cells: Sequence[Cell], lines: Sequence[Line], name: str, title: str) -> str:
    """A distance beside the uniform's and the label prior's; empty where no kind has it."""
    rows = [
        [
            line.suite,
            line.kind,
            f"{line.any[name]['uniform']:.3f}",
            f"{line.any[name]['prior']:.3f}",
            *(_shown(line, cell, lambda found: found[name]["model"], 3) for cell in cells),
        ]
        for line in lines
        if line.any[name] is not None
    ]
    head = ["suite", "kind", "uniform", "prior", *(cell.title for cell in cells)]
    return f"{title}; smaller is better.\n\n{table(head, rows)}" if rows else ""


def reliability(lines: Sequence[Line], depth: Mapping[Cell, int]) -> str:
    """Calibration error, confidence, layers used and time, a row for each line and cell."""
    rows = [
        [
            line.suite,
            line.kind,
            cell.title,
            f"{found['nll']['value']:.3f}",
            f"{found['brier']['model']['value']:.3f}",
            f"{found['ece']:.3f}",
            with_interval(found["confidence"]),
            f"{found['layers']:.1f} of {depth[cell]}",
            f"{1e3 * found['seconds']:.0f}",
        ]
        for line in lines
        for cell, found in line.measures.items()
    ]
    head = ["suite", "kind", "model", "NLL", "Brier", "ECE", "confidence", "layers", "ms"]
    return (
        "ECE compares the largest probability with how often it is right, in ten bins; confidence "
        "is its mean; ms is the time of an answer.\n\n" + table(head, rows)
    )


def sources(records: Sequence[Record]) -> str:
    """Commands, commits and machine behind each cell."""
    by_cell: dict[Cell, list[Record]] = {}
    for record in records:
        by_cell.setdefault(cell_of(record), []).append(record)
    return "\n\n".join(_source(cell, part) for cell, part in by_cell.items())


def lines_of(records: Sequence[Record]) -> list[Line]:
    """What the records measured: files of examples by name, then suites as in the registry."""
    found: dict[tuple[str, str], dict[Cell, Mapping[str, Any]]] = {}
    for record in records:
        for kind in KINDS:
            if kind in record["results"]:
                measures = found.setdefault((record["settings"]["suite"], kind), {})
                measures[cell_of(record)] = record["results"][kind]
    own = sorted({suite for suite, _ in found} - SUITES.keys())
    return [
        Line(suite, kind, found[suite, kind])
        for suite in (*own, *SUITES)
        for kind in KINDS
        if (suite, kind) in found
    ]


def cell_of(record: Record) -> Cell:
    settings = record["settings"]
    return Cell(settings["model"], settings["dtype"], settings["mode"])


def order(record: Record) -> tuple[object, ...]:
    """By model and dtype, then modes as in MODES and by name."""
    cell = cell_of(record)
    place = MODES.index(cell.mode) if cell.mode in MODES else len(MODES)
    return cell.model, cell.dtype, place, cell.mode, record["name"]


def _shown(
    line: Line,
    cell: Cell,
    figure: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    digits: int = 2,
) -> str:
    return with_interval(figure(line.measures[cell]), digits) if cell in line.measures else ""


def _source(cell: Cell, records: Sequence[Record]) -> str:
    commits = sorted({code[:10] for record in records for code in record["settings"]["commits"]})
    machines = sorted({record["provenance"]["machine"]["cpu"] for record in records})
    dirty = any(record["provenance"]["dirty"] for record in records)
    commands = "\n".join(dict.fromkeys(record["provenance"]["command"] for record in records))
    path = RECORDS.relative_to(ROOT) / f"mini--{cell.model}-{cell.dtype}-{cell.mode}--*.json"
    return (
        f"{cell.title}: `{path}`, commits {', '.join(commits)}"
        f"{', with uncommitted changes' if dirty else ''}, {', '.join(machines)}\n\n"
        f"```\n{commands}\n```"
    )


if __name__ == "__main__":
    command(MAKER, __doc__, PAGE, render)
