"""Documents as states: titled passages and tables, written in one of several forms."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from steelyard.types.content import Content

LONGEST_STATE = 24_000
"""Characters; about 6,000 tokens (Trutina report, 6.3). WikiSQL tables and MAUD extracts that are
longer are left out, whole."""


def passages(titled: Sequence[tuple[str, str]], rng: Random) -> Content:
    """Passages with titles as text or as a list of objects; their order is kept."""
    match rng.randrange(4):
        case 0:
            return [{"title": title, "text": text} for title, text in titled]
        case 1:
            return "\n\n".join(f"[{title}] {text}" for title, text in titled)
        case 2:
            return "\n\n".join(f"# {title}\n{text}" for title, text in titled)
        case _:
            return "\n\n".join(f"{title}: {text}" for title, text in titled)


def table_text(rows: Sequence[Sequence[str]], rng: Random) -> str:
    """A table as lines of text; the same cells in every form."""
    match rng.randrange(3):
        case 0:
            return "\n".join(" | ".join(_cell(cell) for cell in row) for row in rows)
        case 1:
            return "\n".join("\t".join(_cell(cell) for cell in row) for row in rows)
        case _:
            return "\n".join(f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows)


def _cell(text: str) -> str:
    return " ".join(text.split())
