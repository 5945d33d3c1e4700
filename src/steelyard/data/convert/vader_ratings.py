"""VADER: sentences and words that 10 to 20 people rated from -4 to +4 (Hutto and Gilbert 2014)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

from steelyard.data import soft
from steelyard.data.ask import Origin, choice, score
from steelyard.data.claim import Claim, claim
from steelyard.data.files import opened
from steelyard.data.normal import decoded
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

T = TypeVar("T")

RATINGS = range(-4, 5)

WORD = "word or emoticon"

GRADE = (
    "How positive or negative is this?",
    "Rate the sentiment.",
    "What feeling does the text express, from most negative to most positive?",
    "Grade how favourable the author sounds.",
    "Where on the scale does the tone of this fall?",
    "sentiment intensity",
    "How would most readers rate the mood of this text?",
    "Judge the valence.",
    "Is the connotation good or bad, and how much?",
)

LADDERS: tuple[tuple[tuple[str, ...], tuple[range, ...]], ...] = (
    (
        (
            "extremely negative",
            "very negative",
            "moderately negative",
            "slightly negative",
            "neutral",
            "slightly positive",
            "moderately positive",
            "very positive",
            "extremely positive",
        ),
        tuple(range(rating, rating + 1) for rating in RATINGS),
    ),
    (
        ("-4", "-3", "-2", "-1", "0", "+1", "+2", "+3", "+4"),
        tuple(range(rating, rating + 1) for rating in RATINGS),
    ),
    (
        ("very negative", "negative", "neutral or mixed", "positive", "very positive"),
        (range(-4, -2), range(-2, 0), range(1), range(1, 3), range(3, 5)),
    ),
    (
        ("strongly unfavourable", "unfavourable", "neither", "favourable", "strongly favourable"),
        (range(-4, -2), range(-2, 0), range(1), range(1, 3), range(3, 5)),
    ),
    (("negative", "neutral", "positive"), (range(-4, 0), range(1), range(1, 5))),
    (
        ("it speaks against", "it takes no side", "it speaks in favour"),
        (range(-4, 0), range(1), range(1, 5)),
    ),
)
"""Names of levels, and the ratings that each stands for."""

NAME = (
    "Which sentiment does this carry?",
    "Is the text positive, negative or neither?",
    "Choose the tone.",
    "Classify the sentiment of the text.",
    "How does the author feel?",
    "polarity",
    "Which side does the connotation fall on?",
    "What is the tone?",
    "Pick the label that most annotators would give.",
    "What is the overall attitude expressed here?",
)

TONES: tuple[tuple[dict[str, str], str], ...] = (
    (
        {
            "positive": "the author is pleased, praises or recommends",
            "negative": "the author is displeased, complains or warns",
            "neutral": "facts or mixed feelings without a clear side",
        },
        "+-0",
    ),
    (
        {
            "good": "it leaves a good feeling",
            "bad": "it leaves a bad feeling",
            "neither": "it leaves no feeling either way",
        },
        "+-0",
    ),
    (
        {
            "unfavourable": "criticism, regret or anger",
            "indifferent": "no judgement, or as much praise as criticism",
            "favourable": "praise, delight or approval",
        },
        "-0+",
    ),
)
"""Options with their descriptions, and which side each one is."""

POSITIVE: tuple[Claim, ...] = (
    "Is it positive?",
    "Does this express a positive feeling?",
    "Would most people call this text favourable?",
    "Does the author sound pleased?",
    "positive sentiment?",
    "The tone is positive. True?",
    {"true": "the tone is positive", "false": "the tone is neutral or negative"},
    {"true": "favourable", "false": "not favourable"},
)
NEGATIVE: tuple[Claim, ...] = (
    "Is it negative?",
    "Does this express a negative feeling?",
    "Would most people call this text unfavourable?",
    "Does the author sound displeased?",
    "negative sentiment?",
    {"true": "the tone is negative", "false": "the tone is neutral or positive"},
)
STRONG: tuple[Claim, ...] = (
    "Is the feeling expressed here strong, whether good or bad?",
    "Is this a strongly worded text (clearly more than mildly positive or negative)?",
    "strong sentiment?",
    "Would readers call this intense rather than mild or neutral?",
    "Does the text go well beyond mild approval or mild criticism?",
    {"true": "strong praise or strong criticism", "false": "mild or neutral"},
)
SIDES: tuple[tuple[tuple[Claim, ...], tuple[range, ...]], ...] = (
    (POSITIVE, (range(1, 5),)),
    (POSITIVE, (range(1, 5),)),
    (NEGATIVE, (range(-4, 0),)),
    (STRONG, (range(-4, -2), range(3, 5))),
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    base = folder / "vader_ratings"
    for name, kind in (("amazon", "product review"), ("movie", "film review")):
        rated = _ratings(base / f"{name}ReviewSnippets_anonDataRatings.txt.gz")
        for key, _, text in _columns(base / f"{name}ReviewSnippets_GroundTruth.txt.gz"):
            # Sentences of one Amazon review are numbered 12_1, 12_2 and so on.
            group = f"{name}-{key.split('_')[0]}"
            yield from _asked(group, decoded(text), kind, rated[key], rng)
    for word, votes in _ratings(base / "vader_lexicon.txt.gz").items():
        yield from _asked(f"word-{word}", word, WORD, votes, rng)


def _asked(group: str, text: str, kind: str, votes: Counter[int], rng: Random) -> Iterator[Example]:
    origin = Origin("vader_ratings", SOURCE.licence, group)
    lone = kind == WORD
    state: Content = text if rng.random() < 0.7 else {kind: text}
    levels, bands = rng.choice(LADDERS)
    counts = [_within(votes, band) for band in bands]
    yield score(origin, state, rng.choice(_fitting(GRADE, lone)), levels, soft.votes(counts))
    if rng.random() < 0.5:
        tones, sides = rng.choice(_fitting(TONES, lone))
        ranges = {"+": range(1, 5), "-": range(-4, 0), "0": range(1)}
        counts = [_within(votes, ranges[side]) for side in sides]
        options = tones if rng.random() < 0.5 else dict.fromkeys(tones)
        yield choice(origin, state, rng.choice(_fitting(NAME, lone)), options, soft.votes(counts))
    else:
        wordings, ranged = rng.choice(SIDES)
        inside = sum(_within(votes, band) for band in ranged)
        share = soft.votes([inside, votes.total() - inside])[0]
        yield claim(origin, state, _fitting(wordings, lone), share, rng)


def _fitting(wordings: Sequence[T], lone: bool) -> Sequence[T]:
    """A word on its own has no author and is no text."""
    if not lone:
        return wordings
    return [item for item in wordings if not re.search("author|text", str(item))]


def _within(votes: Counter[int], ratings: Sequence[int]) -> int:
    return sum(votes[rating] for rating in ratings)


def _ratings(path: Path) -> dict[str, Counter[int]]:
    return {key: Counter(json.loads(votes)) for key, _, _, votes in _columns(path)}


def _columns(path: Path) -> Iterator[list[str]]:
    """Cells between tabs; a quotation mark is text, and one file begins with a byte order mark."""
    with opened(path) as stream:
        for line in stream:
            yield line.removeprefix("\ufeff").rstrip("\r\n").split("\t")


SOURCE = Source(
    name="vader_ratings",
    licence="MIT",
    read=read,
    about="Hutto and Gilbert 2014, VADER: ratings of sentences and lexicon words",
)
