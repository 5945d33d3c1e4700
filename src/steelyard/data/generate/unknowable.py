"""Twins: a text that tells, and the same text with the deciding fact removed.

Where abstention is offered ("cannot be told"), the twin's answer is to abstain; where it is not,
the twin's target is even over the options. Twins share their group.

Twenty domains, 11 forms of render.py, 12 names of the abstention, 4 descriptions of it, and about
60 wordings of questions: above 10^5 surface forms per set of facts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from steelyard.data.ask import Origin
from steelyard.data.generate.domains import DOMAINS
from steelyard.data.generate.facts import Number, about, check, subject
from steelyard.data.generate.render import code, padding, render
from steelyard.data.generate.rows import Query, flat, put, rows, yes_no
from steelyard.data.source import Source
from steelyard.types.example import Example

NAME = "unknowable"


def read(folder: Path, rng: Random) -> Iterator[Example]:
    yield from rows(NAME, rng, row)


def row(origin: Origin, rng: Random) -> Iterator[Example]:
    domain = rng.choice(DOMAINS)
    facts = domain.draw(rng)
    kept = rng.sample(list(facts), rng.randint(3, len(facts)))
    key = kept[0]
    attribute = domain[key]
    thing = f"the {domain.thing}"
    name = f"{domain.thing} {code(rng)}"
    extra = padding(rng)
    told = {k: facts[k] for k in facts if k in kept}
    silent = {k: value for k, value in told.items() if k != key}
    queries = [about(attribute, facts, thing, rng), check(attribute, facts, thing, rng)]
    other = about(domain[rng.choice(kept[1:])], facts, thing, rng)
    whether = rng.choice(ANSWERABLE).format(what=subject(attribute), thing=thing)
    for known in rng.sample((True, False), 2):
        state = render(domain, told if known else silent, rng, name=name, extra=extra)
        for query in queries:
            yield put(origin, state, posed(query, known, rng))
        yield put(origin, state, other)
        yield put(origin, state, yes_no(whether, known))
        if isinstance(attribute, Number) and rng.random() < 0.3:
            yield put(origin, state, posed(about(attribute, facts, thing, rng), known, rng))


def posed(query: Query, known: bool, rng: Random) -> Query:
    """The question with or without a way to abstain, and what is right for it."""
    if query.ordered or rng.random() < 0.4:
        return query if known else flat(query)
    labels = ["yes", "no"] if query.options is None else list(query.options)
    described = None if query.options is None else dict(query.options)
    abstain = rng.choice(ABSTAIN)
    gold = query.answer if known else abstain
    labels.append(abstain)
    rng.shuffle(labels)
    options = {label: None if described is None else described.get(label) for label in labels}
    if described is not None and any(described.values()):
        options[abstain] = rng.choice(ABSTAIN_MEANS)
    return replace(query, options=options, gold=labels.index(gold), criteria=None)


ABSTAIN = (
    "cannot be told",
    "not stated",
    "unknown",
    "the text does not say",
    "not enough information",
    "unclear from the text",
    "undetermined",
    "no information given",
    "cannot say",
    "not mentioned",
    "left open",
    "insufficient evidence",
)
ABSTAIN_MEANS = (
    "The information given does not settle it",
    "Nothing in the text answers this",
    "The fact that would decide it is missing",
    "One would have to ask back",
)
ANSWERABLE = (
    "Does the information given tell {what}?",
    "Can one find out from this text {what}?",
    "Is enough said about {thing} to know {what}?",
    "Does the text state or imply {what}?",
)

SOURCE = Source(
    name=NAME,
    licence="CC0-1.0",
    read=read,
    about="our own generator: twins of texts with and without the deciding fact",
    kind="generator",
    cap=30_000,
)
