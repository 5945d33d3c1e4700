"""CLINC150, test split: which of many intents a short request to an assistant has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from steelyard.evaluation.rows import Row, json_object
from steelyard.evaluation.suites.suite import one_hot
from steelyard.types.example import Example
from steelyard.types.question import Choice

LICENCE = "CC-BY-3.0"
INSTRUCTIONS = "What does the user want?"
NUM_FEW = 20
SEED = 150


def among_all(folder: Path) -> list[Example]:
    """Every text of `folder/clinc150/data_full_test.json.gz` that has an intent, among all 150."""
    pairs = list(_pairs(folder))
    names = sorted({intent for _, intent in pairs})
    question = _question(names)
    return [
        _example("clinc150", index, text, question, names.index(intent))
        for index, (text, intent) in enumerate(pairs)
    ]


def among_few(folder: Path) -> list[Example]:
    """The same texts among 20 intents: the right one and 19 others, drawn anew for each text."""
    pairs = list(_pairs(folder))
    names = sorted({intent for _, intent in pairs})
    found = []
    for index, (text, intent) in enumerate(pairs):
        random = Random(f"{SEED}-{index}")
        others = [name for name in names if name != intent]
        drawn = [intent, *random.sample(others, min(NUM_FEW - 1, len(others)))]
        random.shuffle(drawn)
        found.append(_example("clinc150-20", index, text, _question(drawn), drawn.index(intent)))
    return found


def _question(intents: list[str]) -> Choice:
    return Choice(INSTRUCTIONS, [intent.replace("_", " ") for intent in intents])


def _example(source: str, index: int, text: str, question: Choice, gold: int) -> Example:
    target = one_hot(gold, len(question.criteria))
    return Example(text, question, target, source, str(index), LICENCE)


def _pairs(folder: Path) -> Iterator[tuple[str, str]]:
    whole = json_object(folder / "clinc150" / "data_full_test.json.gz")
    for index, pair in enumerate(whole.entries("test")):
        if not isinstance(pair, list) or len(pair) != 2:
            raise whole.error(f"test.{index}: allowed: an array of text and intent")
        row = Row(f"{whole.place}, test.{index}", {"text": pair[0], "intent": pair[1]})
        yield row.text("text"), row.text("intent")
