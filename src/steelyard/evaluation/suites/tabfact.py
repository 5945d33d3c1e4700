"""TabFact, small test split: does a table from Wikipedia support a statement?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from steelyard.evaluation.rows import Row, examples, json_object
from steelyard.evaluation.suites.suite import NO, YES
from steelyard.types.example import Example
from steelyard.types.question import Noul

LICENCE = "MIT AND CC-BY-SA-3.0"


def load(folder: Path) -> list[Example]:
    """Every statement of `folder/tabfact`; those about one table are a group."""
    tables = json_object(folder / "tabfact" / "small_test_tables.json.gz")
    stated = json_object(folder / "tabfact" / "small_test_examples.json.gz")

    def convert(row: Row) -> Iterator[Example]:
        statements, labels = row.entries("statements"), row.entries("labels")
        if len(statements) != len(labels) or not set(labels) <= {0, 1}:
            raise row.error(f"{len(labels)} labels for {len(statements)} statements, 0 or 1 each")
        name = row.text("table")
        state = f"{row.text('caption')}\n{_lines(tables.text(name))}"
        for statement, label in zip(statements, labels, strict=True):
            question = Noul(f"Does the table support this statement: {statement}")
            yield Example(state, question, YES if label else NO, "tabfact", name, LICENCE)

    return examples((_named(stated, name) for name in stated.fields), convert)


def _named(stated: Row, name: str) -> Row:
    parts = stated.entries(name)
    if len(parts) != 3:
        raise stated.wrong(name, "an array of statements, labels and caption")
    named = dict(zip(("statements", "labels", "caption"), parts, strict=True))
    return Row(f"{stated.place}, {name}", {"table": name} | named)


def _lines(table: str) -> str:
    """The table as it is published, one line a row, with bars in place of hashes."""
    return "\n".join(" | ".join(line.split("#")) for line in table.splitlines())
