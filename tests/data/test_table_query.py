from random import Random
from statistics import mean

import pytest

from steelyard.data.table_query import Query, QueryError, execute, mistakes, parse

TYPES = ["text", "real", "text"]
ROWS = [["Ann", 3, "x"], ["Bob", "1,000", "Y"], ["ann", 5.5, "y"], ["Cleo", 3, "x"]]


def test_the_published_form_is_read() -> None:
    sql = {"sel": 1, "agg": 4, "conds": [[0, 0, "ANN"]]}
    assert parse(sql) == Query(1, 4, ((0, 0, "ANN"),))
    assert execute(parse(sql), TYPES, ROWS) == [8.5]


def brute_force(query: Query) -> list[str | float]:
    """The same in plain Python."""

    def value(cell: str | float, column: int) -> str | float:
        plain = str(cell).replace(",", "")
        return float(plain) if TYPES[column] == "real" else str(cell).lower()

    def holds(row: list[str | float], column: int, operator: int, other: str | float) -> bool:
        mine, theirs = value(row[column], column), value(other, column)
        return (mine == theirs, mine > theirs, mine < theirs)[operator]

    found = [
        value(row[query.select], query.select)
        for row in ROWS
        if all(holds(row, *condition) for condition in query.conditions)
    ]
    if query.aggregate == 3:
        return [len(found)]
    if not query.aggregate or not found:
        return found
    return [[max, min, len, sum, mean][query.aggregate - 1](found)]


def test_random_queries_agree_with_plain_python() -> None:
    rng = Random(0)
    for _ in range(300):
        select = rng.randrange(3)
        aggregate = rng.choice((0, 1, 2, 3, 4, 5) if select == 1 else (0, 3))
        conditions = tuple(
            (column, rng.randrange(3), rng.choice(ROWS)[column])
            for column in rng.sample(range(3), rng.randrange(3))
        )
        query = Query(select, aggregate, conditions)
        assert execute(query, TYPES, ROWS) == brute_force(query), query


def test_values_are_bound_and_never_read_as_sql() -> None:
    evil = "x' OR '1'='1"
    assert execute(Query(0, 0, ((2, 0, evil),)), TYPES, ROWS) == []
    assert execute(Query(0, 3, ((2, 0, evil),)), TYPES, [*ROWS, ["Eve", 1, evil]]) == [1]


@pytest.mark.parametrize(
    "query",
    [
        Query(3, 0, ()),
        Query(-1, 0, ()),
        Query(0, 6, ()),
        Query(0, 4, ()),
        Query(0, 0, ((1, 3, "5"),)),
        Query(0, 0, ((1, 0, "five"),)),
    ],
)
def test_a_query_that_does_not_fit_is_an_error(query: Query) -> None:
    with pytest.raises(QueryError):
        execute(query, TYPES, ROWS)


def test_a_text_in_a_real_column_matters_only_where_it_is_used() -> None:
    rows = [*ROWS, ["Dan", "unknown", "x"]]
    assert len(execute(Query(0, 0, ()), TYPES, rows)) == 5
    with pytest.raises(QueryError):
        execute(Query(1, 1, ()), TYPES, rows)


def test_mistakes_change_the_aggregate_or_one_condition() -> None:
    query = Query(1, 1, ((0, 0, "Ann"), (1, 1, 2)))
    assert [each.aggregate for each in mistakes(query, TYPES)[:4]] == [2, 3, 4, 5]
    assert {each.conditions for each in mistakes(query, TYPES)[4:]} == {
        ((1, 1, 2),),
        ((0, 0, "Ann"),),
        ((0, 0, "Ann"), (1, 2, 2)),
    }
