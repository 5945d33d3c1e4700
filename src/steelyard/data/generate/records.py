"""Records of one thing in several systems, which contradict each other; a stated rule decides.

Twenty domains (7 attributes each, 2-3 sentences per value), 2-4 sources of 22, each rendered in one
of 11 forms (see render.py), three rules of precedence with 4 wordings each, sources in any order,
and about 60 question wordings: above 10^5 surface forms per set of facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from steelyard.data.ask import Origin
from steelyard.data.generate.domains import DOMAINS
from steelyard.data.generate.facts import Attribute, Facts, Value, about, subject
from steelyard.data.generate.render import as_text, code, render
from steelyard.data.generate.rows import Query, one_of, put, rows, sample, yes_no
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

NAME = "records"


@dataclass(frozen=True, slots=True)
class Record:
    """What one system says; `day` is the day of the month on which it was written."""

    system: str
    day: int
    facts: Facts


def read(folder: Path, rng: Random) -> Iterator[Example]:
    yield from rows(NAME, rng, row)


def row(origin: Origin, rng: Random) -> Iterator[Example]:
    domain = rng.choice(DOMAINS)
    attributes = rng.sample(domain.attributes, rng.randint(3, len(domain.attributes)))
    truth = {attribute.key: attribute.draw(rng) for attribute in attributes}
    records = draw_records(attributes, truth, rng)
    rule = rng.choice(list(RULES))
    ranking = [record.system for record in ranked(records, rule)]
    told = rng.choice(RULES[rule]).format(order=", then ".join(ranking))
    name = f"{domain.thing} {code(rng)}"
    parts = []
    for record in rng.sample(records, len(records)):
        head = rng.choice(HEADS).format(system=record.system, day=record.day)
        body = render(domain, record.facts, rng, name=name, form=rng.choice(SHORT))
        parts.append(f"{head}\n{as_text(body)}")
    in_state = rng.random() < 0.7
    place = rng.random() < 0.5
    state: Content = "\n\n".join([told, *parts] if place else [*parts, told])
    if not in_state:
        state = "\n\n".join(parts)
    resolved = resolve(records, rule)
    for query in questions(attributes, records, resolved, rule, f"the {domain.thing}", rng):
        asked = query.instructions if in_state else f"{told} {query.instructions}"
        yield put(origin, state, replace(query, instructions=asked))


def draw_records(attributes: Sequence[Attribute], truth: Facts, rng: Random) -> list[Record]:
    """Two to four records that together cover all attributes and disagree here and there."""
    systems = rng.sample(SYSTEMS, rng.randint(2, 4))
    days = rng.sample(range(1, 29), len(systems))
    keys: list[set[str]] = [set() for _ in systems]
    for attribute in attributes:
        for index in rng.sample(
            range(len(systems)), min(len(systems), rng.choice((1, 1, 2, 2, 3)))
        ):
            keys[index].add(attribute.key)
    for held in keys:
        if not held:
            held.add(rng.choice(attributes).key)
    records = []
    for system, day, held in zip(systems, days, keys, strict=True):
        facts: dict[str, Value] = {}
        for attribute in attributes:
            if attribute.key in held:
                told = truth[attribute.key] if rng.random() < 0.55 else attribute.draw(rng)
                facts[attribute.key] = told
        records.append(Record(system, day, facts))
    return records


def ranked(records: Sequence[Record], rule: str) -> list[Record]:
    """The records, the one that decides first; a stated order is the order they were drawn in."""
    if rule == "order":
        return list(records)
    return sorted(records, key=lambda record: record.day, reverse=rule == "latest")


def resolve(records: Sequence[Record], rule: str) -> dict[str, Value]:
    """What holds: for each attribute, what the first record that has it says."""
    facts: dict[str, Value] = {}
    for record in ranked(records, rule):
        for key, value in record.facts.items():
            facts.setdefault(key, value)
    return facts


def questions(
    attributes: Sequence[Attribute],
    records: Sequence[Record],
    resolved: Facts,
    rule: str,
    thing: str,
    rng: Random,
) -> Iterator[Query]:
    known = [attribute for attribute in attributes if attribute.key in resolved]
    disputed = [a for a in known if len(said(records, a.key)) > 1]
    chosen = disputed[:2] + sample_attributes([a for a in known if a not in disputed], 2, rng)
    for attribute in chosen[:4]:
        yield about(attribute, resolved, thing, rng)
    attribute = rng.choice(disputed if disputed and rng.random() < 0.5 else known)
    asked = rng.choice(DISAGREE).format(what=subject(attribute))
    yield yes_no(asked, len(said(records, attribute.key)) > 1)
    decides = next(r.system for r in ranked(records, rule) if attribute.key in r.facts)
    others = [record.system for record in records if record.system != decides]
    asked = rng.choice(DECIDES).format(what=subject(attribute))
    yield one_of(asked, decides, sample(others, 3, rng), rng)


def sample_attributes(items: list[Attribute], count: int, rng: Random) -> list[Attribute]:
    return rng.sample(items, min(count, len(items)))


def said(records: Sequence[Record], key: str) -> set[Value]:
    """The different values that the records give an attribute."""
    return {record.facts[key] for record in records if key in record.facts}


SYSTEMS = (
    "the customer database",
    "the ticket",
    "the invoice system",
    "the phone note",
    "the order list",
    "the paper file",
    "the mail thread",
    "the planning sheet",
    "the web form",
    "the site visit",
    "the supplier portal",
    "the shift book",
    "the archive card",
    "the scanner export",
    "the contract",
    "the sales notes",
    "the mobile app",
    "the ledger",
    "the help desk",
    "the delivery slip",
    "the survey",
    "the calendar entry",
)
SHORT = (
    "prose",
    "prose",
    "bullets",
    "fields",
    "json",
    "nested",
    "table",
    "yaml",
    "form",
    "mixed",
    "log",
)
HEADS = (
    "### {system} (day {day})",
    "{system}, written on day {day}:",
    "Source: {system}, day {day} of the month",
    "[{system} | day {day}]",
    "From {system}, as of day {day}:",
    "--- {system} --- day {day}",
)
RULES = {
    "order": (
        "Where sources differ, this order of trust decides: {order}.",
        "Trust the sources in this order, the first that has the field wins: {order}.",
        "Precedence, strongest first: {order}.",
        "If two sources contradict each other, believe the one that stands earlier here: {order}.",
    ),
    "latest": (
        "Where sources differ, the one with the later day is right.",
        "The newest entry for a field counts.",
        "A later record replaces an earlier one, field by field.",
        "If they contradict each other, go by the most recent.",
    ),
    "earliest": (
        "Where sources differ, the one with the earlier day is right.",
        "The first entry ever made for a field counts; later ones are ignored.",
        "An earlier record is never replaced by a later one.",
        "If they contradict each other, go by the oldest.",
    ),
}
DISAGREE = (
    "Do the sources contradict each other about {what}?",
    "Is there a conflict between sources on {what}?",
    "Are there two different statements on {what}?",
    "Do the records disagree on {what}?",
)
DECIDES = (
    "Which source settles {what}?",
    "Whose statement on {what} counts?",
    "By the stated rule, which source decides {what}?",
    "Where is the valid entry on {what} found?",
)

SOURCE = Source(
    name=NAME,
    licence="CC0-1.0",
    read=read,
    about="our own generator: records that contradict each other, with a rule of precedence",
    kind="generator",
    cap=30_000,
)
