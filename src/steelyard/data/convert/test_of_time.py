"""Test of Time: dates, durations and facts that hold in some years (Fatemi et al. 2024).

The card of the data set forbids training on it, whatever its licence; so the licence
field says, and by it the source is not shippable.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data.answers import ASKS, CHECKS, ShortAnswer, ask
from steelyard.data.ask import Origin, choice, noul
from steelyard.data.figures import figure
from steelyard.data.groups import group_of
from steelyard.data.normal import decoded
from steelyard.data.records import read_records
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.data.time_answers import near_dates, near_lists
from steelyard.types.content import Content
from steelyard.types.example import Example

FORMAT_ORDER = re.compile(r"\s*(?:Return|Provide|Give) your (?:final )?answer.*", re.DOTALL)
PROMPT_FACTS = re.compile(r".*?facts[^:]*:\s*(.*?)\s*(?=Question:)", re.DOTALL)
ENTITY = re.compile(r"\b[ER]\d+\b")
YEAR = re.compile(r"\b[12]\d{3}\b")


def read(folder: Path, rng: Random) -> Iterator[Example]:
    with counted_skips("test-of-time") as skips:
        for row in read_records(folder / "test_of_time/tot_arithmetic/test.json"):
            found = list(arithmetic(row, rng))
            skips["no wrong answer can be made"] += not found
            yield from found
        for row in read_records(folder / "test_of_time/tot_semantic/test.json"):
            found = list(semantic(row, rng))
            skips["no facts in the prompt, or no other answer"] += not found
            yield from found


def arithmetic(row: Mapping[str, Any], rng: Random) -> Iterator[Example]:
    """The question is the state: its story and what is asked are one text."""
    question = FORMAT_ORDER.sub("", row["question"]).strip()
    gold = ast.literal_eval(row["label"])["answer"]
    origin = Origin("test-of-time", SOURCE.licence, group_of(question))
    asked = "What is the right answer?"
    if isinstance(gold, list):
        names = [str(name) for name in gold]
        yield from listed(origin, question, asked, ", ".join(names), near_lists(names, rng), rng)
    elif figure(str(gold)) is not None:
        yield from ask(origin, question, ShortAnswer(asked, str(gold)), rng)
    else:
        yield from listed(origin, question, asked, str(gold), near_dates(str(gold), rng), rng)


def listed(
    origin: Origin, state: Content, asked: str, gold: str, wrong: list[str], rng: Random
) -> Iterator[Example]:
    """As `ask` does, with wrong answers that were made from the right one."""
    if not wrong:
        return
    if rng.random() < 0.35:
        right = rng.random() < 0.5
        shown = gold if right else wrong[0]
        yield noul(origin, state, rng.choice(CHECKS).format(question=asked, answer=shown), right)
        return
    labels = [gold, *wrong]
    rng.shuffle(labels)
    yield choice(origin, state, rng.choice(ASKS).format(question=asked), labels, labels.index(gold))


def semantic(row: Mapping[str, Any], rng: Random) -> Iterator[Example]:
    """Facts about entities and years; other entities or years of the facts are the wrong answers.

    A label of several entities is read as a list.
    """
    match = PROMPT_FACTS.match(row["prompt"])
    if match is None:
        return
    facts, question, gold = match[1], decoded(row["question"]), decoded(str(row["label"]))
    origin = Origin("test-of-time", SOURCE.licence, group_of(facts))
    if ", " in gold:
        yield from listed(origin, facts, question, gold, near_lists(gold.split(", "), rng), rng)
        return
    near = list(dict.fromkeys([*ENTITY.findall(facts), *YEAR.findall(facts)]))
    near = [text for text in near if (text[0] == gold[0] if gold[:1] in "ER" else True)]
    yield from ask(origin, facts, ShortAnswer(question, gold, near=near), rng)


SOURCE = Source(
    name="test-of-time",
    licence="CC-BY-4.0, but its card forbids use as a training set",
    read=read,
    about="Fatemi et al. 2024, Test of Time: A Benchmark for Evaluating LLMs on Temporal Reasoning",
)
