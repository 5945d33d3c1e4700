"""Measuring Hate Speech: votes on comments, on scales (Kennedy et al. 2020)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data import soft
from steelyard.data.ask import Origin, noul, score
from steelyard.data.normal import decoded
from steelyard.data.parquet import read_parquet
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.example import Example

LEAST_RATERS = 3
AGREEMENT = ("strongly disagree", "disagree", "neither", "agree", "strongly agree")
VERDICTS = ("not hate speech", "unclear", "hate speech")
VERDICT_ASKS = (
    "Is the comment hate speech?",
    "Would people call this hate speech?",
    "Grade the comment: hate speech or not?",
)
SCALES: Mapping[str, tuple[str, ...]] = {
    "insult": (
        "How far do readers agree that the comment insults a group or person?",
        "The comment is insulting.",
    ),
    "violence": (
        "How far do readers agree that the comment calls for violence?",
        "The comment calls for violence.",
    ),
    "dehumanize": (
        "How far do readers agree that the comment dehumanises people?",
        "The comment treats people as less than human.",
    ),
}
CHECKS = (
    "Is this comment hate speech?",
    "Does the comment contain hate speech?",
    "Should this count as hate speech?",
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    comments: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    path = folder / "measuring_hate_speech/measuring-hate-speech.parquet"
    for row in read_parquet(path):
        comments[row["comment_id"]].append(row)
    with counted_skips("measuring-hate-speech") as skips:
        for comment, rows in comments.items():
            text = decoded(rows[0]["text"])
            if len(rows) < LEAST_RATERS:
                skips["fewer than three raters"] += 1
            elif not text:
                skips["no text"] += 1
            else:
                origin = Origin("measuring-hate-speech", SOURCE.licence, str(comment))
                yield from asked(origin, text, rows, rng)


def asked(
    origin: Origin, text: str, rows: list[Mapping[str, Any]], rng: Random
) -> Iterator[Example]:
    """The verdict as a grade, sometimes as yes or no with "unclear" as half, and one scale."""
    verdicts = counts(rows, "hatespeech", len(VERDICTS))
    yield score(origin, text, rng.choice(VERDICT_ASKS), VERDICTS, soft.votes(verdicts))
    if rng.random() < 0.5:
        against, unclear, in_favour = verdicts
        yes, _ = soft.votes([in_favour + unclear / 2, against + unclear / 2])
        yield noul(origin, text, rng.choice(CHECKS), yes)
    name = rng.choice(list(SCALES))
    shares = soft.votes(counts(rows, name, len(AGREEMENT)))
    yield score(origin, text, rng.choice(SCALES[name]), AGREEMENT, shares)


def counts(rows: list[Mapping[str, Any]], column: str, levels: int) -> list[int]:
    """How many raters chose each level; levels are published as 0.0, 1.0, ..."""
    given = Counter(int(row[column]) for row in rows)
    return [given[level] for level in range(levels)]


SOURCE = Source(
    name="measuring-hate-speech",
    licence="CC-BY-4.0",
    read=read,
    about="Kennedy et al. 2020, Constructing interval variables via faceted Rasch measurement and "
    "multitask deep learning",
)
