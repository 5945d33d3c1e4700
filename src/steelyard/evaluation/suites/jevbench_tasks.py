"""Tasks as JevBench publishes them (fstandhartinger/jevbench): a file of them is a suite.

    {"id": "hard-017", "family": ..., "group": ..., "state": ..., "question": {"type": "choice",
     "instructions": ..., "criteria": {...}}, "labels": [...], "expected": "b"}

What an example's source says after the suite's name is the task's tier, which the scores of
`evaluation/boards/jevbench.py` need.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from steelyard.evaluation.rows import Row
from steelyard.evaluation.suites.jevbench import question_of
from steelyard.types.example import Example
from steelyard.types.question import Noul

LICENCE = "unknown"
TIERS = ("easy", "standard", "judge", "hard")
OLDER = {"original": "standard"}
"""What the tier was called in the ids of the first version."""


def is_task(row: Row) -> bool:
    """Whether a row is a task, and no example of ours."""
    return {"labels", "expected", "question"} <= row.fields.keys()


def task_example(row: Row, suite: str) -> Iterator[Example]:
    """The example that a task is; tasks of one group share their answer.

    Raises:
        InputFileError: a tier that is none, or an expected answer that is no label.
    """
    question = question_of(row.within("question"))
    labels = [str(label) for label in row.entries("labels")]
    if isinstance(question, Noul):
        labels = ["yes", "no"]
    group = row.fields.get("group") or row.text("id")
    target = _target(row, labels)
    tier = _tier(row)
    source = f"{suite}/{tier}"
    yield Example(row.content("state"), question, target, source, str(group), LICENCE)


def _target(row: Row, labels: list[str]) -> tuple[float, ...]:
    """All on one label, or the exact distribution of a task about probability."""
    expected = row.get("expected")
    if isinstance(expected, Mapping):
        return tuple(row.within("expected").number(label) for label in labels)
    if str(expected) not in labels:
        raise row.wrong("expected", ", ".join(labels))
    return tuple(float(label == str(expected)) for label in labels)


def _tier(row: Row) -> str:
    """What the task says of it, or what its id begins with."""
    told = str(row.fields.get("tier") or row.text("id").split("-")[0])
    tier = OLDER.get(told, told)
    if tier not in TIERS:
        raise row.error(f"tier: got {told!r}; allowed: {', '.join(TIERS)}")
    return tier
