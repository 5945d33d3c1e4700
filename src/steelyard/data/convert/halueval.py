"""HaluEval, general queries: did a model make something up (Li et al. 2023)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data import ask
from steelyard.data.ask import Origin
from steelyard.data.files import read_jsonl
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

MADE_UP = (
    "Does the response contain made-up or false content?",
    "Is anything in the reply hallucinated?",
    "hallucination",
    "Check the answer: does it state things that are wrong or cannot be verified?",
    "Should the response be held back because it invents facts?",
    "Would a careful reader find fabricated content in the response?",
    "You guard a chatbot's output. Does this reply have content that was made up?",
)

SOUND = (
    "Is the response free of made-up content?",
    "Can the reply be sent as it is, with nothing in it invented?",
    "Are all statements in the response sound?",
    "factually clean",
    "Did the assistant answer without making anything up?",
    "Would a fact checker let this response pass?",
)

CHOICE = (
    "How should a fact checker mark the response?",
    "Route the reply after the factual check.",
    "Choose the label.",
    "verdict",
    "What did the check of the response find?",
    "Is the reply reliable? Choose one.",
)

LABELS = (
    ("sound", "hallucinated"),
    ("send", "hold back"),
    ("no made-up content", "has made-up content"),
    ("pass", "fail"),
)
"""Names of a response without and with invented content."""

MEANINGS = (
    "nothing in the response is invented or wrong",
    "the response has content that is invented, wrong or cannot be verified",
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    for index, row in enumerate(read_jsonl(folder / "halueval/general_data.json.gz")):
        origin = Origin(SOURCE.name, SOURCE.licence, str(index))  # ID is empty in some rows
        invented = row["hallucination"] == "yes"
        state = _exchange(row["user_query"], row["chatgpt_response"], rng)
        if rng.random() < 0.7:
            yield ask.noul(origin, state, rng.choice(MADE_UP), invented)
        else:
            yield ask.noul(origin, state, rng.choice(SOUND), not invented)
        if invented or rng.random() < 0.25:
            yield _label(origin, state, invented, rng)


def _label(origin: Origin, state: Content, invented: bool, rng: Random) -> Example:
    labels = list(rng.choice(LABELS))
    right = labels[invented]
    meanings: dict[str, Content | None] = dict(zip(labels, MEANINGS, strict=True))
    rng.shuffle(labels)
    described = rng.random() < 0.6
    options = {label: meanings[label] if described else None for label in labels}
    return ask.choice(origin, state, rng.choice(CHOICE), options, labels.index(right))


def _exchange(query: str, response: str, rng: Random) -> Content:
    if rng.random() < 0.5:
        return f"User: {query}\n\nAssistant: {response}"
    return {"query": query, "response": response}


SOURCE = Source(
    name="halueval",
    licence="MIT",
    read=read,
    about="Li et al. 2023, HaluEval: A Large-Scale Hallucination Evaluation Benchmark",
)
