"""BANKING77: which of 77 intents a customer's message has (Casanueva et al. 2020)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.data.ask import Origin, Wordings, pick
from steelyard.data.files import read_csv, read_json
from steelyard.data.source import Source
from steelyard.types.example import Example

WORDINGS = Wordings(
    choice=(
        "What does the customer want?",
        "Which intent does this message express?",
        "What is this message to the bank about?",
        "Choose the topic that the customer is asking about.",
        "Route the message: which topic fits best?",
        "Which of these is the customer's problem?",
        "Select the intent.",
        "intent of the message",
    ),
    noul=(
        "Is this message about: {answer}?",
        "Does the customer ask about {answer}?",
        'Would "{answer}" be the right topic for this message?',
        'The message was filed under "{answer}". Is that right?',
    ),
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    intents = read_json(folder / "banking77/categories.json")
    spoken = {intent: intent.replace("_", " ").lower() for intent in intents}
    for index, row in enumerate(read_csv(folder / "banking77/train.csv.gz")):
        origin = Origin("banking77", SOURCE.licence, str(index))
        named = spoken if rng.random() < 0.8 else {intent: intent for intent in intents}
        yield from pick(
            origin,
            row["text"],
            WORDINGS,
            named[row["category"]],
            list(named.values()),
            rng,
            wide=0.15,
            closed=True,
        )


SOURCE = Source(
    name="banking77",
    licence="CC-BY-4.0",
    read=read,
    about="Casanueva et al. 2020, Efficient Intent Detection with Dual Sentence Encoders",
)
