"""The tables of docs/data.md, made of the registry of sources.

python -m docs.source_tables    writes them between the page's two marks

`tests/test_docs.py` fails when the page shows others.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from benchmarks.pages import write
from steelyard.data.build import PER_ROW
from steelyard.data.source import Source, is_shippable
from steelyard.data.sources import ELSEWHERE, SOURCES

PAGE = Path(__file__).with_name("data.md")
MAKER = "docs.source_tables"


def tables() -> str:
    """All sources: corpora and generators of a plain build, and what is taken by name."""
    parts = (
        ("Corpora that a build takes", [s for s in SOURCES if s.kind == "corpus"]),
        ("Generators", [s for s in SOURCES if s.kind == "generator"]),
        ("Corpora that are taken by name", ELSEWHERE),
    )
    return "\n\n".join(f"### {title}\n\n{table(sources)}" for title, sources in parts)


def table(sources: Iterable[Source]) -> str:
    """A line for each source, by name."""
    lines = [
        "| source | licence | may train a shipped model | cap | what it is |",
        "|---|---|---|---|---|",
    ]
    for source in sorted(sources, key=lambda source: source.name):
        cells = (
            f"`{source.name}`",
            source.licence,
            may_ship(source),
            f"{source.cap:,}",
            source.about,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def may_ship(source: Source) -> str:
    """What the licence rule says of a source."""
    if source.licence == PER_ROW:
        return "row by row"
    return "yes" if is_shippable(source.licence) else "no"


if __name__ == "__main__":
    write(PAGE, MAKER, tables())
