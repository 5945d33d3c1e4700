"""WikiSQL: aggregates and queries with several conditions, executed again (Zhong et al. 2017)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data.answers import ShortAnswer, ask
from steelyard.data.ask import Origin
from steelyard.data.documents import LONGEST_STATE, table_text
from steelyard.data.files import read_jsonl
from steelyard.data.normal import decoded, number
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.data.table_query import QueryError, execute, mistakes, parse
from steelyard.types.example import Example


def read(folder: Path, rng: Random) -> Iterator[Example]:
    tables = {table["id"]: table for table in read_jsonl(folder / "wikisql/train.tables.jsonl")}
    with counted_skips("wikisql") as skips:
        for row in read_jsonl(folder / "wikisql/train.jsonl"):
            table = tables[row["table_id"]]
            answer = solved(row, table)
            if isinstance(answer, str):
                skips[answer] += 1
                continue
            state = table_state(table, rng)
            if len(state) > LONGEST_STATE:
                skips["the table is too long"] += 1
                continue
            origin = Origin("wikisql", SOURCE.licence, row["table_id"])
            yield from ask(origin, state, answer, rng)


def table_state(table: Mapping[str, Any], rng: Random) -> str:
    cells = [[str(cell) for cell in line] for line in table["rows"]]
    names = [table.get(name, "") for name in ("page_title", "section_title", "caption")]
    title = ", ".join(dict.fromkeys(name for name in names if name))
    text = table_text([table["header"], *cells], rng)
    return f"{title}\n{text}" if title else text


def solved(row: Mapping[str, Any], table: Mapping[str, Any]) -> ShortAnswer | str:
    """The number that the query gives, else why the row is left out."""
    query = parse(row["sql"])
    if not query.aggregate and len(query.conditions) < 2:
        return "a plain look-up"
    try:
        values = execute(query, table["types"], table["rows"])
    except QueryError:
        return "the query does not run"
    numbers = {number(str(value)) for value in values}
    if len(numbers) != 1 or None in numbers:
        return "the result is not one number"
    [result] = numbers
    assert result is not None
    if query.aggregate == 3 and not result:
        return "nothing is counted"  # the condition's value stands nowhere: a slip of annotation
    wrong = []
    for other in mistakes(query, table["types"]):
        try:
            found = execute(other, table["types"], table["rows"])
        except QueryError:
            continue
        wrong += [value for value in map(as_number, found[:8]) if value is not None]
    column = [as_number(line[query.select]) for line in table["rows"]]
    nearby = [value for value in column if value is not None]
    return ShortAnswer(decoded(row["question"]), written(result), computed=wrong, nearby=nearby)


def as_number(cell: object) -> Decimal | None:
    return number(str(cell))


def written(value: Decimal) -> str:
    """Whole where it is, else with at most two decimals."""
    return format(round(value, 2).normalize(), "f")


SOURCE = Source(
    name="wikisql",
    licence="BSD-3-Clause",
    read=read,
    about="Zhong et al. 2017, Seq2SQL; tables from Wikipedia",
)
