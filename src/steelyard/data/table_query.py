"""WikiSQL's queries: one column, an aggregate and conditions, run on a table in memory.

Only values that are bound as parameters come from the data; the text of a statement is made of
column numbers and names from closed lists, so nothing in a corpus is ever read as SQL.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from steelyard.data.normal import number

AGGREGATES = ("", "MAX", "MIN", "COUNT", "SUM", "AVG")
OPERATORS = ("=", ">", "<")

Cell = str | float


class QueryError(ValueError):
    """A query that does not fit its table."""


@dataclass(frozen=True, slots=True)
class Query:
    """A published `sql` object.

    Attributes:
        select: column number.
        aggregate: index into AGGREGATES.
        conditions: (column, index into OPERATORS, value).
    """

    select: int
    aggregate: int
    conditions: tuple[tuple[int, int, Cell], ...]


def parse(sql: Mapping[str, Any]) -> Query:
    """The query that a row's `sql` field spells: {"sel": 3, "agg": 0, "conds": [[5, 0, "x"]]}."""
    conditions = tuple((column, operator, value) for column, operator, value in sql["conds"])
    return Query(sql["sel"], sql["agg"], conditions)


def execute(query: Query, types: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[Cell]:
    """The values that a query gives; texts are compared without case, as the authors do.

    Args:
        types: "text" or "real" for each column.
        rows: cells; those of a real column are numbers or texts of numbers.
    Raises:
        QueryError: a column, aggregate or operator that is not there, a text in a real column that
            the query needs, or a sum of texts.
    """
    used = {query.select, *(column for column, _, _ in query.conditions)}
    if not used <= set(range(len(types))):
        raise QueryError(f"columns {sorted(used)} of {len(types)}")
    if not 0 <= query.aggregate < len(AGGREGATES):
        raise QueryError(f"aggregate {query.aggregate} of {len(AGGREGATES)}")
    if query.aggregate in (1, 2, 4, 5) and types[query.select] != "real":
        raise QueryError(f"{AGGREGATES[query.aggregate]} of a column of texts")
    columns = ", ".join(f"col{index}" for index in range(len(types)))
    marks = ", ".join("?" * len(types))
    cells = [
        [
            _cell(cell, kind) if index in used else str(cell)
            for index, (cell, kind) in enumerate(zip(row, types, strict=True))
        ]
        for row in rows
    ]
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"CREATE TABLE data ({columns})")
        database.executemany(f"INSERT INTO data VALUES ({marks})", cells)
        statement, values = _statement(query, types)
        return [row[0] for row in database.execute(statement, values) if row[0] is not None]


def mistakes(query: Query, types: Sequence[str]) -> list[Query]:
    """Queries with one mistake: another aggregate, a condition left out or turned round."""
    numeric = types[query.select] == "real"
    allowed = range(1, 6) if numeric else (3,)
    wrong = [
        replace(query, aggregate=index)
        for index in allowed
        if query.aggregate and index != query.aggregate
    ]
    for index, (column, operator, value) in enumerate(query.conditions):
        rest = query.conditions[:index] + query.conditions[index + 1 :]
        wrong.append(replace(query, conditions=rest))
        if operator:
            turned = (column, 3 - operator, value)
            wrong.append(replace(query, conditions=(*rest, turned)))
    return wrong


def _statement(query: Query, types: Sequence[str]) -> tuple[str, list[Cell]]:
    selected = f"col{query.select}"
    aggregate = AGGREGATES[query.aggregate]
    parts, values = [], []
    for column, operator, value in query.conditions:
        if not 0 <= operator < len(OPERATORS):
            raise QueryError(f"operator {operator} of {len(OPERATORS)}")
        parts.append(f"col{column} {OPERATORS[operator]} ?")
        values.append(_cell(value, types[column]))
    where = f" WHERE {' AND '.join(parts)}" if parts else ""
    what = f"{aggregate}({selected})" if aggregate else selected
    return f"SELECT {what} FROM data{where}", values


def _cell(value: Cell, kind: str) -> Cell:
    if kind != "real":
        return str(value).lower()
    parsed = number(str(value))
    if parsed is None:
        raise QueryError(f"{value!r} in a column of numbers")
    return float(parsed)
