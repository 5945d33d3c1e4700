"""Counting what is listed: things with properties in places, and who did what how often.

Two puzzles (things with a colour in containers; a day's list of actions by people), 25 colours, 33
objects, 12 places, 12 actions, 70 names, 4-26 entries, 6 layouts, idle sentences between, about 30
question wordings: above 10^6 surface forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from steelyard.data.ask import Origin
from steelyard.data.generate.facts import capital
from steelyard.data.generate.render import padding
from steelyard.data.generate.rows import Query, graded, near, one_of, put, rows, yes_no
from steelyard.data.generate.words import COLOURS, OBJECTS, PEOPLE
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

NAME = "counting"


@dataclass(frozen=True, slots=True)
class Entry:
    """`count` things (or one action) with what can be asked about them."""

    what: str
    kind: str
    where: str
    count: int = 1


def read(folder: Path, rng: Random) -> Iterator[Example]:
    yield from rows(NAME, rng, row)


def row(origin: Origin, rng: Random) -> Iterator[Example]:
    if rng.random() < 0.55:
        entries, state = stock(rng)
        made = list(stock_questions(entries, rng))
    else:
        entries, state = actions(rng)
        made = list(action_questions(entries, rng))
    for query in rng.sample(made, min(len(made), rng.randint(3, 4))):
        yield put(origin, state, query)


def stock(rng: Random) -> tuple[list[Entry], Content]:
    """Things by colour and place; counts are told."""
    things = rng.sample(OBJECTS, rng.randint(1, 4))
    colours = rng.sample(COLOURS, rng.randint(2, 4))
    places = rng.sample(PLACES, rng.randint(1, 4))
    size = rng.randint(3, 12)
    most = rng.choice((3, 6, 15))
    seen: dict[tuple[str, str, str], Entry] = {}
    for _ in range(size):
        key = (rng.choice(things), rng.choice(colours), rng.choice(places))
        seen.setdefault(key, Entry(*key, rng.randint(1, most)))
    entries = list(seen.values())
    layout = rng.randrange(5)
    if layout == 0:
        body: list[Content] = [
            {"item": e.what, "colour": e.kind, "place": e.where, "pieces": e.count} for e in entries
        ]
        return entries, body
    if layout == 1:
        lines = ["| item | colour | place | pieces |", "|---|---|---|---|"]
        lines += [f"| {e.what} | {e.kind} | {e.where} | {e.count} |" for e in entries]
        return entries, "\n".join(lines)
    said = [capital(rng.choice(THERE).format(n=_things(e), where=e.where)) for e in entries]
    said += padding(rng)
    rng.shuffle(said)
    if layout == 2:
        return entries, "\n".join(f"* {sentence}" for sentence in said)
    return entries, " ".join(said)


def _things(entry: Entry) -> str:
    return f"{entry.count} {entry.kind} {entry.what}{'s' * (entry.count != 1)}"


def stock_questions(entries: Sequence[Entry], rng: Random) -> Iterator[Query]:
    places = list(dict.fromkeys(e.where for e in entries))
    kinds = list(dict.fromkeys(e.kind for e in entries))
    things = list(dict.fromkeys(e.what for e in entries))
    for _ in range(2):
        kind, place, thing = rng.choice(kinds), rng.choice(places), rng.choice(things)
        tests = (
            (f"{kind} things", total(entries, kind=kind)),
            (f"{thing}s of any colour", total(entries, what=thing)),
            (f"{kind} {thing}s", total(entries, kind=kind, what=thing)),
            (f"things {place}", total(entries, where=place)),
            (f"{kind} things {place}", total(entries, kind=kind, where=place)),
            ("things altogether", total(entries)),
        )
        yield from counted(tests, rng)
    if len(kinds) > 1:
        most = sorted(kinds, key=lambda kind: -total(entries, kind=kind))
        if total(entries, kind=most[0]) > total(entries, kind=most[1]):
            yield one_of(rng.choice(MOST_COLOUR), most[0], most[1:], rng)
        a, b = rng.sample(kinds, 2)
        more = total(entries, kind=a) > total(entries, kind=b)
        yield yes_no(rng.choice(MORE).format(a=f"{a} things", b=f"{b} things"), more)


def counted(tests: Sequence[tuple[str, int]], rng: Random) -> Iterator[Query]:
    """A choice, a yes/no question and a grading of counts that are known by their words."""
    words, count = rng.choice(tests)
    wrong = [str(k) for k in near(count, rng.randint(2, 6), 1, rng)]
    yield one_of(rng.choice(HOW_MANY).format(words=words), str(count), wrong, rng)
    words, count = rng.choice(tests)
    yield at_least(words, count, rng)
    words, count = rng.choice(tests)
    yield graded_count(words, count, rng)


def total(
    entries: Sequence[Entry],
    *,
    what: str | None = None,
    kind: str | None = None,
    where: str | None = None,
) -> int:
    """How many there are with all the properties given."""
    return sum(
        e.count
        for e in entries
        if what in (None, e.what) and kind in (None, e.kind) and where in (None, e.where)
    )


def at_least(words: str, count: int, rng: Random) -> Query:
    """At least or at most so many, or exactly; yes half of the time."""
    truth = rng.random() < 0.5
    form = rng.randrange(3)
    if form == 0:
        bound = max(0, count - rng.randint(0, 3)) if truth else count + rng.randint(1, 3)
        return yes_no(rng.choice(AT_LEAST).format(words=words, bound=bound), count >= bound)
    if form == 1:
        bound = count + rng.randint(1, 4) if truth else max(0, count - rng.randint(0, 3))
        return yes_no(rng.choice(FEWER).format(words=words, bound=bound), count < bound)
    bound = count if truth else rng.choice(near(count, 4, 1, rng))
    return yes_no(rng.choice(EXACTLY).format(words=words, bound=bound), count == bound)


def graded_count(words: str, count: int, rng: Random) -> Query:
    """The count on a scale of 3-6 ranges; the level was drawn before the ranges."""
    size = rng.randint(3, 6)
    level = rng.randrange(min(size, count + 1))
    width = rng.randint(1, 3)
    low = max(0, count - rng.randint(0, width - 1))
    while level and low < level:
        level -= 1
    below = sorted(rng.sample(range(low), level)) if level else []
    if level:
        below[-1] = low - 1
    # The highest count of every level but the last.
    upper = [*below, *(low + width - 1 + k * width for k in range(size - 1 - level))]
    starts = [0, *(edge + 1 for edge in upper)]
    levels = [str(a) if a == b else f"{a} to {b}" for a, b in zip(starts, upper, strict=False)]
    levels.append(f"{starts[-1]} or more")
    return graded(rng.choice(RANGE).format(words=words), levels, sum(count > e for e in upper))


def actions(rng: Random) -> tuple[list[Entry], Content]:
    """Who did what, one entry a line."""
    people = rng.sample(PEOPLE, rng.randint(2, 5))
    verbs = rng.sample(list(ACTIONS), rng.randint(2, 4))
    where = rng.choice(("today", "on the early shift", "this week"))
    size = rng.randint(4, 26)
    entries = [Entry(rng.choice(people), rng.choice(verbs), where) for _ in range(size)]
    layout = rng.randrange(4)
    if layout == 0:
        return entries, [{"by": e.what, "action": e.kind} for e in entries]
    said = [f"{e.what} {ACTIONS[e.kind]}." for e in entries]
    if layout == 1:
        minute = rng.randint(300, 600)
        lines = []
        for sentence in said:
            minute += rng.randint(1, 12)
            lines.append(f"{minute // 60:02d}:{minute % 60:02d} {sentence}")
        return entries, "\n".join(lines)
    said += padding(rng)
    rng.shuffle(said)
    return entries, (" " if layout == 2 else "\n").join(said)


def action_questions(entries: Sequence[Entry], rng: Random) -> Iterator[Query]:
    people = list(dict.fromkeys(e.what for e in entries))
    verbs = list(dict.fromkeys(e.kind for e in entries))
    for _ in range(2):
        who, verb = rng.choice(people), rng.choice(verbs)
        tests = (
            (f"entries by {who}", total(entries, what=who)),
            (f"entries of the kind: {verb}", total(entries, kind=verb)),
            (f"entries in which {who} {ACTIONS[verb]}", total(entries, what=who, kind=verb)),
        )
        yield from counted(tests, rng)
    if len(people) > 1:
        most = sorted(people, key=lambda name: -total(entries, what=name))
        if total(entries, what=most[0]) > total(entries, what=most[1]):
            yield one_of(rng.choice(MOST_ACTIVE), most[0], most[1:], rng)
        a, b = rng.sample(people, 2)
        more = total(entries, what=a) > total(entries, what=b)
        yield yes_no(rng.choice(MORE).format(a=f"entries by {a}", b=f"entries by {b}"), more)


PLACES = (
    "on the shelf",
    "in the cellar",
    "under the stairs",
    "in the red crate",
    "on the workbench",
    "in the van",
    "by the window",
    "in the top drawer",
    "in the shed",
    "behind the counter",
    "on the trolley",
    "in the cupboard",
)
THERE = (
    "There are {n} {where}.",
    "{where}: {n}.",
    "We counted {n} {where}.",
    "You will find {n} {where}.",
)
ACTIONS = {
    "stamp": "stamped a letter",
    "call": "made a call",
    "parcel": "packed a parcel",
    "till": "opened the till",
    "sale": "sold a ticket",
    "clean": "wiped a table",
    "visit": "greeted a visitor",
    "form": "filled in a form",
    "scan": "scanned a page",
    "repair": "mended a chair",
    "tea": "brewed tea",
    "lock": "checked a lock",
}
HOW_MANY = (
    "How many {words} are there?",
    "Count the {words}.",
    "What is the number of {words}?",
    "Number of {words}?",
)
AT_LEAST = ("Are there at least {bound} {words}?", "Is the number of {words} {bound} or more?")
FEWER = ("Are there fewer than {bound} {words}?", "Is the number of {words} below {bound}?")
EXACTLY = ("Are there exactly {bound} {words}?", "Is {bound} the number of {words}?")
MORE = ("Are there more {a} than {b}?", "Do the {a} outnumber the {b}?")
MOST_COLOUR = ("Which colour is most frequent?", "Of which colour are there most?")
MOST_ACTIVE = ("Who has the most entries?", "Who was busiest, by number of entries?")
RANGE = (
    "How many {words}: which range?",
    "Place the number of {words} on the scale.",
    "{words}: how many?",
)

SOURCE = Source(
    name=NAME,
    licence="CC0-1.0",
    read=read,
    about="our own generator: counts of listed things and actions",
    kind="generator",
    cap=20_000,
)
