"""Things in an order: comparisons that fix it, lists that are sorted by a number, queues that change.

Three puzzles (a chain of comparisons that allows exactly one order; numbers to sort by; a queue with
moves), 14 relations in 2-3 wordings each, 70 names, 3-9 things, sentences in any order, prose,
bullets, table or JSON, and about 30 question wordings: above 10^6 surface forms.
"""

# One relation a line: this is a table, to be read across.
# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

from steelyard.data.ask import Origin
from steelyard.data.generate.render import padding
from steelyard.data.generate.rows import Query, graded, near, one_of, put, rows, yes_no
from steelyard.data.generate.words import CITIES, COMPANIES, PEOPLE
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

NAME = "ordering"
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


def read(folder: Path, rng: Random) -> Iterator[Example]:
    yield from rows(NAME, rng, row)


def row(origin: Origin, rng: Random) -> Iterator[Example]:
    state, order, words = rng.choice((chain, chain, numbers, queue))(rng)
    for query in questions(order, words, rng):
        yield put(origin, state, query)


def chain(rng: Random) -> tuple[Content, list[str], tuple[str, str]]:
    """Comparisons of which only one order comes true; the order, first to last, and its words."""
    names = rng.sample(rng.choice((PEOPLE, PEOPLE, CITIES)), rng.choice((3, 3, 4, 4, 5, 6, 7)))
    more, less, before, after = rng.choice(RELATIONS)
    pairs = list(pairwise(names))
    spare = [(a, b) for i, a in enumerate(names) for b in names[i + 2 :]]
    pairs += rng.sample(spare, min(len(spare), rng.choice((0, 0, 1, 2))))
    said = [
        rng.choice(before).format(a=a, b=b)
        if rng.random() < 0.5
        else rng.choice(after).format(a=a, b=b)
        for a, b in pairs
    ]
    rng.shuffle(said)
    said += padding(rng)
    if rng.random() < 0.3:
        rng.shuffle(said)
    text = "\n".join(f"- {sentence}" for sentence in said) if rng.random() < 0.3 else " ".join(said)
    return text, names, (more, less)


def numbers(rng: Random) -> tuple[Content, list[str], tuple[str, str]]:
    """Numbers to sort by, largest first."""
    what, unit, low, high, more, less, pool = rng.choice(MEASURES)
    names = rng.sample(pool, rng.choice((3, 4, 5, 6, 7, 8, 9)))
    values = dict(zip(names, rng.sample(range(low, high), len(names)), strict=True))
    order = sorted(names, key=lambda name: -values[name])
    style = rng.randrange(4)
    if style == 0:
        return {what: {name: f"{values[name]} {unit}" for name in names}}, order, (more, less)
    if style == 1:
        lines = [f"| name | {what} |", "|---|---|"]
        lines += [f"| {name} | {values[name]} {unit} |" for name in names]
        return "\n".join(lines), order, (more, less)
    if style == 2:
        lines = [f"{name}: {values[name]} {unit}" for name in names]
        return "\n".join([f"{what}:", *lines]), order, (more, less)
    said = [f"For {name}, the {what} is {values[name]} {unit}." for name in names]
    said += padding(rng)
    rng.shuffle(said)
    return " ".join(said), order, (more, less)


def queue(rng: Random) -> tuple[Content, list[str], tuple[str, str]]:
    """People in a line who swap, leave, join and go to an end."""
    people = rng.sample(PEOPLE, 10)
    line = people[: rng.randint(3, 7)]
    spare = people[len(line) :]
    said = [rng.choice(LINES).format(names=", ".join(line))]
    for _ in range(rng.randint(1, 4)):
        move = rng.choice(("swap", "leave", "join", "back", "front"))
        person = rng.choice(line)
        if move == "swap":
            other = rng.choice([name for name in line if name != person])
            swapped = {person: other, other: person}
            line = [swapped.get(name, name) for name in line]
            said.append(rng.choice(SWAPS).format(a=person, b=other))
        elif move == "leave" and len(line) > 3:
            line = [name for name in line if name != person]
            said.append(rng.choice(LEAVES).format(a=person))
        elif move == "join" and len(line) < 9:
            new = spare.pop()
            line = [*line, new]
            said.append(rng.choice(JOINS).format(a=new))
        elif move == "front":
            line = [person, *(name for name in line if name != person)]
            said.append(rng.choice(FRONTS).format(a=person))
        else:
            line = [*(name for name in line if name != person), person]
            said.append(rng.choice(BACKS).format(a=person))
    extra = padding(rng)
    for sentence in extra:
        said.insert(rng.randint(1, len(said)), sentence)
    joint = rng.choice((" ", "\n"))
    return joint.join(said), line, ("at the front", "at the back")


def questions(order: Sequence[str], words: tuple[str, str], rng: Random) -> Iterator[Query]:
    more, less = words
    size = len(order)
    made: list[Query] = []
    place = rng.randrange(size)
    who = order[place]
    others = [name for name in order if name != who]
    if place == 0:
        asked = rng.choice(
            (f"Which is the one {more}?", f"Name the one {more}.", f"Find the one {more}.")
        )
    elif place == size - 1 and rng.random() < 0.7:
        asked = rng.choice(
            (f"Which is the one {less}?", f"Name the one {less}.", f"Find the one {less}.")
        )
    else:
        asked = f"Counting from the one {more}, which is {ORDINALS[place]}?"
    made.append(one_of(asked, who, rng.sample(others, rng.randint(2, size - 1)), rng))
    a, b = rng.sample(list(order), 2)
    ahead = order.index(a) < order.index(b)
    asked = rng.choice(AHEAD).format(a=a, b=b, more=more, less=less)
    made.append(yes_no(asked, ahead))
    name = rng.choice(list(order))
    truth = rng.random() < 0.5
    real = order.index(name)
    rank = real if truth else rng.choice([k for k in range(size) if k != real])
    asked = f"Counting from the one {more}, is {name} {ORDINALS[rank]}?"
    made.append(yes_no(asked, truth))
    levels = [f"{ORDINALS[k]} (the one {more})" if k == 0 else ORDINALS[k] for k in range(size)]
    levels[-1] = f"{ORDINALS[size - 1]} (the one {less})"
    asked = rng.choice((f"Which place does {name} have?", f"Place of {name}?", f"Where is {name}?"))
    made.append(graded(asked, levels, real))
    if size > 3:
        first, last = rng.sample(list(order), 2)
        count = abs(order.index(first) - order.index(last)) - 1
        wrong = [str(k) for k in near(count, rng.randint(2, 5), 1, rng)]
        asked = f"How many are between {first} and {last}?"
        made.append(one_of(asked, str(count), wrong, rng))
    yield from rng.sample(made, min(len(made), rng.randint(3, 4)))


RELATIONS = (
    ("that is tallest", "that is shortest", ("{a} is taller than {b}.", "{a} towers over {b}."), ("{b} is shorter than {a}.",)),
    ("that is oldest", "that is youngest", ("{a} is older than {b}.", "{a} was born before {b}."), ("{b} is younger than {a}.",)),
    ("that came in earliest", "that came in latest", ("{a} arrived before {b}.", "{a} was there ahead of {b}."), ("{b} arrived later than {a}.", "{b} came in after {a}.")),
    ("with the most points", "with the fewest points", ("{a} has more points than {b}.", "{a} beat {b} on points."), ("{b} has fewer points than {a}.", "{b} scored less than {a}.")),
    ("that is furthest north", "that is furthest south", ("{a} is to the north of {b}.",), ("{b} is to the south of {a}.", "{b} lies south of {a}.")),
    ("that is furthest left", "that is furthest right", ("{a} is to the left of {b}.",), ("{b} is to the right of {a}.", "{b} is somewhere right of {a}.")),
    ("that is heaviest", "that is lightest", ("{a} weighs more than {b}.", "{a} is heavier than {b}."), ("{b} weighs less than {a}.", "{b} is lighter than {a}.")),
    ("that is most expensive", "that is cheapest", ("{a} costs more than {b}.", "{a} is dearer than {b}."), ("{b} is cheaper than {a}.",)),
    ("on the highest floor", "on the lowest floor", ("{a} is on a higher floor than {b}.", "{a} is above {b}."), ("{b} is on a lower floor than {a}.", "{b} is below {a}.")),
    ("with the highest priority", "with the lowest priority", ("{a} outranks {b}.", "{a} takes precedence over {b}."), ("{b} ranks below {a}.", "{b} has to wait for {a}.")),
    ("that is fastest", "that is slowest", ("{a} is faster than {b}.", "{a} outruns {b}."), ("{b} is slower than {a}.",)),
    ("that is busiest", "that is quietest", ("{a} is busier than {b}.",), ("{b} is quieter than {a}.", "{b} sees less traffic than {a}.")),
)  # fmt: skip
MEASURES = (
    ("height", "cm", 120, 210, "with the greatest height", "with the smallest height", PEOPLE),
    (
        "turnover",
        "thousand dollars",
        10,
        900,
        "with the highest turnover",
        "with the lowest turnover",
        COMPANIES,
    ),
    ("delay", "minutes", 0, 120, "with the longest delay", "with the shortest delay", COMPANIES),
    ("rainfall", "mm", 1, 300, "with the most rain", "with the least rain", CITIES),
    ("score", "points", 0, 100, "with the most points", "with the fewest points", PEOPLE),
    ("distance", "km", 1, 800, "that is furthest away", "that is nearest", CITIES),
    ("stock", "pieces", 0, 500, "with the most pieces", "with the fewest pieces", COMPANIES),
    ("noise", "dB", 30, 110, "that is loudest", "that is most quiet", CITIES),
)
LINES = (
    "In the queue, from the front to the back: {names}.", "The line, front first: {names}.",
    "They stand one behind the other, starting at the counter: {names}.",
)  # fmt: skip
SWAPS = ("{a} and {b} change places.", "{a} swaps with {b}.", "Then {b} trades places with {a}.")
LEAVES = ("{a} leaves.", "{a} gives up and goes home.", "{a} steps out of the line for good.")
JOINS = ("{a} joins at the end.", "{a} comes and stands last.", "{a} queues up behind everybody.")
FRONTS = ("{a} is let through to the very front.", "{a} moves to the first place.")
BACKS = ("{a} goes to the very end.", "{a} has forgotten something and starts again from the back.")
AHEAD = (
    "Counting from the one {more}, does {a} come before {b}?",
    "Is {a} closer to the place of the one {more} than {b}?",
    "In the order from the one {more} to the one {less}, is {a} ahead of {b}?",
)

SOURCE = Source(
    name=NAME,
    licence="CC0-1.0",
    read=read,
    about="our own generator: orders from comparisons, numbers and moves",
    kind="generator",
    cap=20_000,
)
