"""JevBench-240: the six domains whose answers are published, all three kinds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from steelyard.errors import InputFileError
from steelyard.evaluation.rows import Row, examples, json_lines
from steelyard.evaluation.suites.suite import NO, YES, flat, one_hot
from steelyard.types.content import Content
from steelyard.types.example import Example, num_options
from steelyard.types.question import Choice, Noul, Question, Score

LICENCE = "Apache-2.0"
UNKNOWN = "unknown"


def known(folder: Path) -> list[Example]:
    """The questions that the state answers; those of a state are one group."""
    return _load(folder, unknown=False)


def unknown(folder: Path) -> list[Example]:
    """The questions that the state does not answer: no option deserves more than another."""
    return _load(folder, unknown=True)


def question_of(row: Row) -> Question:
    """The typed question that a row of the suite's `questions` spells."""
    instructions = row.text("instructions")
    match row.text("type"):
        case "noul":
            if row.fields.get("criteria") is None:
                return Noul(instructions)
            outcomes = row.within("criteria")
            return Noul(instructions, {name: outcomes.content(name) for name in outcomes.fields})
        case "choice":
            options = row.within("criteria")
            return Choice(
                instructions, {name: _described(options, name) for name in options.fields}
            )
        case "score":
            row.entries("criteria")
            levels = row.content("criteria")
            assert isinstance(levels, list)
            return Score(instructions, levels)
    raise row.wrong("type", "noul, choice, score")


def _described(options: Row, name: str) -> Content | None:
    return None if options.get(name) is None else options.content(name)


def _load(folder: Path, *, unknown: bool) -> list[Example]:
    answers = folder / "jevbench240" / "gold_6domains.jsonl"
    gold = {row.text("id"): row.within("gold") for row in json_lines(answers)}
    cases = folder / "jevbench240" / "cases.jsonl.gz"

    def convert(row: Row) -> Iterator[Example]:
        case = row.text("id")
        asked = row.within("questions")
        for name in asked.fields if case in gold else ():
            if (gold[case].get(name) == UNKNOWN) != unknown:
                continue
            question = question_of(asked.within(name))
            source = "jevbench240-unknown" if unknown else "jevbench240"
            target = flat(num_options(question)) if unknown else _target(gold[case], name, question)
            yield Example(row.content("state"), question, target, source, case, LICENCE)

    found = examples(json_lines(cases), convert)
    missing = gold.keys() - {example.group for example in found}
    if missing and not unknown:
        raise InputFileError(f"{answers}: no state {min(missing)!r} in {cases}")
    return found


def _target(gold: Row, name: str, question: Question) -> tuple[float, ...]:
    if isinstance(question, Noul):
        return YES if gold.flag(name) else NO
    answers: Sequence[object] = (
        list(question.criteria) if isinstance(question, Choice) else range(len(question.criteria))
    )
    if gold.get(name) not in answers:
        raise gold.wrong(name, "one of the options")
    return one_hot(answers.index(gold.get(name)), len(answers))
