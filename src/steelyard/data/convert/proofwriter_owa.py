"""ProofWriter, open world: true, false or unknown, derived again (Tafjord et al. 2021)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from steelyard.data.ask import Origin, choice, noul
from steelyard.data.files import read_jsonl
from steelyard.data.forward_chaining import (
    VARIABLE,
    ContradictionError,
    Literal,
    Rule,
    Verdict,
    closure,
    verdict,
)
from steelyard.data.skips import counted_skips
from steelyard.data.source import Source
from steelyard.types.example import Example

DEPTHS = (3, 5)
QUESTIONS_PER_DOCUMENT = 3
VARIABLES = frozenset({"someone", "something", "somebody", "they", "it", "people", "things"})
TOKEN = re.compile(r'\s*(?:"([^"]*)"|([()])|(->))')

ANSWERS: tuple[dict[Verdict, str], ...] = (
    {"true": "true", "false": "false", "unknown": "unknown"},
    {"true": "it follows", "false": "its opposite follows", "unknown": "neither follows"},
    {"true": "proved", "false": "disproved", "unknown": "cannot be told"},
    {"true": "True", "false": "False", "unknown": "Not enough information"},
)
ASKS = (
    "From the facts and rules alone: {statement}",
    "Is this statement true, false or unknown? {statement}",
    "What do the facts and rules say about the statement: {statement}",
    "{statement}",
    "Judge the statement by the rules; do not assume what cannot be derived. {statement}",
)
CHECKS = (
    "Does this follow from the facts and rules: {statement}",
    "Can it be derived that: {statement}",
    "Do the rules prove this statement? {statement}",
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    with counted_skips("proofwriter-owa") as skips:
        for depth in DEPTHS:
            path = folder / f"proofwriter/OWA/depth-{depth}/meta-train.jsonl"
            for row in read_jsonl(path):
                origin = Origin("proofwriter-owa", SOURCE.licence, f"depth-{depth}/{row['id']}")
                try:
                    known = closure(*theory(row))
                except ContradictionError:
                    skips["the theory contradicts itself"] += 1
                    continue
                for asked in chosen(row["questions"]):
                    found = verdict(literal(asked["representation"]), known)
                    if found != str(asked["answer"]).lower():
                        skips["the solver disagrees"] += 1
                        continue
                    yield example(origin, row["theory"], asked["question"], found, rng)


def example(origin: Origin, state: str, statement: str, found: Verdict, rng: Random) -> Example:
    """Three times in four the three-way choice, else whether the statement follows."""
    if rng.random() < 0.25:
        asked = rng.choice(CHECKS).format(statement=statement)
        return noul(origin, state, asked, found == "true")
    answers = rng.choice(ANSWERS)
    labels = list(answers.values())
    rng.shuffle(labels)
    asked = rng.choice(ASKS).format(statement=statement)
    return choice(origin, state, asked, labels, labels.index(answers[found]))


def chosen(questions: Mapping[str, Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """At most three of a document: the deepest of each answer, so that no answer prevails."""
    best: dict[str, Mapping[str, Any]] = {}
    for asked in questions.values():
        answer = str(asked["answer"]).lower()
        if answer not in best or asked["QDep"] > best[answer]["QDep"]:
            best[answer] = asked
    return list(best.values())[:QUESTIONS_PER_DOCUMENT]


def theory(row: Mapping[str, Any]) -> tuple[list[Literal], list[Rule]]:
    """The facts and rules of a document, from their representations."""
    facts = [literal(fact["representation"]) for fact in row["triples"].values()]
    return facts, [rule(each["representation"]) for each in row["rules"].values()]


def literal(text: str) -> Literal:
    """`("Anne" "is" "kind" "+")`."""
    found = _parsed(text)
    assert len(found) == 4, f"a literal has four parts: {text}"
    return _literal(found)


def rule(text: str) -> Rule:
    """`((("someone" "is" "kind" "+")) -> ("someone" "is" "nice" "+"))`."""
    conditions, arrow, conclusion = _parsed(text)
    assert arrow == "->", f"a rule has an arrow: {text}"
    return Rule(tuple(_literal(each) for each in conditions), _literal(conclusion))


def _literal(parts: list[Any]) -> Literal:
    subject, verb, other, sign = parts
    return Literal(_name(subject), verb, _name(other), sign == "+")


def _name(text: str) -> str:
    return VARIABLE if text.lower() in VARIABLES else text


def _parsed(text: str) -> list[Any]:
    """Nested lists of the strings and arrows between parentheses."""
    stack: list[list[Any]] = [[]]
    for string, bracket, arrow in TOKEN.findall(text):
        if bracket == "(":
            stack.append([])
        elif bracket == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(arrow or string)
    [[whole]] = stack
    assert isinstance(whole, list), f"no parentheses: {text}"
    return whole


SOURCE = Source(
    name="proofwriter-owa",
    licence="CC-BY-4.0",
    read=read,
    about="Tafjord et al. 2021, ProofWriter; OWA folders of proofwriter-dataset-V2020.12.3",
)
