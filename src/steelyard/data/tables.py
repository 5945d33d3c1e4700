"""Tables as a state shows them: rows with bars, or JSON."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.types.content import Json


def barred(rows: Sequence[Sequence[str]]) -> str:
    """One line a row, cells between `|`."""
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def records(rows: Sequence[Sequence[str]]) -> list[Json]:
    """Objects by column name; plain lists where names repeat or are blank, or rows differ in
    length."""
    header, *body = rows
    named = len(set(header)) == len(header) and all(header)
    if not named or any(len(row) != len(header) for row in body):
        return [list(row) for row in rows]
    return [dict(zip(header, row, strict=True)) for row in body]
