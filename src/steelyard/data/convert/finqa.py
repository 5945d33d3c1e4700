"""FinQA: questions on financial reports whose programs we run again (Chen et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data.answers import ShortAnswer, ask
from steelyard.data.ask import Origin
from steelyard.data.documents import table_text
from steelyard.data.figures import Figure, figure
from steelyard.data.files import read_json
from steelyard.data.finqa_program import ProgramError, Step, cell_number, parse, run, variants
from steelyard.data.normal import decoded
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.example import Example


def read(folder: Path, rng: Random) -> Iterator[Example]:
    with counted_skips("finqa") as skips:
        for row in read_json(folder / "finqa/train.json"):
            answer = solved(row)
            if isinstance(answer, str):
                skips[answer] += 1
                continue
            origin = Origin("finqa", SOURCE.licence, row["filename"])
            yield from ask(origin, report(row, rng), answer, rng)


def report(row: Mapping[str, Any], rng: Random) -> str:
    """The page as published: text, table, text; nothing of the annotation."""
    parts = [
        " ".join(row["pre_text"]),
        table_text(row["table"], rng),
        " ".join(row["post_text"]),
    ]
    return "\n\n".join(part for part in parts if part.strip(" ."))


def solved(row: Mapping[str, Any]) -> ShortAnswer | str:
    """The answer where running the program confirms it, else why there is none."""
    question, gold = decoded(row["qa"]["question"]), decoded(row["qa"]["answer"])
    table = row["table"]
    try:
        steps = parse(row["qa"]["program"])
        result = run(steps, table)
    except ProgramError:
        return "the program does not run"
    if isinstance(result, bool):
        agrees = gold.casefold() == ("yes" if result else "no")
        return ShortAnswer(question, gold) if agrees else "the answer is not what the program gives"
    written = figure(gold)
    if written is None:
        return "the answer is no number"
    scale = unit(result, written)
    if scale is None:
        return "the answer is not what the program gives"
    wrong = [value * scale for value in mistaken(steps, table)]
    cells = [cell_number(cell) for line in table for cell in line[1:]]
    percent = "%" in written.suffix
    nearby = [cell * (100 if percent else 1) for cell in cells if cell is not None]
    return ShortAnswer(question, gold, computed=wrong, nearby=nearby)


def unit(result: Decimal, written: Figure) -> int | None:
    """What the program's result must be multiplied by to be the annotator's answer: 1 or 100, or
    None where neither fits to the precision that is written."""
    for scale in (100, 1) if "%" in written.suffix else (1, 100):
        if abs(result * scale - written.value) <= written.step:
            return scale
    return None


def mistaken(steps: Sequence[Step], table: Sequence[Sequence[str]]) -> Iterator[Decimal]:
    """Results of the program's wrong variants, as far as they have one."""
    for other in variants(steps):
        try:
            result = run(other, table)
        except ProgramError:
            continue
        if not isinstance(result, bool):
            yield result


SOURCE = Source(
    name="finqa",
    licence="MIT",
    read=read,
    about="Chen et al. 2021, FinQA: A Dataset of Numerical Reasoning over Financial Data",
)
