"""sys1bench, the canary: tickets and e-mails under a stated policy, all three kinds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from steelyard.evaluation.rows import Row, examples, json_lines
from steelyard.evaluation.suites.suite import NO, YES, one_hot
from steelyard.types.example import Example
from steelyard.types.question import Choice, Noul, Question, Score

LICENCE = "Apache-2.0"


def load(folder: Path) -> list[Example]:
    """Every question of `folder/sys1bench/canary.jsonl.gz`; those of a task are one group."""
    return examples(json_lines(folder / "sys1bench" / "canary.jsonl.gz"), _examples)


def question_of(row: Row) -> Question:
    """The typed question that a row of the suite's `questions` spells."""
    instructions = row.text("instructions")
    match row.text("type"):
        case "noul":
            return Noul(instructions)
        case "choice":
            options = row.objects("criteria")
            return Choice(
                instructions, {option.text("key"): option.text("description") for option in options}
            )
        case "score":
            levels = row.objects("criteria")
            if [level.get("level") for level in levels] != list(range(len(levels))):
                raise row.error("criteria: levels out of order")
            return Score(instructions, [level.text("description") for level in levels])
    raise row.wrong("type", "noul, choice, score")


def _examples(row: Row) -> Iterator[Example]:
    asked = row.within("questions")
    for name in asked.fields:
        part = asked.within(name)
        question = question_of(part)
        yield Example(
            row.content("state"),
            question,
            _target(part, question),
            "sys1bench",
            row.text("task_id"),
            LICENCE,
        )


def _target(row: Row, question: Question) -> tuple[float, ...]:
    if isinstance(question, Noul):
        return YES if row.flag("ground_truth") else NO
    answers = (
        list(question.criteria)
        if isinstance(question, Choice)
        else [*range(len(question.criteria))]
    )
    truth = row.get("ground_truth")
    if truth not in answers:
        raise row.wrong("ground_truth", "one of the options")
    return one_hot(answers.index(truth), len(answers))
