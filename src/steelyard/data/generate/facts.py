"""Things with attributes: what a text can say of them, and what can be asked.

An attribute is a number, a flag or a label of a fixed set. Each can be drawn, said in a sentence,
written as a field, tested by a condition in words, and asked about with the answer known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import TypeAlias

from steelyard.data.generate.rows import Query, graded, near, one_of, sample, yes_no

Value: TypeAlias = int | bool | str
Facts: TypeAlias = Mapping[str, Value]

_SPELT = "zero one two three four five six seven eight nine ten eleven twelve"
SPELT = _SPELT.split()


@dataclass(frozen=True, slots=True)
class Number:
    """`noun` completes "is above 5 days"; `unit` has {} for the number; `says` has {v}."""

    key: str
    noun: str
    unit: str
    low: int
    high: int
    step: int
    says: tuple[str, ...]

    def draw(self, rng: Random) -> int:
        return rng.randrange(self.low, self.high + 1, self.step)

    def write(self, value: Value) -> str:
        text = self.unit.format(f"{value:,}")
        return text[:-1] if value == 1 and text.endswith("s") else text

    def sentence(self, value: Value, rng: Random) -> str:
        text = self.write(value)
        if isinstance(value, int) and value < len(SPELT) and rng.random() < 0.25:
            spelt = self.unit == "{}" or self.unit[3:].isalpha()  # "two days", not "two °C"
            text = text.replace(str(value), SPELT[value]) if spelt else text
        return rng.choice(self.says).format(v=text)


@dataclass(frozen=True, slots=True)
class Flag:
    """`true` and `false` are clauses, such as "the deposit has been paid"."""

    key: str
    true: str
    false: str
    says_true: tuple[str, ...]
    says_false: tuple[str, ...]

    def draw(self, rng: Random) -> bool:
        return rng.random() < 0.5

    def write(self, value: Value) -> str:
        return "yes" if value else "no"

    def sentence(self, value: Value, rng: Random) -> str:
        said = self.says_true if value else self.says_false
        return rng.choice((*said, capital(self.true if value else self.false) + "."))


@dataclass(frozen=True, slots=True)
class Label:
    """`values` maps each label to its description and to a sentence that says it in other words."""

    key: str
    noun: str
    values: Mapping[str, tuple[str, str]]

    def draw(self, rng: Random) -> str:
        return rng.choice(list(self.values))

    def write(self, value: Value) -> str:
        return str(value)

    def sentence(self, value: Value, rng: Random) -> str:
        told = self.values[str(value)][1]
        return told if rng.random() < 0.7 else f"{capital(self.noun)} is {value}."


Attribute: TypeAlias = Number | Flag | Label


@dataclass(frozen=True, slots=True)
class Domain:
    """A kind of thing, such as a ferry booking, with attributes that are drawn on their own."""

    name: str
    thing: str
    attributes: tuple[Attribute, ...]

    def draw(self, rng: Random) -> dict[str, Value]:
        return {attribute.key: attribute.draw(rng) for attribute in self.attributes}

    def __getitem__(self, key: str) -> Attribute:
        return next(attribute for attribute in self.attributes if attribute.key == key)


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of one attribute: relation is above, from, below or upto; is or not."""

    attribute: Attribute
    relation: str
    bound: Value

    def holds(self, facts: Facts) -> bool:
        value = facts[self.attribute.key]
        if self.relation in ("is", "not"):
            return (value == self.bound) == (self.relation == "is")
        assert isinstance(value, int) and isinstance(self.bound, int)
        return {
            "above": value > self.bound,
            "from": value >= self.bound,
            "below": value < self.bound,
            "upto": value <= self.bound,
        }[self.relation]

    def words(self, rng: Random) -> str:
        """A clause such as "the delay is at least 5 days"."""
        attribute = self.attribute
        if isinstance(attribute, Flag):
            return attribute.true if self.bound else attribute.false
        if isinstance(attribute, Label):
            return f"{attribute.noun} {'is' if self.relation == 'is' else 'is not'} {self.bound}"
        return f"{attribute.noun} {rng.choice(RELATIONS[self.relation])} " + attribute.write(
            self.bound
        )

    def negated(self) -> Condition:
        """The condition that holds exactly where this one does not."""
        if isinstance(self.attribute, Flag):
            return Condition(self.attribute, "is", not self.bound)
        return Condition(self.attribute, OPPOSITE[self.relation], self.bound)


OPPOSITE = {
    "above": "upto",
    "from": "below",
    "below": "from",
    "upto": "above",
    "is": "not",
    "not": "is",
}
RELATIONS: Mapping[str, tuple[str, ...]] = {
    "above": ("is above", "is more than", "exceeds", "is over"),
    "from": ("is at least", "is no less than", "reaches"),
    "below": ("is below", "is less than", "is under"),
    "upto": ("is at most", "is no more than", "does not exceed"),
}


def draw_condition(attribute: Attribute, rng: Random) -> Condition:
    """A condition that a drawn value meets about half of the time (a label less often)."""
    if not isinstance(attribute, Number):
        return Condition(attribute, "is", attribute.draw(rng))
    span = (attribute.high - attribute.low) // attribute.step
    bound = attribute.low + attribute.step * rng.randint(span // 4, max(span // 4, 3 * span // 4))
    return Condition(attribute, rng.choice(list(RELATIONS)), bound)


def condition_for(attribute: Attribute, value: Value, truth: bool, rng: Random) -> Condition:
    """A condition that this value meets, or does not; a number's bound is often close to it."""
    if isinstance(attribute, Flag):
        return Condition(attribute, "is", bool(value) == truth)
    if isinstance(attribute, Label):
        others = [label for label in attribute.values if label != value]
        return Condition(attribute, "is", value if truth else rng.choice(others))
    assert isinstance(value, int)
    span = max(2, (attribute.high - attribute.low) // attribute.step // 2)
    gap = attribute.step * (rng.randint(1, 2) if rng.random() < 0.35 else rng.randint(1, span))
    relation = rng.choice(list(RELATIONS))
    if relation in ("from", "upto") and rng.random() < 0.15 and truth:
        gap = 0
    if relation in ("above", "below") and rng.random() < 0.15 and not truth:
        gap = 0
    lower = (relation in ("above", "from")) == truth
    bound = value - gap if lower else value + gap
    if bound < 0:  # no text bounds a count below zero: ask from the other side
        relation = OPPOSITE[relation]
        lower = (relation in ("above", "from")) == truth
        bound = value + attribute.step * rng.randint(1, span)
    return Condition(attribute, relation, bound)


def subject(attribute: Attribute) -> str:
    """The attribute as the object of "disagree about"."""
    return f"whether {attribute.true}" if isinstance(attribute, Flag) else attribute.noun


def about(attribute: Attribute, facts: Facts, thing: str, rng: Random) -> Query:
    """A question about one attribute of `thing` (such as "the booking"), of a fitting kind."""
    value = facts[attribute.key]
    chance = rng.random()
    if chance < (
        0.5 if isinstance(attribute, Number) else 0.6 if isinstance(attribute, Flag) else 0.4
    ):
        return check(attribute, facts, thing, rng)
    if isinstance(attribute, Flag):
        gold, other = attribute.true, attribute.false
        if not value:
            gold, other = other, gold
        asked = rng.choice(WHICH_CLAUSE).format(thing=thing)
        return one_of(asked, gold, [other], rng, key=attribute.key)
    if isinstance(attribute, Label):
        wrong = [label for label in attribute.values if label != value]
        asked = rng.choice(WHICH_LABEL).format(noun=attribute.noun, thing=thing)
        shown = {label: text for label, (text, _) in attribute.values.items()}
        describe = shown if rng.random() < 0.6 else None
        count = rng.randint(1, len(wrong))
        return one_of(
            asked, str(value), sample(wrong, count, rng), rng, describe=describe, key=attribute.key
        )
    assert isinstance(value, int)
    if chance < 0.75:
        wrong = [attribute.write(k) for k in near(value, rng.randint(2, 6), attribute.step, rng)]
        asked = rng.choice(WHICH_NUMBER).format(noun=attribute.noun, thing=thing)
        return one_of(asked, attribute.write(value), wrong, rng, key=attribute.key)
    levels, edges = bands(attribute, rng)
    asked = rng.choice(WHICH_BAND).format(noun=attribute.noun, thing=thing)
    return graded(asked, levels, band_of(value, edges), key=attribute.key)


def check(attribute: Attribute, facts: Facts, thing: str, rng: Random) -> Query:
    """A yes/no question about one attribute, with yes and no equally likely."""
    truth = rng.random() < 0.5
    condition = condition_for(attribute, facts[attribute.key], truth, rng)
    clause = condition.words(rng)
    asked = rng.choice(CHECKS).format(clause=clause, Clause=capital(clause), thing=thing)
    if rng.random() < 0.15:
        opposite = f"It does not hold that {clause}."
        return yes_no(
            asked,
            truth,
            criteria={"true": capital(clause) + ".", "false": opposite},
            key=attribute.key,
        )
    return yes_no(asked, truth, key=attribute.key)


def bands(attribute: Number, rng: Random) -> tuple[list[str], list[int]]:
    """Three to six bands of a number as level texts, and the lower edges of all but the first."""
    span = (attribute.high - attribute.low) // attribute.step
    count = min(rng.randint(3, 6), span)
    edges = sorted(
        attribute.low + attribute.step * k for k in rng.sample(range(1, span + 1), count - 1)
    )
    write = attribute.write
    style = rng.randrange(3)
    texts = [
        (f"below {write(edges[0])}", f"less than {write(edges[0])}", f"under {write(edges[0])}")
    ]
    for low, high in pairwise(edges):
        texts.append(
            (
                f"from {write(low)}, below {write(high)}",
                f"at least {write(low)} but less than {write(high)}",
                f"{write(low)} or more, under {write(high)}",
            )
        )
    top = write(edges[-1])
    texts.append((f"from {top}", f"at least {top}", f"{top} or more"))
    return [forms[style] for forms in texts], edges


def band_of(value: int, edges: list[int]) -> int:
    return sum(value >= edge for edge in edges)


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


CHECKS = (
    "Is it true that {clause}?",
    "Does the text say or imply that {clause}?",
    "{Clause}: is that right?",
    "Going by the information given, can we say that {clause}?",
    "Judge this statement about {thing}: {clause}.",
    "Is the following correct? {Clause}.",
    "Someone claims that {clause}. Are they right?",
    "For {thing}: {clause}. True?",
    "Would you agree that {clause}?",
    "Check whether {clause}.",
    "Answer yes if {clause}, otherwise no.",
    "{Clause}?",
)
WHICH_CLAUSE = (
    "Which statement about {thing} is correct?",
    "Which of the two holds for {thing}?",
    "Pick the statement that the information supports.",
    "What is the case here?",
    "Choose what applies to {thing}.",
)
WHICH_LABEL = (
    "What is {noun}?",
    "Which of these is {noun}?",
    "Choose {noun} for {thing}.",
    "Which option describes {noun}?",
    "For {thing}, say what {noun} is.",
    "Fill in the field: {noun}.",
)
WHICH_NUMBER = (
    "What is {noun}?",
    "Which figure is {noun}?",
    "How large is {noun} for {thing}?",
    "Pick the value of {noun}.",
    "{thing}: which value does {noun} have?",
)
WHICH_BAND = (
    "In which band does {noun} fall?",
    "Place {noun} on this scale.",
    "Which level fits {noun}?",
    "Grade {thing} by {noun}.",
    "How high is {noun}?",
)
