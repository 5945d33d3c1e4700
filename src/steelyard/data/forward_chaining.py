"""What follows from facts and rules: forward chaining over literals with strong negation.

A positive and a negative literal of one statement are two different things to derive, and nothing
is assumed false for want of proof (ProofWriter's open world, Tafjord et al. 2021, section 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal as OneOf
from typing import TypeAlias

Verdict: TypeAlias = OneOf["true", "false", "unknown"]


@dataclass(frozen=True, slots=True)
class Literal:
    """A statement of one subject; `VARIABLE` stands for any."""

    subject: str
    verb: str
    object: str
    positive: bool = True

    @property
    def opposite(self) -> Literal:
        return replace(self, positive=not self.positive)


@dataclass(frozen=True, slots=True)
class Rule:
    """If all conditions hold, so does the conclusion; all its variables are one and the same."""

    conditions: tuple[Literal, ...]
    conclusion: Literal


VARIABLE = "?"


class ContradictionError(ValueError):
    """A theory from which a statement and its opposite follow."""


def closure(facts: Iterable[Literal], rules: Sequence[Rule]) -> frozenset[Literal]:
    """All ground literals that follow.

    Raises:
        ContradictionError: two of them are opposites.
    """
    known = set(facts)
    grew = True
    while grew:
        names = {name for literal in known for name in (literal.subject, literal.object)}
        names |= {
            name
            for rule in rules
            for literal in (*rule.conditions, rule.conclusion)
            for name in (literal.subject, literal.object)
            if name != VARIABLE
        }
        found = {
            bound.conclusion
            for rule in rules
            for bound in _groundings(rule, names)
            if known.issuperset(bound.conditions)
        }
        grew = not found <= known
        known |= found
    for literal in known:
        if literal.opposite in known:
            raise ContradictionError(f"{literal} and its opposite both follow")
    return frozenset(known)


def verdict(question: Literal, known: frozenset[Literal]) -> Verdict:
    """Whether the question follows, its opposite does, or neither."""
    if question in known:
        return "true"
    return "false" if question.opposite in known else "unknown"


def _groundings(rule: Rule, names: Iterable[str]) -> Iterator[Rule]:
    literals = (*rule.conditions, rule.conclusion)
    if any(VARIABLE in (literal.subject, literal.object) for literal in literals):
        yield from (_bound(rule, name) for name in names)
    else:
        yield rule


def _bound(rule: Rule, name: str) -> Rule:
    conditions = tuple(_put(literal, name) for literal in rule.conditions)
    return Rule(conditions, _put(rule.conclusion, name))


def _put(literal: Literal, name: str) -> Literal:
    subject = name if literal.subject == VARIABLE else literal.subject
    other = name if literal.object == VARIABLE else literal.object
    return replace(literal, subject=subject, object=other)
