"""VADER's film reviews: how a sentence feels on nine levels, by the votes of 15 people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from steelyard.evaluation.rows import Row, examples, tab_rows
from steelyard.evaluation.suites.suite import shares
from steelyard.types.example import Example
from steelyard.types.question import Score

LICENCE = "MIT"
LOWEST, HIGHEST = -4, 4
QUESTION = Score(
    "How does this sentence from a film review feel about its subject?",
    [
        "as negative as can be",
        "very negative",
        "clearly negative",
        "a little negative",
        "neither negative nor positive",
        "a little positive",
        "clearly positive",
        "very positive",
        "as positive as can be",
    ],
)


def load(folder: Path) -> list[Example]:
    """Every sentence of `folder/vader_ratings`, with the share of each vote as its target."""
    texts, ratings = (
        folder / "vader_ratings" / f"movieReviewSnippets_{name}.txt.gz"
        for name in ("GroundTruth", "anonDataRatings")
    )
    text_of = {row.text("id"): row.text("text") for row in tab_rows(texts, ("id", "mean", "text"))}

    def convert(row: Row) -> Iterator[Example]:
        name = row.text("id")
        if name not in text_of:
            raise row.wrong("id", f"an id of {texts}")
        target = shares((vote - LOWEST for vote in _votes(row)), HIGHEST - LOWEST + 1)
        yield Example(text_of[name], QUESTION, target, "vader", name, LICENCE)

    return examples(tab_rows(ratings, ("id", "mean", "sd", "votes")), convert)


def _votes(row: Row) -> list[int]:
    """`[-1, 0, 2]`"""
    try:
        votes = [int(vote) for vote in row.text("votes").strip("[]").split(",")]
    except ValueError:
        raise row.wrong("votes", "a list of whole numbers") from None
    if not all(LOWEST <= vote <= HIGHEST for vote in votes):
        raise row.wrong("votes", f"{LOWEST} to {HIGHEST}")
    return votes
