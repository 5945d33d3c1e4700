"""One fact among many irrelevant ones: lists of things, or one thing among idle sentences.

Twenty domains; either 4-22 things of a domain in a table, as JSON objects, or each in one of 6
forms of render.py, or one thing (11 forms) among 6-45 idle sentences of about 3,000 possible; 4
ways to name the thing and about 60 question wordings: above 10^6 surface forms per set of facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from steelyard.data.ask import Origin
from steelyard.data.generate.domains import DOMAINS
from steelyard.data.generate.facts import Attribute, Condition, Domain, Facts, about, draw_condition
from steelyard.data.generate.render import as_text, code, noise, render
from steelyard.data.generate.rows import Query, near, one_of, put, rows, yes_no
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

NAME = "needle"


def read(folder: Path, rng: Random) -> Iterator[Example]:
    yield from rows(NAME, rng, row)


def row(origin: Origin, rng: Random) -> Iterator[Example]:
    domain = rng.choice(DOMAINS)
    if rng.random() < 0.35:
        yield from alone(origin, domain, rng)
    else:
        yield from listed(origin, domain, rng)


def alone(origin: Origin, domain: Domain, rng: Random) -> Iterator[Example]:
    """One thing, its facts scattered over idle sentences."""
    facts = domain.draw(rng)
    extra = noise(rng.choice((6, 8, 10, 12, 15, 20, 28, 36, 45)), rng)
    state = render(domain, facts, rng, extra=extra)
    for attribute in rng.sample(domain.attributes, rng.randint(3, 5)):
        yield put(origin, state, about(attribute, facts, f"the {domain.thing}", rng))


def listed(origin: Origin, domain: Domain, rng: Random) -> Iterator[Example]:
    """Many things, and questions about some of them and about which one is meant."""
    attributes = rng.sample(domain.attributes, rng.randint(2, 4))
    count = rng.choice((4, 5, 6, 6, 8, 8, 10, 12, 15, 18, 22))
    names: dict[str, None] = {}
    while len(names) < count:
        names[f"{domain.thing} {code(rng)}"] = None
    things = {name: {a.key: a.draw(rng) for a in attributes} for name in names}
    state = listing(domain, attributes, things, rng)
    for name in rng.sample(list(things), 3):
        query = about(rng.choice(attributes), things[name], name, rng)
        where = rng.choice(WHERE).format(name=name)
        yield put(origin, state, replace(query, instructions=f"{where} {query.instructions}"))
    yield from (put(origin, state, query) for query in finding(attributes, things, rng))


def listing(
    domain: Domain, attributes: Sequence[Attribute], things: Mapping[str, Facts], rng: Random
) -> Content:
    """All things, in one of three layouts."""
    layout = rng.choice(("table", "objects", "entries", "entries"))
    if layout == "objects":
        return [
            {"name": name, **{a.key: a.write(facts[a.key]) for a in attributes}}
            for name, facts in things.items()
        ]
    if layout == "table":
        head = [domain.thing, *(a.key.replace("_", " ") for a in attributes)]
        lines = [head, ["---"] * len(head)]
        lines += [[n, *(a.write(f[a.key]) for a in attributes)] for n, f in things.items()]
        return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    form = rng.choice(("bullets", "fields", "log", "chat", "yaml", "form", "bullets"))
    parts = [as_text(render(domain, f, rng, name=n, form=form)) for n, f in things.items()]
    return "\n\n".join(parts)


def finding(
    attributes: Sequence[Attribute], things: Mapping[str, Facts], rng: Random
) -> Iterator[Query]:
    """Which thing meets a condition, if exactly one does; and how many do."""
    for _ in range(12):
        condition = draw_condition(rng.choice(attributes), rng)
        met = matching(things, condition)
        if len(met) == 1:
            others = [name for name in things if name not in met]
            wrong = rng.sample(others, min(len(others), rng.randint(2, 7)))
            asked = rng.choice(FIND).format(clause=condition.words(rng))
            yield one_of(asked, met[0], wrong, rng)
            break
    condition = draw_condition(rng.choice(attributes), rng)
    met = matching(things, condition)
    clause = condition.words(rng)
    if rng.random() < 0.5:
        wrong = [str(k) for k in near(len(met), rng.randint(2, 5), 1, rng)]
        yield one_of(rng.choice(COUNT).format(clause=clause), str(len(met)), wrong, rng)
        return
    truth = rng.random() < 0.5
    bound = max(1, len(met) - rng.randint(0, 2)) if truth and met else len(met) + rng.randint(1, 2)
    asked = rng.choice(AT_LEAST).format(clause=clause, bound=bound)
    yield yes_no(asked, len(met) >= bound)


def matching(things: Mapping[str, Facts], condition: Condition) -> list[str]:
    """The names of the things that meet the condition."""
    return [name for name, facts in things.items() if condition.holds(facts)]


WHERE = (
    "Only {name} matters here.",
    "Look at {name}.",
    "About {name}:",
    "Concerning {name} alone:",
)
FIND = (
    "For which of them does it hold that {clause}?",
    "Find the one where {clause}.",
    "Which entry fits this: {clause}?",
    "In one case only, {clause}. Which is it?",
)
COUNT = (
    "In how many cases does it hold that {clause}?",
    "How many entries are there where {clause}?",
    "Count the entries for which {clause}.",
)
AT_LEAST = (
    "Is it true of {bound} or more entries that {clause}?",
    "Are there at least {bound} entries where {clause}?",
)

SOURCE = Source(
    name=NAME,
    licence="CC0-1.0",
    read=read,
    about="our own generator: one fact among many irrelevant ones",
    kind="generator",
    cap=30_000,
)
