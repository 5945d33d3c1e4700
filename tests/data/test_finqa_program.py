from decimal import Decimal

import pytest

from steelyard.data.finqa_program import ProgramError, cell_number, parse, run, variants

TABLE = [["", "2009", "2008"], ["net sales", "$ 5,829", "5,735 (1)"], ["share", "40%", "n/a"]]


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("subtract(5829, 5735)", "94"),
        ("subtract(5829, 5735), divide(#0, 5735)", str(Decimal(94) / 5735)),
        ("add(10%, const_100)", "100.1"),
        ("multiply(const_m1, 3)", "-3"),
        ("exp(2, 10)", "1024"),
        ("table_sum(net sales, none)", "11564"),
        ("table_average(net sales, none)", "5782"),
        ("table_max(net sales, none), table_min(net sales, none), subtract(#0, #1)", "94"),
    ],
)
def test_programs_give_what_they_say(program: str, value: str) -> None:
    assert run(parse(program), TABLE) == Decimal(value)


def test_greater_gives_a_truth_value() -> None:
    assert run(parse("greater(2, 1)"), TABLE) is True
    assert run(parse("greater(1, 2)"), TABLE) is False


@pytest.mark.parametrize(
    "program",
    [
        "",
        "divide(1, 0)",
        "exp(-2, 0.5)",
        "modulo(3, 2)",
        "add(#0, 1)",
        "add(#x, 1)",
        "add(one, 1)",
        "table_sum(no such row, none)",
        "add(add(1, 2), 3)",
        "greater(1, 2), add(#0, 1)",
    ],
)
def test_a_program_that_cannot_be_run_is_an_error(program: str) -> None:
    with pytest.raises(ProgramError):
        run(parse(program), TABLE)


def test_variants_hold_the_usual_mistakes_of_a_change_in_percent() -> None:
    steps = parse("subtract(60, 50), divide(#0, 50)")
    results = set()
    for other in variants(steps):
        results.add(run(other, TABLE))
    assert Decimal(110) / 50 in results  # added instead
    assert Decimal(-10) / 50 in results  # the wrong way round
    assert Decimal(10) / 60 in results  # divided by the new value
    assert Decimal(5) in results  # turned upside down
    assert Decimal(10) in results  # not divided at all


def test_cells_are_read_with_currency_and_percent() -> None:
    assert cell_number("$ 1,234.5") == Decimal("1234.5")
    assert cell_number("40%") == Decimal("0.4")
    assert cell_number("n/a") is None


def test_variants_come_in_one_order_in_every_process() -> None:
    """Sets of strings would not: a build must give the same examples for the same seed."""
    steps = parse("table_max(net sales, none), divide(#0, 2)")
    assert [[step.operation for step in other] for other in variants(steps)] == [
        ["table_min", "divide"],
        ["table_sum", "divide"],
        ["table_average", "divide"],
        ["table_max", "divide"],
        ["table_max"],
    ]
