"""STS benchmark, test split: how similar two sentences are, on six levels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from steelyard.evaluation.rows import Row, csv_rows, examples
from steelyard.evaluation.suites.suite import between_levels
from steelyard.types.example import Example
from steelyard.types.question import Score

LICENCE = "CC-BY-SA-4.0"
QUESTION = Score(
    "How close in meaning are the two sentences?",
    [
        "about different things",
        "only the topic is the same",
        "a few details in common",
        "roughly the same, but something important differs",
        "almost the same, only small details differ",
        "the same meaning",
    ],
)


def load(folder: Path) -> list[Example]:
    """Every pair of `folder/stsb/stsb-en-test.csv.gz`, pairs with one first sentence as a group.

    The published mean of about five grades becomes a target on the two levels beside it.
    """
    path = folder / "stsb" / "stsb-en-test.csv.gz"
    return examples(csv_rows(path, ("first", "second", "mean")), _examples)


def _examples(row: Row) -> Iterator[Example]:
    mean = row.number("mean")
    highest = len(QUESTION.criteria) - 1
    if not 0 <= mean <= highest:
        raise row.wrong("mean", f"0 to {highest}")
    yield Example(
        {"first": row.text("first"), "second": row.text("second")},
        QUESTION,
        between_levels(mean, len(QUESTION.criteria)),
        "stsb",
        row.text("first"),
        LICENCE,
    )
