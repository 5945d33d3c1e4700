"""Labelled questions of sys1bench and JevBench-240, and a fixed sample of them.

Only choices and nouls with a known answer are taken: JevBench's "unknown" is left out, as is
whatever asks for abstention. Questions of one state stay together, so that the state is shared.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from steelyard.evaluation.rows import Row, json_lines
from steelyard.evaluation.suites import jevbench as evaluated_jevbench
from steelyard.evaluation.suites import sys1bench as evaluated_sys1bench
from steelyard.types.content import Content
from steelyard.types.question import Choice, Noul, Question


@dataclass(frozen=True, slots=True)
class Item:
    """One question with its true answer.

    Attributes:
        id: the question's id in its suite; the same id asks the same of other states.
        kind: "noul" or "choice".
        truth: "yes" or "no", or the right label.
        usual: the most frequent truth of this question over the whole suite, a baseline that
            knows the answers and not the state.
    """

    id: str
    kind: str
    question: Noul | Choice
    truth: str
    usual: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """A state with its labelled questions. `group` is what a bootstrap draws."""

    suite: str
    group: str
    domain: str
    state: Content
    items: tuple[Item, ...]


def sys1bench(folder: Path) -> list[Case]:
    """The labelled choices and nouls of `folder/sys1bench/canary.jsonl.gz`."""
    return _with_usual(
        Case(
            "sys1bench",
            row.text("task_id"),
            row.text("domain"),
            row.content("state"),
            tuple(_sys1_items(row.within("questions"))),
        )
        for row in json_lines(folder / "sys1bench" / "canary.jsonl.gz")
    )


def jevbench(folder: Path) -> list[Case]:
    """The choices and nouls of the six open domains of `folder/jevbench240`."""
    answers = json_lines(folder / "jevbench240" / "gold_6domains.jsonl")
    gold = {row.text("id"): row.within("gold") for row in answers}
    return _with_usual(
        Case(
            "jevbench240",
            row.text("id"),
            row.text("domain"),
            row.content("state"),
            tuple(_jevbench_items(row.within("questions"), gold[row.text("id")])),
        )
        for row in json_lines(folder / "jevbench240" / "cases.jsonl.gz")
        if row.text("id") in gold
    )


SUITES: Mapping[str, Callable[[Path], list[Case]]] = {
    "sys1bench": sys1bench,
    "jevbench240": jevbench,
}


def sample(cases: Sequence[Case], num_questions: int, seed: int) -> list[Case]:
    """`num_questions` questions, half nouls and half choices, with those of a state together.

    The cases come in random order, so that the first few are a sample too.

    Raises:
        ValueError: the suite has fewer questions of a kind.
    """
    random = Random(seed)
    chosen: set[tuple[int, int]] = set()
    num_nouls = num_questions // 2
    for kind, wanted in (("noul", num_nouls), ("choice", num_questions - num_nouls)):
        places = [
            (place, index)
            for place, case in enumerate(cases)
            for index, item in enumerate(case.items)
            if item.kind == kind
        ]
        if len(places) < wanted:
            raise ValueError(f"{wanted} questions of kind {kind!r} wanted, {len(places)} there")
        chosen.update(random.sample(places, wanted))
    kept = [
        replace(
            case,
            items=tuple(item for index, item in enumerate(case.items) if (place, index) in chosen),
        )
        for place, case in enumerate(cases)
    ]
    random.shuffle(kept)
    return [case for case in kept if case.items]


def _sys1_items(questions: Row) -> Iterator[Item]:
    for name in questions.fields:
        asked = questions.within(name)
        yield from _items(name, asked, asked.get("ground_truth"), evaluated_sys1bench.question_of)


def _jevbench_items(questions: Row, gold: Row) -> Iterator[Item]:
    for name in questions.fields:
        if gold.get(name) != evaluated_jevbench.UNKNOWN:
            asked = questions.within(name)
            yield from _items(name, asked, gold.get(name), evaluated_jevbench.question_of)


def _items(
    name: str, asked: Row, truth: object, question_of: Callable[[Row], Question]
) -> Iterator[Item]:
    """The question as an item; none for a score."""
    if asked.text("type") == "score":
        return
    match question_of(asked):
        case Noul() as noul:
            yield Item(name, "noul", noul, "yes" if truth else "no")
        case Choice() as choice:
            yield Item(name, "choice", choice, str(truth))


def _with_usual(cases: Iterable[Case]) -> list[Case]:
    listed = list(cases)
    truths: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for case in listed:
        for item in case.items:
            truths[case.domain, item.id][item.truth] += 1
    return [
        replace(
            case,
            items=tuple(
                replace(item, usual=truths[case.domain, item.id].most_common(1)[0][0])
                for item in case.items
            ),
        )
        for case in listed
    ]
