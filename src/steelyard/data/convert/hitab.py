"""HiTab: computed answers over tables with nested headers (Cheng et al. 2022)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data.answers import ShortAnswer, ask
from steelyard.data.ask import Origin
from steelyard.data.documents import table_text
from steelyard.data.files import read_json, read_jsonl
from steelyard.data.normal import decoded, number
from steelyard.data.sheet_formula import (
    FormulaError,
    cell_index,
    evaluate,
    is_lookup,
    mistakes,
    tokens,
)
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.example import Example

COORDINATE = re.compile(r"\((\d+), (\d+)\)")
TOLERANCE = Decimal("0.001")
"""Relative; annotators' sheets compute in binary floating point and some answers are rounded."""


def read(folder: Path, rng: Random) -> Iterator[Example]:
    with counted_skips("hitab") as skips:
        for row in read_jsonl(folder / "hitab/train_samples.jsonl"):
            table = read_json(folder / f"hitab/tables/raw/{row['table_id']}.json")
            answer = solved(row, table["texts"])
            if isinstance(answer, str):
                skips[answer] += 1
                continue
            title = decoded(table.get("title", ""))
            text = table_text(spread(table), rng)
            origin = Origin("hitab", SOURCE.licence, str(row["table_id"]))
            yield from ask(origin, f"{title}\n{text}" if title else text, answer, rng)


def spread(table: Mapping[str, Any]) -> list[list[str]]:
    """The cells, with the text of a merged region in every cell of it."""
    cells = [[str(cell) for cell in row] for row in table["texts"]]
    for region in table["merged_regions"]:
        core = cells[region["first_row"]][region["first_column"]]
        for row in range(region["first_row"], region["last_row"] + 1):
            for column in range(region["first_column"], region["last_column"] + 1):
                cells[row][column] = core
    return cells


def solved(row: Mapping[str, Any], texts: Sequence[Sequence[Any]]) -> ShortAnswer | str:
    """The answer where its formula confirms it, else why there is none."""
    if len(row["answer_formulas"]) != 1 or len(row["answer"]) != 1:
        return "several answers"
    answer = number(str(row["answer"][0]))
    if answer is None:
        return "the answer is no number"
    cell = cells_of(row["reference_cells_map"], texts)
    try:
        parts = tokens(row["answer_formulas"][0])
        if is_lookup(parts):
            return "the answer is a cell"
        value = evaluate(parts, cell)
    except FormulaError:
        return "the formula does not run"
    scales = [scale for scale in (1, 100) if close(value * scale, answer)]
    if not scales:
        return "the answer is not what the formula gives"
    wrong = []
    for other in mistakes(parts):
        try:
            wrong.append(evaluate(other, cell) * scales[0])
        except FormulaError:
            continue
    numbers = [number(str(text)) for line in texts for text in line[1:]]
    nearby = [value for value in numbers if value is not None]
    return ShortAnswer(decoded(row["question"]), written(answer), computed=wrong, nearby=nearby)


def cells_of(names: Mapping[str, str], texts: Sequence[Sequence[Any]]) -> Callable[[str], Decimal]:
    """The number of a cell by its name in the annotators' sheet.

    `reference_cells_map` gives some names their place in `texts`; the sheet has the same shape with
    rows above and columns before it, so one shift holds for all names.
    """
    shifts = set()
    for name, place in names.items():
        match = COORDINATE.fullmatch(place)
        if match is not None:
            row, column = cell_index(name)
            shifts.add((row - int(match[1]), column - int(match[2])))

    def value(name: str) -> Decimal:
        if len(shifts) != 1:
            raise FormulaError(f"the place of {name} is not known")
        [(down, right)] = shifts
        row, column = cell_index(name)
        row, column = row - down, column - right
        if not (0 <= row < len(texts) and 0 <= column < len(texts[row])):
            raise FormulaError(f"{name} lies outside the table")
        found = number(str(texts[row][column]))
        if found is None:
            raise FormulaError(f"{name} holds no number")
        return found

    return value


def close(value: Decimal, answer: Decimal) -> bool:
    return abs(value - answer) <= TOLERANCE * max(abs(answer), TOLERANCE)


def written(answer: Decimal) -> str:
    """At most two decimals, or four below 1."""
    places = Decimal("0.01") if abs(answer) >= 1 else Decimal("0.0001")
    return format(rounded(answer, places).normalize(), "f")


def rounded(answer: Decimal, places: Decimal) -> Decimal:
    exponent = answer.as_tuple().exponent
    assert isinstance(exponent, int), "a finite number"
    return answer.quantize(places) if Decimal(1).scaleb(exponent) < places else answer


SOURCE = Source(
    name="hitab",
    licence="C-UDA-1.0",
    read=read,
    about="Cheng et al. 2022, HiTab: A Hierarchical Table Dataset",
)
