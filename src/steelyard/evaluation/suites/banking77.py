"""BANKING77, test split: which of 77 topics a bank customer writes about."""

from __future__ import annotations

from pathlib import Path

from steelyard.evaluation.rows import csv_rows, examples
from steelyard.evaluation.suites.suite import one_hot
from steelyard.types.example import Example
from steelyard.types.question import Choice

LICENCE = "CC-BY-4.0"
INSTRUCTIONS = "What is the customer's message about?"


def load(folder: Path) -> list[Example]:
    """Every message of `folder/banking77/test.csv.gz`, among all topics that occur in it."""
    rows = list(csv_rows(folder / "banking77" / "test.csv.gz"))
    names = sorted({row.text("category") for row in rows}, key=str.lower)
    question = Choice(INSTRUCTIONS, [name.replace("_", " ") for name in names])
    group = {row.place: str(index) for index, row in enumerate(rows)}
    return examples(
        rows,
        lambda row: [
            Example(
                row.text("text"),
                question,
                one_hot(names.index(row.text("category")), len(names)),
                "banking77",
                group[row.place],
                LICENCE,
            )
        ],
    )
