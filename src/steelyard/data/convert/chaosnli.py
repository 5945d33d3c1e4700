"""ChaosNLI: a hundred votes on each inference (Nie et al. 2020); its licence keeps it out of models
that we ship."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data import soft
from steelyard.data.ask import Origin, choice, noul
from steelyard.data.files import read_jsonl
from steelyard.data.groups import group_of
from steelyard.data.normal import decoded
from steelyard.data.source import Source
from steelyard.types.example import Example

LABELS = ("e", "n", "c")
NAMES = (
    ("entailment", "neutral", "contradiction"),
    ("it follows", "it may or may not be so", "it is ruled out"),
    ("definitely true", "might be true", "definitely false"),
)
ASKS = (
    'How does "{hypothesis}" relate to the text?',
    "Given the text, what holds of this statement? {hypothesis}",
    "{hypothesis}",
)
CHECKS = (
    "Does this follow from the text? {hypothesis}",
    "If the text is true, is this true? {hypothesis}",
)
BETWEEN_ASKS = (
    "What happened between the two?",
    "Which event links the first observation to the second?",
    "Which explanation is more plausible?",
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    for name in ("snli", "mnli_m"):
        for row in read_jsonl(folder / f"chaosnli/chaosNLI_{name}.jsonl"):
            yield from inference(row, rng)
    for row in read_jsonl(folder / "chaosnli/chaosNLI_alphanli.jsonl"):
        yield explanation(row, rng)


def inference(row: Mapping[str, Any], rng: Random) -> Iterator[Example]:
    """The three-way choice, and sometimes whether it follows, by the share of votes."""
    text = decoded(row["example"]["premise"])
    hypothesis = decoded(row["example"]["hypothesis"])
    origin = Origin("chaosnli", SOURCE.licence, group_of(text))
    counts = [row["label_counter"].get(label, 0) for label in LABELS]
    order = rng.sample(range(3), 3)
    names = rng.choice(NAMES)
    shares = soft.votes([counts[index] for index in order])
    asked = rng.choice(ASKS).format(hypothesis=hypothesis)
    yield choice(origin, text, asked, [names[index] for index in order], shares)
    if rng.random() < 0.35:
        follows, _ = soft.votes([counts[0], counts[1] + counts[2]])
        yield noul(origin, text, rng.choice(CHECKS).format(hypothesis=hypothesis), follows)


def explanation(row: Mapping[str, Any], rng: Random) -> Example:
    """Two observations and two hypotheses on what happened between them."""
    given = row["example"]
    first, last = decoded(given["obs1"]), decoded(given["obs2"])
    origin = Origin("chaosnli", SOURCE.licence, group_of(f"{first} {last}"))
    hypotheses = {
        decoded(given[f"hyp{number}"]): row["label_counter"].get(str(number), 0)
        for number in rng.sample((1, 2), 2)
    }
    state = {"first observation": first, "second observation": last}
    shares = soft.votes(list(hypotheses.values()))
    return choice(origin, state, rng.choice(BETWEEN_ASKS), list(hypotheses), shares)


SOURCE = Source(
    name="chaosnli",
    licence="CC-BY-NC-4.0",
    read=read,
    about="Nie et al. 2020, What Can We Learn from Collective Human Opinions on NLI Data?",
)
