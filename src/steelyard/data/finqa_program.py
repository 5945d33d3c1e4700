"""FinQA's programs: `subtract(5829, 5735), divide(#0, 5735)` (Chen et al. 2021, appendix)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

Result = Decimal | bool

STEP = re.compile(r"\s*(\w+)\(([^()]*)\)\s*(?:,|$)")
CONSTANT = re.compile(r"const_(m?)(\d+(?:\.\d+)?)")

ARITHMETIC: Mapping[str, Callable[[Decimal, Decimal], Decimal]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "exp": lambda a, b: a**b,
}
OVER_ROWS: Mapping[str, Callable[[Sequence[Decimal]], Decimal]] = {
    "table_max": max,
    "table_min": min,
    "table_sum": lambda row: sum(row, Decimal(0)),
    "table_average": lambda row: sum(row, Decimal(0)) / len(row),
}


class ProgramError(ValueError):
    """A program that cannot be run: an unknown operation, a missing row, a division by zero."""


@dataclass(frozen=True, slots=True)
class Step:
    operation: str
    first: str
    second: str


def parse(program: str) -> list[Step]:
    """The steps of a program.

    Raises:
        ProgramError: the text is none.
    """
    steps, at = [], 0
    while at < len(program):
        match = STEP.match(program, at)
        if match is None:
            raise ProgramError(f"no step at character {at} of {program!r}")
        first, _, second = match[2].rpartition(", ")
        steps.append(Step(match[1], first.strip(), second.strip()))
        at = match.end()
    if not steps:
        raise ProgramError("an empty program")
    return steps


def run(steps: Sequence[Step], table: Sequence[Sequence[str]]) -> Result:
    """What the last step gives.

    Args:
        table: rows of cells; a row is named by its first cell.
    Raises:
        ProgramError: an operation or operand that is not defined.
    """
    results: list[Result] = []
    for step in steps:
        try:
            results.append(_value(step, results, table))
        except ArithmeticError as error:  # division by zero, overflow, a power that is not real
            raise ProgramError(f"{step} has no value: {error!r}") from error
    return results[-1]


def variants(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """Programs with one mistake: another operation, operands swapped, or a step left out."""
    swaps = {"add": ("subtract",), "subtract": ("add",), "multiply": ("divide",), "divide": ()}
    others = {name: tuple(other for other in OVER_ROWS if other != name) for name in OVER_ROWS}
    for index, step in enumerate(steps):
        changed = [
            replace(step, operation=name) for name in {**swaps, **others}.get(step.operation, ())
        ]
        if step.operation in ("subtract", "divide"):
            changed.append(replace(step, first=step.second, second=step.first))
        for other in changed:
            yield [*steps[:index], other, *steps[index + 1 :]]
    yield from (list(steps[: index + 1]) for index in range(len(steps) - 1))
    last = steps[-1]
    if last.operation == "divide" and len(steps) > 1 and steps[-2].operation == "subtract":
        # A change must be divided by the old value; by the new one is the usual mistake.
        for base in (steps[-2].first, steps[-2].second):
            if base != last.second:
                yield [*steps[:-1], replace(last, second=base)]


def _value(step: Step, results: Sequence[Result], table: Sequence[Sequence[str]]) -> Result:
    if step.operation in OVER_ROWS:
        return OVER_ROWS[step.operation](_row(step.first or step.second, table))
    first, second = _operand(step.first, results), _operand(step.second, results)
    if step.operation == "greater":
        return first > second
    if step.operation not in ARITHMETIC:
        raise ProgramError(f"the operation {step.operation!r} is not defined")
    return ARITHMETIC[step.operation](first, second)


def _operand(text: str, results: Sequence[Result]) -> Decimal:
    if text.startswith("#"):
        index = int(text[1:]) if text[1:].isdigit() else len(results)
        if index >= len(results) or isinstance(results[index], bool):
            raise ProgramError(f"{text!r} names no earlier number")
        return Decimal(results[index])
    constant = CONSTANT.fullmatch(text)
    if constant is not None:
        return Decimal(constant[2]) * (-1 if constant[1] else 1)
    value = cell_number(text)
    if value is None:
        raise ProgramError(f"{text!r} is no number")
    return value


def _row(name: str, table: Sequence[Sequence[str]]) -> list[Decimal]:
    for row in table:
        if row and row[0].strip() == name:
            cells = [cell_number(cell.split("(")[0] or cell) for cell in row[1:]]
            numbers = [cell for cell in cells if cell is not None]
            if numbers:
                return numbers
    raise ProgramError(f"no row {name!r} with numbers in it")


def cell_number(text: str) -> Decimal | None:
    """The number that a cell or operand means; a percentage is divided by 100."""
    bare = re.sub(r"[$,\s]", "", text)
    match = re.fullmatch(r"(-?\d*\.?\d+|-?\d+\.)(%?)", bare)
    if match is None:
        return None
    return Decimal(match[1]) / (100 if match[2] else 1)
