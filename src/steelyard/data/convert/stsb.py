"""STS benchmark: how similar two sentences are in meaning, 0 to 5 (Cer et al. 2017)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data import soft
from steelyard.data.ask import Origin, choice, score
from steelyard.data.claim import Claim, claim
from steelyard.data.files import read_rows
from steelyard.data.normal import decoded, normal
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

RATERS_SD = 0.6
"""How far apart the ratings of one pair are taken to be; only their mean is published."""

LEVELS = (
    (
        "completely different topics",
        "not equivalent, but on the same topic",
        "not equivalent, but some details are shared",
        "roughly equivalent, but important information differs or is missing",
        "mostly equivalent; unimportant details differ",
        "completely equivalent",
    ),
    (
        "unrelated",
        "same topic only",
        "some details in common",
        "roughly the same",
        "nearly the same",
        "the same meaning",
    ),
    (
        "0: nothing in common",
        "1: the subject is the same, nothing else",
        "2: a few shared details",
        "3: the main point is close, with important differences",
        "4: only small differences",
        "5: identical in meaning",
    ),
)

GRADE = (
    "How similar in meaning are the two sentences?",
    "Rate the semantic similarity.",
    "To what degree do these sentences say the same thing?",
    "Grade how close the second sentence is to the first in meaning.",
    "semantic similarity",
    "How much of the meaning do both sentences share?",
    "Compare the two sentences and judge how equivalent they are.",
)

RELATIONS: tuple[tuple[dict[str, str], tuple[range, ...]], ...] = (
    (
        {
            "same": "they mean the same, apart from unimportant details",
            "related": "they share some content but differ in something important",
            "different": "they share the topic at most",
        },
        (range(4, 6), range(2, 4), range(2)),
    ),
    (
        {
            "not a paraphrase": "something important differs or is missing",
            "paraphrase": "one could replace the other, unimportant details aside",
        },
        (range(4), range(4, 6)),
    ),
    (
        {
            "unrelated": "different topics",
            "loosely related": "same topic, few shared details",
            "close": "roughly the same statement with important differences",
            "equivalent": "the same statement, or nearly",
        },
        (range(1), range(1, 3), range(3, 4), range(4, 6)),
    ),
)
"""Options with their descriptions, and the levels that each stands for."""

NAME = (
    "How do the two sentences relate?",
    "Which label fits this pair of sentences?",
    "Choose the relation between the sentences.",
    "Do the sentences say the same thing?",
    "relation of the pair",
    "Compare the meanings and pick one.",
    "Sort this pair for a deduplication job.",
)

PARAPHRASE: tuple[Claim, ...] = (
    "Is the second sentence a paraphrase of the first?",
    "Do both sentences mean the same, apart from unimportant details?",
    "Could one sentence replace the other without changing the message?",
    "paraphrase?",
    "Are the two texts near duplicates in meaning?",
    "Would you merge these two as saying the same thing?",
    {
        "true": "the sentences mean the same, small details aside",
        "false": "something important differs",
    },
    {"true": "paraphrase", "false": "no paraphrase"},
)
RELATED: tuple[Claim, ...] = (
    "Do the two sentences share any details beyond the topic?",
    "Do the sentences have more in common than their topic?",
    "Is some of the content the same in both sentences?",
    "shared details?",
    "Besides the general subject, is anything stated in both?",
    {
        "true": "some details are shared, whether or not the sentences are equivalent",
        "false": "at most the topic is shared",
    },
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    groups: dict[str, int] = {}
    for index, (first, second, mean) in enumerate(read_rows(folder / "stsb/stsb-en-train.csv.gz")):
        # The same first sentence stands in several pairs; they stay on one side of a split.
        group = groups.setdefault(normal(first), index)
        origin = Origin("stsb", SOURCE.licence, str(group))
        state = _shown(decoded(first), decoded(second), rng)
        target = soft.around_mean(6, float(mean))
        yield score(origin, state, rng.choice(GRADE), rng.choice(LEVELS), target)
        shares = _ratings(float(mean))
        if rng.random() < 0.6:
            relations, bands = rng.choice(RELATIONS)
            sides = [sum(shares[level] for level in band) for band in bands]
            options = relations if rng.random() < 0.5 else dict.fromkeys(relations)
            yield choice(origin, state, rng.choice(NAME), options, sides)
        if rng.random() < 0.6:
            yield claim(origin, state, PARAPHRASE, sum(shares[4:]), rng)
        if rng.random() < 0.2:
            yield claim(origin, state, RELATED, sum(shares[2:]), rng)


def _ratings(mean: float) -> soft.Distribution:
    """Shares of the ratings behind a mean: a bell, so that a band's edge is no cliff."""
    return soft.exact([math.exp(-(((level - mean) / RATERS_SD) ** 2) / 2) for level in range(6)])


def _shown(first: str, second: str, rng: Random) -> Content:
    return rng.choice(
        (
            {"sentence 1": first, "sentence 2": second},
            {"a": first, "b": second},
            [first, second],
            f"First: {first}\nSecond: {second}",
            f"1. {first}\n2. {second}",
        )
    )


SOURCE = Source(
    name="stsb",
    licence="CC-BY-SA-4.0",
    read=read,
    about="Cer et al. 2017, SemEval-2017 Task 1; scores under this licence, captions, news and "
    "forum sentences of several collections",
)
