"""Numbers of a result as they are shown, on the terminal and in a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def number(value: float | None, digits: int = 2) -> str:
    """`0.61`, or `-` where there is none."""
    return "-" if value is None else f"{value:.{digits}f}"


def with_interval(figure: Mapping[str, Any] | None, digits: int = 2) -> str:
    """`0.61 [0.53, 0.69]`; without an interval, where one group says nothing about the spread."""
    if figure is None:
        return "-"
    if figure["interval"] is None:
        return number(figure["value"], digits)
    low, high = figure["interval"]
    return f"{number(figure['value'], digits)} [{number(low, digits)}, {number(high, digits)}]"
