"""Urns, dice, wheels and cards: the target is the exact distribution, not one answer.

Five devices (an urn with or without replacement, after draws that are told; one or two dice; a
wheel with sectors; numbered cards; a lot among entrants), 26 colours, 33 objects, 6 containers,
counts told in 5 layouts, draws told in 4, about 40 question wordings: above 10^6 surface forms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from random import Random

from steelyard.data import soft
from steelyard.data.ask import Origin
from steelyard.data.generate.render import padding
from steelyard.data.generate.rows import Query, put, rows
from steelyard.data.generate.words import COLOURS, OBJECTS, PEOPLE
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

NAME = "chance"


def read(folder: Path, rng: Random) -> Iterator[Example]:
    yield from rows(NAME, rng, row)


def row(origin: Origin, rng: Random) -> Iterator[Example]:
    state, queries = rng.choice((urn, urn, urn, dice, wheel, cards, lot))(rng)
    extra = padding(rng)
    if isinstance(state, str) and extra:
        before = rng.randint(0, len(extra))
        state = " ".join([*extra[:before], state, *extra[before:]])
    for query in rng.sample(queries, min(len(queries), rng.randint(2, 4))):
        yield put(origin, state, query)


def urn(rng: Random) -> tuple[Content, list[Query]]:
    colours = rng.sample(COLOURS, rng.choice((2, 2, 3, 3, 4, 5)))
    most = rng.choice((3, 6, 12, 40))
    counts = {colour: rng.randint(1, most) for colour in colours}
    thing = rng.choice(OBJECTS)
    box = rng.choice(("bag", "urn", "drawer", "box", "jar", "hat"))
    drawn = draw_some(counts, rng)
    back = rng.random() < 0.4
    left = after(counts, () if back else drawn)
    told = rng.choice(CONTENTS).format(box=box, items=listed(counts, thing, rng))
    if drawn:
        names = ", then ".join(drawn)
        rule = rng.choice(BACK if back else KEPT)
        told += " " + rng.choice(DRAWN).format(names=names, thing=thing, rule=rule, box=box)
    told += " " + rng.choice(NEXT).format(thing=thing, who=rng.choice(PEOPLE))
    shares = {colour: Fraction(left[colour]) for colour in colours}
    one = rng.choice(colours)
    pair = rng.sample(colours, 2)
    queries = [
        share_choice(rng.choice(WHICH_COLOUR).format(thing=thing), shares, rng),
        chance_of(rng.choice(IS_COLOUR).format(c=one, thing=thing), part(shares, [one])),
        chance_of(rng.choice(EITHER).format(c=pair[0], d=pair[1]), part(shares, pair)),
        chance_of(rng.choice(NOT_COLOUR).format(c=one, thing=thing), 1 - part(shares, [one])),
    ]
    if sum(left.values()) > 1 and not back:
        both = two_of(left, one)
        asked = f"Two {thing}s are taken out at once. Are both {one}?"
        queries.append(chance_of(asked, both))
    return told, queries


def draw_some(counts: Mapping[str, int], rng: Random) -> tuple[str, ...]:
    """Up to three colours that can have been drawn, with something left."""
    pool = [colour for colour, count in counts.items() for _ in range(count)]
    return tuple(rng.sample(pool, min(rng.choice((0, 0, 1, 2, 3)), len(pool) - 1)))


def after(counts: Mapping[str, int], drawn: Sequence[str]) -> dict[str, int]:
    """What is left once the drawn ones are gone."""
    gone = Counter(drawn)
    return {colour: count - gone[colour] for colour, count in counts.items()}


def two_of(counts: Mapping[str, int], colour: str) -> Fraction:
    """The chance that two drawn without replacement both have the colour."""
    total = sum(counts.values())
    return Fraction(counts[colour] * (counts[colour] - 1), total * (total - 1))


def part(shares: Mapping[str, Fraction], names: Sequence[str]) -> Fraction:
    return sum((shares[name] for name in names), Fraction(0)) / sum(shares.values())


def listed(counts: Mapping[str, int], thing: str, rng: Random) -> str:
    names = list(counts)
    rng.shuffle(names)
    style = rng.randrange(4)
    if style == 0:
        return ", ".join(f"{counts[c]} {c} {thing}{'s' * (counts[c] != 1)}" for c in names)
    if style == 1:
        return "; ".join(f"{c}: {counts[c]}" for c in names) + f" ({thing}s)"
    if style == 2:
        total = f"{sum(counts.values())} {thing}s, namely "
        return total + " and ".join(f"{counts[c]} in {c}" for c in names)
    return (
        "\n"
        + "\n".join(f"- {c}: {counts[c]} {thing}{'s' * (counts[c] != 1)}" for c in names)
        + "\n"
    )


def dice(rng: Random) -> tuple[Content, list[Query]]:
    sides = rng.choice((4, 6, 6, 6, 8, 10, 12, 20))
    number = rng.choice((1, 1, 2))
    who = rng.choice(PEOPLE)
    if number == 1:
        totals = dict.fromkeys(range(1, sides + 1), 1)
        told = rng.choice(ONE_DIE).format(who=who, sides=sides)
    else:
        totals = Counter(a + b for a, b in product(range(1, sides + 1), repeat=2))
        told = rng.choice(TWO_DICE).format(who=who, sides=sides)
    what = "the number" if number == 1 else "the sum"
    bound = rng.choice(list(totals))
    known = rng.random() < 0.3
    if known:
        floor = rng.choice(list(totals)[: max(2, len(totals) - 1)])
        totals = {total: count for total, count in totals.items() if total >= floor}
        told += " " + rng.choice(HINTS).format(what=what, floor=floor)
    space = sum(totals.values())

    def share(test: Mapping[int, bool]) -> Fraction:
        return Fraction(sum(count for total, count in totals.items() if test[total]), space)

    upto = {total: total <= bound for total in totals}
    even = {total: total % 2 == 0 for total in totals}
    three = {total: total % 3 == 0 for total in totals}
    lowest, highest = min(totals), max(totals)
    queries = [
        chance_of(rng.choice(AT_MOST).format(what=what, bound=bound), share(upto)),
        chance_of(f"Is {what} even?", share(even)),
        chance_of(f"Can {what} be divided by three without rest?", share(three)),
    ]
    size = min(rng.randint(3, 6), highest - lowest + 1)
    if size >= 2:
        cuts = sorted(rng.sample(range(lowest + 1, highest + 1), size - 1))
        edges = [lowest, *cuts, highest + 1]
        levels = [
            f"{low}" if low == high - 1 else f"{low} to {high - 1}" for low, high in pairwise(edges)
        ]
        weights = [
            sum(count for total, count in totals.items() if low <= total < high)
            for low, high in pairwise(edges)
        ]
        asked = rng.choice((f"How high is {what}?", f"In which range does {what} lie?"))
        target = soft.exact(weights)
        queries.append(Query(asked, dict.fromkeys(levels), 0, True, target))
    return told, queries


def wheel(rng: Random) -> tuple[Content, list[Query]]:
    colours = rng.sample(COLOURS, rng.randint(2, 6))
    widths = {colour: rng.randint(1, 9) for colour in colours}
    style = rng.randrange(3)
    total = sum(widths.values())
    if style == 0:
        parts = ", ".join(f"{c} {n}" for c, n in widths.items())
        told = f"A wheel has {total} equal sectors by colour: {parts}. It is spun once."
    elif style == 1:
        parts = "; ".join(f"{c} takes up {n} of {total} parts" for c, n in widths.items())
        told = f"The rim of a wheel of fortune is painted: {parts}. The pointer stops anywhere."
    else:
        told = "\n".join(
            ["wheel, sectors of equal width", *(f"{c}: {n}" for c, n in widths.items())]
        )
    shares = {colour: Fraction(width) for colour, width in widths.items()}
    one, pair = rng.choice(colours), rng.sample(colours, 2)
    asked = rng.choice(
        ("Where does it stop?", "Which colour comes up?", "What does the pointer show?")
    )
    return told, [
        share_choice(asked, shares, rng),
        chance_of(f"Does the wheel stop on {one}?", part(shares, [one])),
        chance_of(f"Does it stop on {pair[0]} or {pair[1]}?", part(shares, pair)),
        chance_of(f"Does it miss {one}?", 1 - part(shares, [one])),
    ]


def cards(rng: Random) -> tuple[Content, list[Query]]:
    low = rng.randint(1, 30)
    high = low + rng.randint(3, 40)
    gone = rng.sample(range(low, high + 1), rng.choice((0, 0, 1, 2)))
    left = [value for value in range(low, high + 1) if value not in gone]
    told = rng.choice(CARDS).format(low=low, high=high, who=rng.choice(PEOPLE))
    if gone:
        told += " Already gone: " + ", ".join(map(str, gone)) + "."
    bound = rng.randint(low, high)
    digit = rng.randint(0, 9)
    over = Fraction(sum(value > bound for value in left), len(left))
    odd = Fraction(sum(value % 2 for value in left), len(left))
    ends = Fraction(sum(value % 10 == digit for value in left), len(left))
    return told, [
        chance_of(f"Is the card's number above {bound}?", over),
        chance_of(f"Is it {bound} or lower?", 1 - over),
        chance_of("Is the number odd?", odd),
        chance_of(f"Is {digit} its last digit?", ends),
        share_choice("Odd or even?", {"odd": odd, "even": 1 - odd}, rng),
    ]


def lot(rng: Random) -> tuple[Content, list[Query]]:
    people = rng.sample(PEOPLE, rng.randint(2, 7))
    tickets = {person: rng.randint(1, rng.choice((1, 4, 12))) for person in people}
    items = [f"{p} holds {n} ticket{'s' * (n != 1)}" for p, n in tickets.items()]
    told = rng.choice(LOTS).format(items="; ".join(items))
    shares = {person: Fraction(count) for person, count in tickets.items()}
    one, pair = rng.choice(people), rng.sample(people, 2)
    return told, [
        share_choice(rng.choice(("Who wins?", "Whose ticket is drawn?")), shares, rng),
        chance_of(f"Does {one} win?", part(shares, [one])),
        chance_of(f"Will it be {pair[0]} or {pair[1]}?", part(shares, pair)),
    ]


def chance_of(asked: str, share: Fraction) -> Query:
    return Query(asked, None, 0, target=(float(share), 1 - float(share)))


def share_choice(asked: str, shares: Mapping[str, Fraction], rng: Random) -> Query:
    """A choice among the outcomes, with their shares as the target."""
    names = list(shares)
    rng.shuffle(names)
    target = soft.exact([float(shares[name]) for name in names])
    return Query(asked, dict.fromkeys(names), 0, target=target)


CONTENTS = (
    "A {box} contains {items}.",
    "In the {box}: {items}.",
    "Someone filled a {box} with {items}.",
    "Contents of the {box}: {items}.",
    "We counted what is in the {box}: {items}.",
)
DRAWN = (
    "Taken out blindly so far: {names}. {rule}",
    "The first {thing} drawn: {names}. {rule}",
    "Drawn from the {box} up to now: {names}. {rule}",
    "Already out came {names}. {rule}",
)
BACK = (
    "Each went back before the next draw.",
    "After every draw it was returned and all was mixed.",
    "All of them have been put back.",
)
KEPT = ("They stay outside.", "None was put back.", "What is out stays on the table.")
NEXT = (
    "Now one more {thing} is drawn without looking.",
    "{who} reaches in and takes a {thing}, eyes shut.",
    "The next {thing} is drawn at random.",
    "One {thing} is picked, all equally likely.",
)
WHICH_COLOUR = (
    "Which colour is drawn next?",
    "What colour will the {thing} be?",
    "Which colour comes out?",
    "Predict the colour of the next {thing}.",
)
IS_COLOUR = (
    "Is the next {thing} {c}?",
    "Will the {thing} be {c}?",
    "Does a {c} {thing} come out?",
    "The next one will be {c}. True?",
)
EITHER = (
    "Is it {c} or {d}?",
    "Will the colour be one of {c} and {d}?",
    "Does {c} or {d} come out?",
)
NOT_COLOUR = (
    "Is the next {thing} of another colour than {c}?",
    "Will it be anything but {c}?",
    "Is the colour of the {thing} not {c}?",
)
ONE_DIE = (
    "{who} rolls a fair die with {sides} faces, numbered from 1.",
    "A balanced {sides}-sided die (1 to {sides}) is thrown once.",
    "One throw of a die whose {sides} faces, 1 to {sides}, are equally likely.",
)
TWO_DICE = (
    "{who} rolls two fair dice with {sides} faces each, numbered from 1, and adds them up.",
    "Two balanced {sides}-sided dice (1 to {sides}) are thrown; the sum counts.",
)
HINTS = (
    "It is known that {what} is at least {floor}.",
    "Somebody peeked: {what} is not below {floor}.",
)
AT_MOST = ("Is {what} at most {bound}?", "Is {what} no higher than {bound}?", "{what} <= {bound}?")
CARDS = (
    "Cards numbered {low} to {high}, one of each, lie face down. {who} takes one at random.",
    "{who} draws a card from a shuffled pile that has each number from {low} to {high} once.",
)
LOTS = (
    "A prize is drawn among all tickets. {items}.",
    "Raffle list: {items}. One ticket is pulled from the drum.",
    "{items}. All tickets are in the pot, and one is drawn.",
)

SOURCE = Source(
    name=NAME,
    licence="CC0-1.0",
    read=read,
    about="our own generator: urns, dice, wheels, cards and lots with exact distributions",
    kind="generator",
    cap=20_000,
)
