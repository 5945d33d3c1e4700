from decimal import Decimal
from random import Random

import pytest

from steelyard.data.sheet_formula import (
    FormulaError,
    cell_index,
    cell_name,
    evaluate,
    is_lookup,
    mistakes,
    tokens,
)


def cell(name: str) -> Decimal:
    """The sheet holds 10 * row + column in every cell, both from 0."""
    row, column = cell_index(name)
    return Decimal(10 * row + column)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("=B2+C3", "33"),
        ("=SUM(A1:B2)", "22"),
        ("=AVERAGE(A1:A3)", "10"),
        ("=MAX(A1, B2)-min(A1:B2)", "11"),
        ("=COUNT(A1:C3)", "9"),
        ("=(B2-B1)/B1*100", "1000"),
        ("=-2^2", "4"),  # as spreadsheets do: the sign binds tighter
        ("=$C$1%", "0.02"),
        ("=ABS(A1-C1)", "2"),
        ("=2*(3+4)-1.5", "12.5"),
    ],
)
def test_formulas_give_what_a_sheet_gives(formula: str, value: str) -> None:
    assert evaluate(tokens(formula), cell) == Decimal(value)


@pytest.mark.parametrize(
    "formula",
    ["1+1", "=", "=1+", "=(1", "=1)", "=1 2", "=1/0", "=__import__('os')", "=FOO(1)", "=SUM()",
     '="a"', "=A1:B2", "=B"],
)  # fmt: skip
def test_anything_else_is_an_error(formula: str) -> None:
    with pytest.raises(FormulaError):
        evaluate(tokens(formula), cell)


def test_arithmetic_agrees_with_python_on_random_formulas() -> None:
    rng = Random(0)
    for _ in range(200):
        text = str(rng.randint(1, 9))
        for _ in range(rng.randint(1, 5)):
            other = str(rng.randint(1, 9))
            text = rng.choice([f"{text}{op}{other}" for op in "+-*/"] + [f"({text})*{other}"])
        assert float(evaluate(tokens("=" + text), cell)) == pytest.approx(eval(text))


def test_names_and_places_of_cells_are_inverse() -> None:
    assert cell_index("A1") == (0, 0) and cell_index("AB12") == (11, 27)
    assert all(cell_index(cell_name(3, column)) == (3, column) for column in range(800))


def test_only_a_single_cell_is_a_lookup() -> None:
    assert is_lookup(tokens("=B8")) and not is_lookup(tokens("=B8+1"))


def test_mistakes_change_one_operator_or_function() -> None:
    assert sorted("".join(parts) for parts in mistakes(tokens("=SUM(A1:A2)/2"))) == [
        "AVERAGE(A1:A2)/2",
        "MAX(A1:A2)/2",
        "SUM(A1:A2)*2",
    ]
