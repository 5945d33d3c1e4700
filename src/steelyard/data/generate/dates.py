"""Dates and times: before and after, days between, deadlines in calendar and business days, zones.

Two puzzles (a file of 3-8 dated steps of 8 kinds of files, with a stated deadline rule; an
appointment among people in 3-6 time zones), dates in 5 formats, 6 layouts of the file, about 45
question wordings: above 10^6 surface forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random

from steelyard.data.ask import Origin
from steelyard.data.generate.facts import capital
from steelyard.data.generate.render import code, padding
from steelyard.data.generate.rows import Query, graded, near, one_of, put, rows, yes_no
from steelyard.data.generate.words import PEOPLE, SURNAMES
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

NAME = "dates"
FIRST_DAY = date(2019, 1, 1)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    yield from rows(NAME, rng, row)


def row(origin: Origin, rng: Random) -> Iterator[Example]:
    yield from (file_row if rng.random() < 0.72 else zone_row)(origin, rng)


def file_row(origin: Origin, rng: Random) -> Iterator[Example]:
    kind, steps = rng.choice(list(FILES.items()))
    names = rng.sample(steps, rng.randint(3, min(9, len(steps))))
    start = FIRST_DAY + timedelta(days=rng.randrange(2900))
    spread = rng.choice((12, 30, 90, 400))
    offsets = rng.sample(range(spread), len(names))
    days = {name: start + timedelta(days=k) for name, k in zip(names, offsets, strict=True)}
    write = rng.choice(FORMATS)
    first, last = sorted(rng.sample(names, 2), key=days.__getitem__)
    business = rng.random() < 0.4
    gap = business_days(days[first], days[last]) if business else (days[last] - days[first]).days
    slack = (
        rng.choice((0, 0, 1, 2, 5)) if rng.random() < 0.5 or gap < 3 else -rng.randint(1, gap - 2)
    )
    allowed = max(2, gap + max(slack, -25))
    unit = rng.choice(BUSINESS if business else CALENDAR)
    rule = rng.choice(DEADLINES).format(first=first, last=last, count=allowed, unit=unit)
    state = file_text(kind, days, rule, write, rng)
    made = list(file_questions(days, rng))
    due = (add_business if business else add_calendar)(days[first], allowed)
    made_late = list(deadline_questions(first, last, days, due, write, rng))
    for query in [*rng.sample(made, rng.randint(1, 3)), *rng.sample(made_late, 2)]:
        yield put(origin, state, query)


def file_text(kind: str, days: Mapping[str, date], rule: str, write: str, rng: Random) -> Content:
    """The dated steps and the rule, in one of six layouts."""
    items = [(name, written(day, write)) for name, day in days.items()]
    rng.shuffle(items)
    title = f"{kind} {code(rng)}"
    layout = rng.randrange(6)
    if layout == 0:
        steps = [f"{name[:1].upper()}{name[1:]}: {day}." for name, day in items]
        steps += padding(rng)
        rng.shuffle(steps)
        return " ".join([f"{title}.", *steps, rule])
    if layout == 1:
        return "\n".join([title, *(f"- {name}: {day}" for name, day in items), rule])
    if layout == 2:
        lines = [f"| {name} | {day} |" for name, day in items]
        return "\n".join([rule, "", f"| {title} | date |", "|---|---|", *lines])
    if layout == 3:
        return {"file": title, "dates": dict(items), "rule": rule}
    if layout == 4:
        said = [capital(rng.choice(SAID).format(name=name, day=day)) for name, day in items]
        return " ".join([f"From the papers of {title}:", *said, *padding(rng), rule])
    lines = [f"{day}  {name}" for name, day in items]
    return "\n".join([rule, f"== {title} ==", *lines])


def file_questions(days: Mapping[str, date], rng: Random) -> Iterator[Query]:
    names = list(days)
    ordered = sorted(names, key=days.__getitem__)
    earliest = rng.random() < 0.5
    gold = ordered[0] if earliest else ordered[-1]
    asked = rng.choice(EARLIEST if earliest else LATEST)
    yield one_of(asked, gold, [name for name in names if name != gold], rng)
    a, b = rng.sample(names, 2)
    before = rng.random() < 0.5
    asked = rng.choice(BEFORE if before else AFTER).format(a=a, b=b)
    yield yes_no(asked, (days[a] < days[b]) == before)
    gap = abs((days[a] - days[b]).days)
    wrong = [str(k) for k in near(gap, rng.randint(2, 5), 1, rng)]
    asked = rng.choice(BETWEEN).format(a=a, b=b)
    yield one_of(asked, str(gap), wrong, rng)
    truth = rng.random() < 0.5
    bound = max(0, gap - rng.randint(1, 6)) if truth else gap + rng.randint(0, 5)
    yield yes_no(rng.choice(MORE_DAYS).format(a=a, b=b, bound=bound), gap > bound)
    name = rng.choice(names)
    day = WEEKDAYS[days[name].weekday()]
    wrong = [other for other in WEEKDAYS if other != day]
    asked = rng.choice(WEEKDAY).format(name=name)
    yield one_of(asked, day, rng.sample(wrong, rng.randint(2, 6)), rng)
    others = [other for other in names if days[other] > days[name]]
    wrong = [str(k) for k in range(len(names)) if k != len(others)]
    asked = f"How many of the listed steps are later than this one: {name}?"
    yield one_of(asked, str(len(others)), rng.sample(wrong, min(len(wrong), 4)), rng)


def deadline_questions(
    first: str, last: str, days: Mapping[str, date], due: date, write: str, rng: Random
) -> Iterator[Query]:
    late = (days[last] - due).days
    in_time = rng.random() < 0.5
    asked = rng.choice(IN_TIME if in_time else LATE).format(last=last)
    yield yes_no(asked, (late <= 0) == in_time)
    wrong = [written(due + timedelta(days=k), write) for k in near_days(rng.randint(2, 5), rng)]
    yield one_of(rng.choice(DUE).format(last=last), written(due, write), wrong, rng)
    wanted = rng.choice((1, 2, 3, 3, 3))  # the level of a delay, as far as the delay allows
    fitting = {1: (late, late + 5), 2: ((late + 3) // 4, late - 1), 3: (1, (late - 1) // 4)}
    low, high = fitting[wanted]
    step = rng.randint(low, high) if late > 0 and low <= high else rng.choice((2, 3, 7))
    levels = ["in time", f"1 to {step} days late" if step > 1 else "1 day late"]
    levels += [f"{step + 1} to {step * 4} days late", f"more than {step * 4} days late"]
    level = sum(late > edge for edge in (0, step, step * 4))
    yield graded(rng.choice(HOW_LATE).format(last=last), levels, level)


def near_days(count: int, rng: Random) -> list[int]:
    return rng.sample([k for k in range(-6, 7) if k], count)


def business_days(first: date, last: date) -> int:
    """Mondays to Fridays after the first day, up to and including the last."""
    span = (last - first).days
    return sum((first + timedelta(days=k)).weekday() < 5 for k in range(1, span + 1))


def add_business(first: date, count: int) -> date:
    """The last of `count` Mondays to Fridays after the first day."""
    day = first
    while count:
        day += timedelta(days=1)
        count -= day.weekday() < 5
    return day


def add_calendar(first: date, count: int) -> date:
    return first + timedelta(days=count)


def written(day: date, form: str) -> str:
    return day.strftime(form).replace(" 0", " ").removeprefix("0")


def zone_row(origin: Origin, rng: Random) -> Iterator[Example]:
    """People in zones of their own; all offsets are told."""
    people = rng.sample(PEOPLE, rng.randint(3, 6))
    sites = dict(zip(people, rng.sample(SURNAMES, len(people)), strict=True))
    offsets = {person: rng.randint(-10, 12) for person in people}
    host, *others = people
    start = datetime(2025, 1, 1) + timedelta(
        days=rng.randrange(700), minutes=30 * rng.randrange(48)
    )
    length = rng.choice((15, 30, 45, 60, 75, 90, 120, 150, 200))
    zones = [
        rng.choice(ZONES).format(who=person, site=sites[person], offset=offset(offsets[person]))
        for person in people
    ]
    rng.shuffle(zones)
    told = rng.choice(MEETING).format(
        host=host,
        start=start.strftime("%H:%M"),
        day=written(start.date(), "%A %d %B %Y"),
        length=length,
    )
    parts = [told, *zones] if rng.random() < 0.5 else [*zones, told]
    extra = padding(rng)
    state = rng.choice((" ", "\n")).join([*parts, *extra])
    who = rng.choice(others)
    there = start + timedelta(hours=offsets[who] - offsets[host])
    end = start + timedelta(minutes=length)
    early, late = sorted((rng.randint(6, 9), rng.randint(16, 20)))
    inside = early * 60 <= there.hour * 60 + there.minute < late * 60
    pair = rng.sample(people, 2)
    ahead = offsets[pair[0]] > offsets[pair[1]]
    apart = abs(offsets[pair[0]] - offsets[pair[1]])
    clock = there.strftime("%H:%M")
    wrong_clock = [
        (there + timedelta(hours=k)).strftime("%H:%M")
        for k in rng.sample([k for k in range(-11, 12) if k], rng.randint(2, 5))
    ]
    ends = end.strftime("%H:%M")
    wrong_ends = [
        (end + timedelta(minutes=k)).strftime("%H:%M")
        for k in rng.sample((-60, -30, -15, 15, 30, 60, 90), 3)
    ]
    days = ("the day before", "the same day", "the day after")
    relation = days[(there.date() - start.date()).days + 1]
    made = [
        one_of(rng.choice(LOCAL).format(who=who), clock, wrong_clock, rng),
        yes_no(f"Does it start between {early}:00 and {late}:00 on the clock of {who}?", inside),
        one_of(
            f"When {host} starts, which date is it for {who}, seen from {host}?",
            relation,
            [day for day in days if day != relation],
            rng,
        ),
        yes_no(f"Is the clock of {pair[0]} ahead of that of {pair[1]}?", ahead),
        one_of(
            f"How many hours lie between the clocks of {pair[0]} and {pair[1]}?",
            str(apart),
            [str(k) for k in near(apart, 3, 1, rng)],
            rng,
        ),
        one_of(f"When does it end on the clock of {host}?", ends, wrong_ends, rng),
    ]
    for query in rng.sample(made, rng.randint(2, 4)):
        yield put(origin, state, query)


def offset(hours: int) -> str:
    return f"UTC{hours:+d}" if hours else "UTC"


WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
FORMATS = ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%a %d %b %Y", "%A, %d %B %Y")
FILES: Mapping[str, Sequence[str]] = {
    "Tenancy": (
        "viewing of the flat",
        "signing of the lease",
        "handing over of the keys",
        "first rent",
        "check of the meters",
        "notice to quit",
        "moving out",
        "return of the deposit",
    ),
    "Insurance case": (
        "storm damage",
        "report of the damage",
        "visit of the assessor",
        "estimate of the roofer",
        "letter of acceptance",
        "payment to the insured",
        "closing of the case",
    ),
    "Patent": (
        "filing",
        "search report",
        "reply to the examiner",
        "publication",
        "oral hearing",
        "grant",
        "payment of the yearly fee",
        "opposition",
    ),
    "Thesis": (
        "choice of the topic",
        "approval of the plan",
        "end of the field work",
        "first draft",
        "comments of the supervisor",
        "submission",
        "defence",
        "printing",
    ),
    "Vaccine batch": (
        "start of production",
        "filling",
        "sampling",
        "laboratory result",
        "release by the inspector",
        "arrival at the depot",
        "expiry",
    ),
    "Court case": (
        "complaint",
        "service of the complaint",
        "defence statement",
        "naming of witnesses",
        "hearing",
        "judgment",
        "appeal",
        "payment of costs",
    ),
    "House building": (
        "purchase of the land",
        "building permit",
        "digging of the pit",
        "pouring of the slab",
        "roofing",
        "fitting of windows",
        "acceptance by the owner",
        "first night in the house",
    ),
    "Magazine issue": (
        "editorial meeting",
        "closing day for articles",
        "closing day for adverts",
        "layout",
        "proofreading",
        "delivery to the printer",
        "shipping",
        "sale in the shops",
    ),
}
SAID = (
    "the {name} is dated {day}.",
    "on {day} came the {name}.",
    "{day} was the day of the {name}.",
    "the {name} took place on {day}.",
)
CALENDAR = ("calendar days", "days (weekends included)", "days (Saturdays and Sundays count)")
BUSINESS = ("business days (Monday to Friday)", "working days (Saturdays and Sundays do not count)")
DEADLINES = (
    "Rule: the {last} must come within {count} {unit} of the {first}, whose day is not counted.",
    "The {last} is due at the latest {count} {unit} after the {first}, whose day is day zero.",
    "No more than {count} {unit} may pass until the {last}; the {first} is day zero.",
)
EARLIEST = ("Which step came first?", "What is earliest?", "Which of these has the oldest date?")
LATEST = ("Which step came last?", "What is latest?", "Which of these has the most recent date?")
BEFORE = (
    "Was the {a} before the {b}?",
    "Does the {a} come earlier than the {b}?",
    "Is the date of the {a} ahead of that of the {b}?",
)
AFTER = (
    "Was the {a} after the {b}?",
    "Does the {a} come later than the {b}?",
    "Had the {b} already happened when the {a} came?",
)
BETWEEN = (
    "How many days lie from one to the other: {a}, {b}?",
    "By how many days do the {a} and the {b} differ?",
    "What is the distance in days between the {a} and the {b}?",
)
MORE_DAYS = (
    "Are the {a} and the {b} more than {bound} days apart?",
    "Do more than {bound} days separate the {a} and the {b}?",
)
WEEKDAY = ("On which weekday is the {name}?", "What day of the week does the {name} fall on?")
IN_TIME = (
    "Was the {last} in time?",
    "Did the {last} keep the deadline?",
    "Is the {last} within the limit?",
)
LATE = (
    "Was the {last} late?",
    "Did the {last} miss its deadline?",
    "Is the {last} overdue on its date?",
)
DUE = (
    "What is the last day for the {last}?",
    "By which date was the {last} due?",
    "When does the time for the {last} run out?",
)
HOW_LATE = (
    "How late was the {last}?",
    "Grade the delay of the {last}.",
    "Delay of the {last} in calendar days past the due date?",
)
ZONES = (
    "{who} works from {site} House ({offset}).",
    "{who} is at {site} Point, {offset}.",
    "For {who} the clock shows {offset} (office {site}).",
    "{who}: {offset}.",
)
MEETING = (
    "{host} calls a meeting for {start} on {day}, by the clock of {host}, of {length} minutes.",
    "A call starts on {day} at {start} by the clock of {host} and lasts {length} minutes.",
    "On {day}, {start} for {host}, everybody meets online for {length} minutes.",
)
LOCAL = (
    "At what time does it start for {who}?",
    "What does the clock of {who} show at the start?",
    "Give the local starting time of {who}.",
)

SOURCE = Source(
    name=NAME,
    licence="CC0-1.0",
    read=read,
    about="our own generator: dates, deadlines, business days and time zones",
    kind="generator",
    cap=20_000,
)
