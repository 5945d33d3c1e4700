"""Labelled questions of sys1bench and JevBench-240, and a fixed sample of them.

Only choices and nouls with a known answer are taken: JevBench's "unknown" is left out, as is
whatever asks for abstention. Questions of one state stay together, so that the state is shared.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from steelyard.types.content import Content
from steelyard.types.question import Choice, Noul

Row: TypeAlias = dict[str, Any]


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
        Case("sys1bench", row["task_id"], row["domain"], row["state"], tuple(_sys1_items(row)))
        for row in _rows(folder / "sys1bench" / "canary.jsonl.gz")
    )


def jevbench(folder: Path) -> list[Case]:
    """The choices and nouls of the six open domains of `folder/jevbench240`."""
    gold = {row["id"]: row["gold"] for row in _rows(folder / "jevbench240/gold_6domains.jsonl")}
    return _with_usual(
        Case(
            "jevbench240",
            row["id"],
            row["domain"],
            row["state"],
            tuple(_jevbench_items(row["questions"], gold[row["id"]])),
        )
        for row in _rows(folder / "jevbench240" / "cases.jsonl.gz")
        if row["id"] in gold
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


def _sys1_items(row: Row) -> Iterator[Item]:
    for name, question in row["questions"].items():
        truth = question["ground_truth"]
        if question["type"] == "noul":
            yield Item(name, "noul", Noul(question["instructions"]), "yes" if truth else "no")
        elif question["type"] == "choice":
            options = {option["key"]: option["description"] for option in question["criteria"]}
            yield Item(name, "choice", Choice(question["instructions"], options), truth)


def _jevbench_items(questions: Row, gold: Row) -> Iterator[Item]:
    for name, question in questions.items():
        truth = gold[name]
        if truth == "unknown":
            continue
        if question["type"] == "noul":
            asked = Noul(question["instructions"], question.get("criteria"))
            yield Item(name, "noul", asked, "yes" if truth else "no")
        elif question["type"] == "choice":
            yield Item(
                name, "choice", Choice(question["instructions"], question["criteria"]), truth
            )


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


def _rows(path: Path) -> Iterator[Row]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
