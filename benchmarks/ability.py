"""How often an untrained or trained model is right, for each readout, layout and rotation count.

    python -m benchmarks.ability --model mini --data DATA --readout letters continuation

asks 300 questions of sys1bench and 300 of JevBench-240's six open domains, half of them choices
and half nouls, in every combination of the readouts, layouts and rotations given, in the order
given: readouts of the first layout first, and each with all its rotations. Answers are kept as
they come, so a killed run goes on where it stopped when it is started again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from random import Random
from time import perf_counter

import steelyard
from benchmarks.answers import Line, MixedAnswersError, append_line, flat, line_of, read_lines
from benchmarks.record import (
    Provenance,
    add_model_arguments,
    add_record_arguments,
    load_model,
    model_name,
    model_settings,
    provenance,
    write_record,
)
from benchmarks.scoring import score
from benchmarks.suites import SUITES, Case, sample

LAYOUTS = ("isolated-v1", "sandwich-v1", "sandwich-shared-v1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One way to ask."""

    model: str
    dtype: str
    readout: str
    layout: str
    rotations: int

    @property
    def name(self) -> str:
        return f"{self.model}-{self.dtype}-{self.readout}-{self.layout}-r{self.rotations}"


def main(argv: Sequence[str] | None = None) -> None:
    options = parser().parse_args(argv)
    origin = provenance(options.allow_dirty)
    cases = draw(options.data, options.suites, options.questions, options.seed)[: options.limit]
    engine = load_model(options, store_bytes=0)
    for cell in cells(options):
        kept = options.records / "ability" / f"{cell.name}.jsonl"
        lines = list(answer(engine, cell, cases, kept, origin.commit))
        path = report(cell, lines, cases, options, origin)
        print(path, flush=True)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.ability",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_arguments(made)
    made.add_argument("--data", type=Path, required=True, help="folder that holds the suites")
    made.add_argument("--suites", nargs="+", choices=SUITES, default=list(SUITES))
    made.add_argument("--readout", nargs="+", default=["letters"])
    made.add_argument("--layout", nargs="+", default=["isolated-v1"], help=", ".join(LAYOUTS))
    made.add_argument("--rotations", nargs="+", type=int, default=[1])
    made.add_argument("--questions", type=int, default=300, help="per suite (default: 300)")
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--limit", type=int, help="only so many states, for a try")
    add_record_arguments(made)
    return made


def cells(options: argparse.Namespace) -> Iterator[Cell]:
    """Every combination that can differ, the first layout with all readouts first.

    Only letters depend on the order of options, so only they are rotated.
    """
    for layout, readout, rotations in product(options.layout, options.readout, options.rotations):
        if readout != "letters" and rotations != options.rotations[0]:
            continue
        yield Cell(
            model=model_name(options.model),
            dtype=options.dtype,
            readout=readout,
            layout=layout,
            rotations=rotations,
        )


def draw(folder: Path, suites: Sequence[str], num_questions: int, seed: int) -> list[Case]:
    """The sample of every suite, shuffled together: the first states are a sample of all."""
    cases = [case for name in suites for case in sample(SUITES[name](folder), num_questions, seed)]
    Random(seed).shuffle(cases)
    return cases


def answer(
    engine: steelyard.Engine, cell: Cell, cases: Sequence[Case], kept: Path, commit: str
) -> Iterator[Line]:
    """The answers of a cell, from the file or the engine; new ones are kept at once."""
    known = {(line.suite, line.group): line for line in read_lines(kept)}
    started, num_right, num_asked = perf_counter(), 0, 0
    for index, case in enumerate(cases, start=1):
        line = known.get((case.suite, case.group))
        if line is None:
            before = perf_counter()
            response = engine.decide(
                case.state,
                {item.id: item.question for item in case.items},
                readout=cell.readout,
                layout=cell.layout,
                rotations=cell.rotations,
            )
            line = line_of(case, response, commit, perf_counter() - before)
            append_line(kept, line)
        if [answered.id for answered in line.answers] != [item.id for item in case.items]:
            raise MixedAnswersError(f"{kept}: answers to another sample; remove the file")
        num_right += sum(answered.correct for answered in line.answers)
        num_asked += len(line.answers)
        elapsed = perf_counter() - started
        print(
            f"\r{cell.name}  {index}/{len(cases)} states  right {num_right / num_asked:.3f}  "
            f"{elapsed:.0f} s, {elapsed / index * (len(cases) - index):.0f} s left ",
            end="\n" if index == len(cases) else "",
            file=sys.stderr,
            flush=True,
        )
        yield line


def report(
    cell: Cell,
    lines: Sequence[Line],
    cases: Sequence[Case],
    options: argparse.Namespace,
    origin: Provenance,
) -> Path:
    """Score a cell and write its record; what has one state only is not scored."""
    answers = flat(lines)
    results: dict[str, object] = {}
    for suite, kind in product(options.suites, ("choice", "noul")):
        part = [a for a in answers if a.suite == suite and a.kind == kind]
        if len({a.group for a in part}) > 1:
            results[f"{suite} {kind}"] = score(part)
    return write_record(
        options.records,
        f"ability--{cell.name}",
        origin,
        seed=options.seed,
        settings=model_settings(options)
        | asdict(cell)
        | {
            "questions_per_suite": options.questions,
            "limit_states": options.limit,
            "weights": lines[0].weights,
            "layout_digest": lines[0].layout,
            "commits": sorted({line.commit for line in lines}),
        },
        results=results
        | {
            "seconds": round(sum(line.seconds for line in lines), 1),
            "computed_tokens": sum(line.computed_tokens for line in lines),
        },
    )


if __name__ == "__main__":
    main()
