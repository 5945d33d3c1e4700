"""StrategyQA, dev split: yes/no questions whose answer follows from a few given facts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from steelyard.evaluation.rows import Row, examples, json_array
from steelyard.evaluation.suites.suite import NO, YES
from steelyard.types.example import Example
from steelyard.types.question import Noul

LICENCE = "MIT"


def load(folder: Path) -> list[Example]:
    """Every question of `folder/strategyqa/dev.json.gz`, with its facts as the state."""
    return examples(json_array(folder / "strategyqa" / "dev.json.gz"), _examples)


def _examples(row: Row) -> Iterator[Example]:
    facts = "\n".join(str(fact) for fact in row.entries("facts"))
    target = YES if row.flag("answer") else NO
    yield Example(facts, Noul(row.text("question")), target, "strategyqa", row.text("qid"), LICENCE)
