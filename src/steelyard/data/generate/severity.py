"""Ordered levels by a stated rubric: bands of a number, points, the highest level met, a reading
that is known only within a margin (the exact share of each level is the target).

Twenty domains, four kinds of rubric with 3-7 levels, 14 scales of level names, 14 things to grade,
rubric in the levels, the question or the state; 11 forms of render.py; about 30 question wordings:
above 10^6 surface forms per set of facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random

from steelyard.data import soft
from steelyard.data.ask import Origin
from steelyard.data.generate.domains import DOMAINS
from steelyard.data.generate.facts import (
    Attribute,
    Condition,
    Domain,
    Facts,
    Number,
    band_of,
    bands,
    capital,
    check,
    draw_condition,
)
from steelyard.data.generate.render import as_text, padding, render
from steelyard.data.generate.rows import Query, graded, one_of, put, rows, yes_no
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

NAME = "severity"


@dataclass(frozen=True, slots=True)
class Points:
    """A rubric that starts at `start`, adds points for what holds, and stays within the scale."""

    start: int
    terms: tuple[tuple[Condition, int], ...]
    top: int

    def level(self, facts: Facts) -> int:
        total = self.start + sum(points for test, points in self.terms if test.holds(facts))
        return min(self.top, max(0, total))

    def words(self, rng: Random) -> str:
        parts = [rng.choice(STARTS).format(start=self.start)]
        for condition, points in self.terms:
            change = f"add {points}" if points > 0 else f"take off {-points}"
            parts.append(rng.choice(TERMS).format(change=change, clause=condition.words(rng)))
        parts = [capital(part) for part in parts]
        return " ".join([*parts, rng.choice(CAPS).format(top=self.top)])


def read(folder: Path, rng: Random) -> Iterator[Example]:
    yield from rows(NAME, rng, row)


def row(origin: Origin, rng: Random) -> Iterator[Example]:
    domain = rng.choice(DOMAINS)
    kind = rng.choice((points_row, ladder_row, bands_row, margin_row))
    yield from kind(origin, domain, rng)


def points_row(origin: Origin, domain: Domain, rng: Random) -> Iterator[Example]:
    top = rng.randint(2, 6)
    rubric = draw_points(domain, top, rng)
    facts = balanced(domain, rubric.level, top + 1, rng)
    level = rubric.level(facts)
    told = rubric.words(rng)
    yield from _emit(origin, domain, facts, told, scale(top + 1, rng), level, rng)


def draw_points(domain: Domain, top: int, rng: Random) -> Points:
    attributes = rng.sample(domain.attributes, rng.randint(2, min(5, top + 2)))
    terms = tuple(
        (draw_condition(attribute, rng), rng.choice((1, 1, 1, 2, -1))) for attribute in attributes
    )
    return Points(rng.choice((0, 0, 1, 1, top)) if top > 2 else rng.choice((0, 1)), terms, top)


def ladder_row(origin: Origin, domain: Domain, rng: Random) -> Iterator[Example]:
    """The highest level whose condition holds; the lowest level needs none."""
    top = rng.randint(2, 5)
    tests = [draw_condition(a, rng) for a in rng.sample(domain.attributes, top)]
    facts = balanced(domain, lambda drawn: ladder_level(tests, drawn), top + 1, rng)
    level = ladder_level(tests, facts)
    names = scale(top + 1, rng)
    clauses = [test.words(rng) for test in tests]
    rule = rng.choice(LADDER)
    if rng.random() < 0.6:
        levels = [f"{names[0]}: none of the others applies"]
        levels += [f"{name}: {clause}" for name, clause in zip(names[1:], clauses, strict=True)]
        yield from _emit(
            origin, domain, facts, rule, levels, level, rng, names=names, separate=True
        )
        return
    told = [
        f"{capital(name)} if {clause}." for name, clause in zip(names[1:], clauses, strict=True)
    ]
    told.append(f"{capital(names[0])} if none of these holds.")
    yield from _emit(origin, domain, facts, " ".join([rule, *told]), names, level, rng)


def ladder_level(tests: Sequence[Condition], facts: Facts) -> int:
    return max([0, *(k for k, test in enumerate(tests, 1) if test.holds(facts))])


def bands_row(origin: Origin, domain: Domain, rng: Random) -> Iterator[Example]:
    attribute = draw_number(domain, rng)
    texts, edges = bands(attribute, rng)
    if rng.random() < 0.5:
        facts = balanced(
            domain, lambda drawn: band_of(as_int(drawn[attribute.key]), edges), len(texts), rng
        )
    else:
        facts = domain.draw(rng)
    level = band_of(as_int(facts[attribute.key]), edges)
    names = scale(len(texts), rng)
    levels = [
        f"{name}: {attribute.noun} is {text}" for name, text in zip(names, texts, strict=True)
    ]
    if rng.random() < 0.5:
        yield from _emit(origin, domain, facts, "", levels, level, rng, names=names, separate=True)
    else:
        told = ". ".join(map(capital, levels)) + "."
        yield from _emit(origin, domain, facts, told, names, level, rng)


def margin_row(origin: Origin, domain: Domain, rng: Random) -> Iterator[Example]:
    """A whole number within a stated margin, every value equally likely: exact level shares."""
    attribute = draw_number(domain, rng)
    texts, edges = bands(attribute, rng)
    margin = attribute.step * rng.randint(1, 6)
    centre = rng.choice(edges) + attribute.step * rng.randint(-3, 3)
    centre = min(attribute.high, max(margin, centre))
    shares = margin_shares(centre, margin, attribute.step, edges)
    others = domain.draw(rng)
    del others[attribute.key]
    told = rng.choice(MARGIN).format(
        Noun=capital(attribute.noun),
        noun=attribute.noun,
        low=attribute.write(centre - margin),
        high=attribute.write(centre + margin),
        step=f", in steps of {attribute.step}" if attribute.step > 1 else "",
    )
    state = render(domain, others, rng, extra=[told])
    names = scale(len(texts), rng)
    levels = [f"{name}: {text}" for name, text in zip(names, texts, strict=True)]
    asked = rng.choice(GRADE_NUMBER).format(noun=attribute.noun)
    target = soft.exact([float(share) for share in shares])
    yield put(origin, state, Query(asked, dict.fromkeys(levels), 0, True, target))
    cut = rng.randrange(len(edges))
    above = float(sum(shares[cut + 1 :]))
    asked = rng.choice(REACHES).format(noun=attribute.noun, bound=attribute.write(edges[cut]))
    yield put(origin, state, Query(asked, None, 0, target=(above, 1 - above)))
    known = rng.choice([a for a in domain.attributes if a.key in others])
    yield put(origin, state, check(known, others, f"the {domain.thing}", rng))


def margin_shares(centre: int, margin: int, step: int, edges: list[int]) -> list[Fraction]:
    """The share of each band among the values centre - margin ... centre + margin."""
    values = range(centre - margin, centre + margin + 1, step)
    counts = [0] * (len(edges) + 1)
    for value in values:
        counts[band_of(value, edges)] += 1
    return [Fraction(count, len(values)) for count in counts]


def balanced(domain: Domain, level: Callable[[Facts], int], size: int, rng: Random) -> Facts:
    """Facts whose level was drawn first, if the rubric reaches it easily."""
    wanted = rng.randrange(size)
    facts = domain.draw(rng)
    for _ in range(60):
        if level(facts) == wanted:
            break
        facts = domain.draw(rng)
    return facts


def draw_number(domain: Domain, rng: Random) -> Number:
    return rng.choice([a for a in domain.attributes if isinstance(a, Number)])


def as_int(value: object) -> int:
    assert isinstance(value, int), f"{value!r} is no number"
    return value


def scale(size: int, rng: Random) -> list[str]:
    """Names of `size` levels, lowest first."""
    fitting = [names for names in SCALES if len(names) == size]
    if rng.random() < 0.25 or not fitting:
        first = rng.choice((0, 1))
        word = rng.choice(("", "level ", "class ", "P"))
        return [f"{word}{index}" for index in range(first, first + size)]
    return list(rng.choice(fitting))


def _emit(
    origin: Origin,
    domain: Domain,
    facts: Facts,
    told: str,
    levels: list[str],
    level: int,
    rng: Random,
    *,
    names: list[str] | None = None,
    separate: bool = False,
) -> Iterator[Example]:
    """The grading, a yes/no question on the level, sometimes a choice of it, and a plain check.

    Args:
        told: the rubric, or what is left of it when the levels' texts hold it.
        names: the bare names where `levels` are longer texts.
        separate: the rubric stands in the levels, so only questions that show them can be asked.
    """
    body = render(domain, facts, rng, extra=padding(rng))
    what = rng.choice(GRADED)
    asked = rng.choice(GRADE).format(what=what, thing=domain.thing)
    rubric = told if not separate else f"{told} " + "; ".join(levels) + "."
    inside = not separate and rng.random() < 0.35
    state: Content = f"{as_text(body)}\n\n{capital(what)}: {told}" if inside else body
    bare = names or levels
    posed = asked if inside or not told else f"{asked} {told}"
    yield put(origin, state, graded(posed, levels, level))
    full = "" if inside else f"{rubric.strip()} "
    right = rng.random() < 0.5
    if rng.random() < 0.5 and len(bare) - 1 > 0:
        cut = rng.randint(1, level) if right and level else rng.randint(1, len(bare) - 1)
        yes = level >= cut
        said = rng.choice(AT_LEAST).format(what=what, level=bare[cut])
        scale_told = "" if separate else f" The scale from low to high: {', '.join(bare)}."
        yield put(origin, state, yes_no(f"{full}{said}{scale_told}", yes))
    else:
        claimed = level if right else rng.choice([k for k in range(len(bare)) if k != level])
        said = rng.choice(EXACTLY).format(what=what, level=bare[claimed])
        yield put(origin, state, yes_no(f"{full}{said}", right))
    if rng.random() < 0.35:
        wrong = [name for name in bare if name != bare[level]]
        said = rng.choice(PICK).format(what=what)
        yield put(origin, state, one_of(f"{full}{said}", bare[level], wrong, rng))
    attribute: Attribute = rng.choice(domain.attributes)
    yield put(origin, state, check(attribute, facts, f"the {domain.thing}", rng))


SCALES = (
    ("low", "medium", "high"),
    ("can wait", "soon", "now"),
    ("poor", "fair", "good"),
    ("minor", "moderate", "serious", "critical"),
    ("weak", "passable", "solid", "excellent"),
    ("green", "yellow", "orange", "red"),
    ("negligible", "slight", "noticeable", "grave", "extreme"),
    ("very low", "low", "medium", "high", "very high"),
    ("unusable", "bad", "acceptable", "good", "outstanding"),
    ("ignore", "note", "plan", "act this week", "act today", "act at once"),
    ("none", "trace", "some", "much", "very much", "overwhelming"),
    ("F", "E", "D", "C", "B", "A"),
    ("calm", "light", "gentle", "moderate", "fresh", "strong", "storm"),
    ("bottom", "far below", "below", "middle", "above", "far above", "top"),
)
GRADED = (
    "urgency",
    "severity",
    "risk",
    "priority",
    "quality",
    "effort",
    "importance",
    "impact",
    "concern",
    "suitability",
    "trouble",
    "attention needed",
    "exposure",
    "standing",
)
GRADE = (
    "Grade this {thing}: {what}.",
    "What level of {what} does the rubric give?",
    "Rate the {thing} ({what}).",
    "Assign {what} by the rubric.",
    "How much {what}?",
    "{what}: which level?",
    "Set the {what} of the {thing}.",
)
STARTS = ("start at {start}.", "everyone begins with {start}.", "the base value is {start}.")
TERMS = (
    "{change} if {clause}.",
    "if {clause}, {change}.",
    "{change} when {clause}.",
    "{change} in case {clause}.",
)
CAPS = (
    "Never below 0 and never above {top}.",
    "The result stays between 0 and {top}.",
    "Cut off at 0 below and {top} above; 0 is the lowest level, {top} the highest.",
)
LADDER = (
    "The highest level that applies counts.",
    "If several apply, take the highest.",
    "Levels are checked from the highest down; the first that applies counts.",
)
MARGIN = (
    "{Noun} is somewhere from {low} to {high}{step}, each value equally likely.",
    "Not known exactly: {noun} lies between {low} and {high} inclusive{step}, all equally likely.",
    "No exact value: {noun} is any from {low} up to {high} (both included){step}, evenly.",
)
GRADE_NUMBER = (
    "Which level does {noun} have?",
    "Grade by {noun}.",
    "Where on the scale is {noun}?",
    "Level of {noun}?",
)
REACHES = (
    "Is {noun} at least {bound}?",
    "Does {noun} reach {bound}?",
    "Is {noun} {bound} or more?",
    "Would you say that {noun} is not below {bound}?",
)
AT_LEAST = (
    'Is the {what} at least "{level}"?',
    'Does it reach "{level}" or higher?',
    'Is "{level}" reached or exceeded ({what})?',
)
EXACTLY = (
    'Is the {what} "{level}"?',
    'Would "{level}" be the right level of {what}?',
    'The {what} was entered as "{level}". Correct?',
)
PICK = ("Pick the level of {what}.", "Which {what} is right?", "What is the {what}?")

SOURCE = Source(
    name=NAME,
    licence="CC0-1.0",
    read=read,
    about="our own generator: ordered levels by a stated rubric",
    kind="generator",
    cap=40_000,
)
