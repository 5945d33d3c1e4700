"""ShARC: does a rule apply to somebody, or must more be asked first (Saeidi et al. 2018)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeAlias

from steelyard.data.ask import Origin, choice, noul
from steelyard.data.files import read_json
from steelyard.data.normal import decoded
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

Answer: TypeAlias = Literal["yes", "no", "irrelevant", "more"]

ANSWERS: tuple[dict[Answer, str], ...] = (
    {
        "yes": "yes",
        "no": "no",
        "irrelevant": "not applicable",
        "more": "more information needed",
    },
    {
        "yes": "The rule says yes",
        "no": "The rule says no",
        "irrelevant": "The rule has nothing to do with the question",
        "more": "It depends on something that is not known yet",
    },
    {"yes": "Yes", "no": "No", "irrelevant": "Irrelevant", "more": "Ask a follow-up question"},
)
ASKS = (
    "Answer the user's question by the rule.",
    "What is the answer for this user?",
    "Apply the rule to the user's situation and answer the question.",
    "Which answer does the rule give to the question?",
    "Decide the user's question from the rule, the scenario and what was asked so far.",
)
MORE_ASKS = (
    "Must something more be known before the question can be answered?",
    "Does the answer still depend on a fact that the user has not told?",
    "Should a follow-up question be asked first?",
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    for row in read_json(folder / "sharc/sharc_train.json"):
        origin = Origin("sharc", SOURCE.licence, row["tree_id"])
        answer = answer_of(row["answer"])
        state = situation(row)
        answers = rng.choice(ANSWERS)
        labels = list(answers.values())
        rng.shuffle(labels)
        yield choice(origin, state, rng.choice(ASKS), labels, labels.index(answers[answer]))
        if answer != "irrelevant" and rng.random() < 0.35:
            yield noul(origin, state, rng.choice(MORE_ASKS), answer == "more")


def situation(row: Mapping[str, Any]) -> Content:
    """Rule, question, scenario and dialogue; the evidence is the annotators' and stays out."""
    state: dict[str, Any] = {"rule": row["snippet"], "question": decoded(row["question"])}
    if row["scenario"].strip():
        state["scenario"] = decoded(row["scenario"])
    if row["history"]:
        state["asked so far"] = [
            {
                "question": decoded(turn["follow_up_question"]),
                "answer": decoded(turn["follow_up_answer"]),
            }
            for turn in row["history"]
        ]
    return state


def answer_of(text: str) -> Answer:
    """Any text but the three words is a follow-up question."""
    match text.strip().casefold():
        case "yes":
            return "yes"
        case "no":
            return "no"
        case "irrelevant":
            return "irrelevant"
        case _:
            return "more"


SOURCE = Source(
    name="sharc",
    licence="CC-BY-SA-3.0",
    read=read,
    about="Saeidi et al. 2018, Interpretation of Natural Language Rules in Conversational Machine "
    "Reading",
)
