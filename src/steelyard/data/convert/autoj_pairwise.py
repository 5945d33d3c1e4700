"""Auto-J's pairwise preferences: which of two responses is better, or a tie (Li et al. 2023)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data import ask, soft
from steelyard.data.ask import Origin, Wordings, pick
from steelyard.data.files import read_jsonl
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

CHOICE = (
    "Which response is better?",
    "Compare the two responses and choose the better one.",
    "Which of the answers would the user prefer?",
    "better response",
    "You judge two assistants. Who answered the request better?",
    "Pick the winner, or a tie if they are equally good.",
    "Which response should be shown to the user?",
)

FIRST_BETTER = (
    "Is {name} better than the other response?",
    "Would the user prefer {name}?",
    "{name} wins",
    "Does {name} answer the request better?",
    "Should {name} be the one that is shown?",
    "Comparing both, is {name} the stronger one?",
)

NAMES = (
    ("response A", "response B", "tie"),
    ("response 1", "response 2", "equally good"),
    ("first response", "second response", "no difference"),
    ("assistant A", "assistant B", "draw"),
)

SCENARIO = Wordings(
    choice=(
        "What kind of task is this?",
        "Choose the type of the request.",
        "Route the prompt to a model that is good at:",
        "task type",
        "Which category does the user's request belong to?",
        "Classify the prompt by what it asks for.",
    ),
    noul=(
        "Is the request of the type {answer}?",
        'Should the prompt be filed under "{answer}"?',
        "task type = {answer}?",
        "Does the user ask for {answer}?",
        "Is {answer} the right category?",
        'A router sent this to "{answer}". Was that right?',
    ),
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    rows = list(read_jsonl(folder / "autoj_pairwise/autoj_pairwise.jsonl.gz"))
    kinds = sorted({_spoken(row["scenario"]) for row in rows} - {"others"})
    groups: dict[str, str] = {}
    for row in rows:
        new = row["prompt"] not in groups
        group = groups.setdefault(row["prompt"], str(len(groups)))
        origin = Origin(SOURCE.name, SOURCE.licence, group)
        yield from _compared(origin, row, rng)
        if new and _spoken(row["scenario"]) in kinds:
            kind = _spoken(row["scenario"])
            yield from pick(
                origin, row["prompt"], SCENARIO, kind, kinds, rng, wide=0.1, closed=True
            )


def _compared(origin: Origin, row: dict[str, Any], rng: Random) -> Iterator[Example]:
    """The pair in one of its two orders; a tie stays a tie."""
    names = rng.choice(NAMES)
    swapped = rng.random() < 0.5
    texts = [row["response 1"], row["response 2"]]
    winner = row["label"]
    if swapped:
        texts.reverse()
        winner = (1, 0, 2)[winner]
    labels = list(names)
    rng.shuffle(labels)
    right = labels.index(names[winner])
    if rng.random() < 0.2:
        meanings: dict[str, Content | None] = {names[0]: texts[0], names[1]: texts[1]}
        options = {label: meanings.get(label) for label in labels}
        yield ask.choice(origin, {"prompt": row["prompt"]}, rng.choice(CHOICE), options, right)
        return
    state: Content = {"prompt": row["prompt"], names[0]: texts[0], names[1]: texts[1]}
    yield ask.choice(origin, state, rng.choice(CHOICE), labels, right)
    if rng.random() < 0.4:
        asked = rng.randrange(2)
        shares = soft.hard(3, winner)
        name = f"the {names[asked]}" if names[asked].endswith("response") else names[asked]
        instructions = rng.choice(FIRST_BETTER).format(name=name)
        yield ask.noul(origin, state, instructions, shares[asked] + shares[2] / 2)


def _spoken(name: str) -> str:
    return name.replace("_", " ")


SOURCE = Source(
    name="autoj_pairwise",
    licence="Apache-2.0",
    read=read,
    about="Li et al. 2023, Generative Judge for Evaluating Alignment, as prometheus-eval ships it",
)
