"""PRM800K: is the next step of a solution right (Lightman et al. 2023)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data.ask import Origin, choice, noul, score
from steelyard.data.files import read_jsonl
from steelyard.data.groups import group_of
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

CHECKS = (
    "Is the last step correct?",
    "Is the step that was just taken right?",
    "Does the newest step hold, given what comes before it?",
    "Judge the last step: is it free of errors?",
)
LEVELS = ("wrong", "neither wrong nor of use", "right and of use")
GRADES = (
    "Grade the last step of the solution.",
    "How good is the newest step?",
)
PICKS = (
    "Which is the right next step?",
    "Choose the step that should come next.",
    "Only one of these steps is right. Which?",
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    with counted_skips("prm800k") as skips:
        for row in read_jsonl(folder / "prm800k/phase2_train.jsonl"):
            if row["is_quality_control_question"] or row["is_initial_screening_question"]:
                skips["a test of the raters"] += 1
                continue
            yield from asked(row["question"]["problem"], row["label"]["steps"], rng)


def asked(problem: str, steps: Sequence[Mapping[str, Any]], rng: Random) -> Iterator[Example]:
    """For each step a check or grade of one completion, and a choice where just one is right.

    The published answer and solution of the problem stay out of the state.
    """
    origin = Origin("prm800k", SOURCE.licence, group_of(problem))
    before: list[str] = []
    for step in steps:
        rated = [
            (each["text"], each["rating"])
            for each in step["completions"] or []
            if each["rating"] is not None and not each.get("flagged") and each["text"].strip()
        ]
        if rated:
            text, rating = rng.choice(rated)
            state = solution(problem, [*before, text])
            if rating == 0 or rng.random() < 0.3:
                yield score(origin, state, rng.choice(GRADES), LEVELS, rating + 1)
            else:
                yield noul(origin, state, rng.choice(CHECKS), rating > 0)
        right = [text for text, rating in rated if rating == 1]
        wrong = list(dict.fromkeys(text for text, rating in rated if rating == -1))
        if len(right) == 1 and wrong and right[0] not in wrong and rng.random() < 0.5:
            labels = [*right, *wrong]
            rng.shuffle(labels)
            target = labels.index(right[0])
            yield choice(origin, solution(problem, before), rng.choice(PICKS), labels, target)
        taken = step_taken(step)
        if taken is None:
            return
        before.append(taken)


def solution(problem: str, steps: Sequence[str]) -> Content:
    return {"problem": problem, "steps": list(steps)} if steps else {"problem": problem}


def step_taken(step: Mapping[str, Any]) -> str | None:
    """The completion that the rater went on from, or the one they wrote; None at the end."""
    if step["chosen_completion"] is not None:
        text = step["completions"][step["chosen_completion"]]["text"]
    elif step["human_completion"] is not None:
        text = step["human_completion"]["text"]
    else:
        return None
    return str(text)


SOURCE = Source(
    name="prm800k",
    licence="MIT",
    read=read,
    about="Lightman et al. 2023, Let's Verify Step by Step",
)
