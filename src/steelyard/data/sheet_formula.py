"""Spreadsheet formulas of plain arithmetic and aggregates, as HiTab's answers are annotated with:
`=H17+H18`, `=SUM(B8:B10)`, `=(B3-C3)/C3*100`.

Nothing is handed to an interpreter: a formula is read by recursive descent over four operators,
parentheses and a few functions, and anything else is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?|\.\d+)|([A-Za-z]+\d+|[A-Za-z]+)|([-+*/^():,%]))")
CELL = re.compile(r"([A-Z]+)(\d+)")

Lookup = Callable[[str], Decimal]

FUNCTIONS: Mapping[str, Callable[[Sequence[Decimal]], Decimal]] = {
    "SUM": lambda values: sum(values, Decimal(0)),
    "AVERAGE": lambda values: sum(values, Decimal(0)) / len(values),
    "MAX": max,
    "MIN": min,
    "COUNT": lambda values: Decimal(len(values)),
    "ABS": lambda values: abs(values[0]),
}
MISTAKES = {
    "SUM": ("AVERAGE", "MAX"),
    "AVERAGE": ("SUM", "MAX", "MIN"),
    "MAX": ("MIN", "AVERAGE", "SUM"),
    "MIN": ("MAX", "AVERAGE"),
    "+": ("-",),
    "-": ("+",),
    "*": ("/",),
    "/": ("*",),
}


class FormulaError(ValueError):
    """A formula outside the small language, or without a value."""


def tokens(formula: str) -> list[str]:
    """The parts of a formula, which starts with "=".

    Raises:
        FormulaError: a character or text that is no part of the language.
    """
    if not formula.startswith("="):
        raise FormulaError(f"{formula!r} does not start with =")
    text, parts, at = formula[1:].replace("$", "").rstrip(), [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise FormulaError(f"{text[at:]!r} is not understood")
        parts.append(match[0].strip().upper())
        at = match.end()
    return parts


def evaluate(parts: Sequence[str], cell: Lookup) -> Decimal:
    """The value of a formula's parts.

    Args:
        cell: from a cell's name ("B8") its number; raises FormulaError where it has none.
    Raises:
        FormulaError: a syntax error, an unknown function, a division by zero.
    """
    reader = _Reader(parts, cell)
    try:
        value = reader.expression()
    except ArithmeticError as error:
        raise FormulaError(f"no value: {error!r}") from error
    if reader.at != len(parts):
        raise FormulaError(f"{parts[reader.at]!r} is one too many")
    return value


def is_lookup(parts: Sequence[str]) -> bool:
    """Whether the formula only copies one cell."""
    return len(parts) == 1 and CELL.fullmatch(parts[0]) is not None


def mistakes(parts: Sequence[str]) -> list[list[str]]:
    """Formulas with one operator or function replaced by a wrong one."""
    return [
        [*parts[:index], other, *parts[index + 1 :]]
        for index, part in enumerate(parts)
        for other in MISTAKES.get(part, ())
    ]


def cell_index(name: str) -> tuple[int, int]:
    """(row, column) from 0 of a cell's name: "B8" is (7, 1)."""
    match = CELL.fullmatch(name)
    if match is None:
        raise FormulaError(f"{name!r} is no cell")
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(match[2]) - 1, column - 1


def cell_name(row: int, column: int) -> str:
    """The name of the cell at (row, column) from 0."""
    letters, rest = "", column + 1
    while rest:
        rest, digit = divmod(rest - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return f"{letters}{row + 1}"


class _Reader:
    """Recursive descent; one method for each level of precedence."""

    def __init__(self, parts: Sequence[str], cell: Lookup) -> None:
        self.parts, self.cell, self.at = parts, cell, 0

    def expression(self) -> Decimal:
        value = self.term()
        while self.peek() in ("+", "-"):
            value = value + self.term() if self.take() == "+" else value - self.term()
        return value

    def term(self) -> Decimal:
        value = self.power()
        while self.peek() in ("*", "/"):
            value = value * self.power() if self.take() == "*" else value / self.power()
        return value

    def power(self) -> Decimal:
        value = self.unary()
        while self.peek() == "^":
            self.take()
            value **= self.unary()
        return value

    def unary(self) -> Decimal:
        if self.peek() in ("-", "+"):
            return -self.unary() if self.take() == "-" else self.unary()
        value = self.atom()
        while self.peek() == "%":
            self.take()
            value /= 100
        return value

    def atom(self) -> Decimal:
        part = self.take()
        if part == "(":
            value = self.expression()
            self.expect(")")
            return value
        if part in FUNCTIONS:
            self.expect("(")
            values = self.arguments()
            if not values:
                raise FormulaError(f"{part} of nothing")
            return FUNCTIONS[part](values)
        if CELL.fullmatch(part):
            return self.cell(part)
        if part[0].isdigit() or part[0] == ".":
            return Decimal(part)
        raise FormulaError(f"{part!r} is not understood")

    def arguments(self) -> list[Decimal]:
        values: list[Decimal] = []
        while True:
            if self.at + 1 < len(self.parts) and self.parts[self.at + 1] == ":":
                first, _, last = self.take(), self.take(), self.take()
                values += [self.cell(name) for name in _range(first, last)]
            else:
                values.append(self.expression())
            if self.peek() != ",":
                self.expect(")")
                return values
            self.take()

    def peek(self) -> str | None:
        return self.parts[self.at] if self.at < len(self.parts) else None

    def take(self) -> str:
        part = self.peek()
        if part is None:
            raise FormulaError("the formula ends too early")
        self.at += 1
        return part

    def expect(self, wanted: str) -> None:
        if self.take() != wanted:
            raise FormulaError(f"{self.parts[self.at - 1]!r} stands where {wanted!r} is expected")


def _range(first: str, last: str) -> list[str]:
    (top, left), (bottom, right) = cell_index(first), cell_index(last)
    return [
        cell_name(row, column)
        for row in range(top, bottom + 1)
        for column in range(left, right + 1)
    ]
