"""Which queue a message belongs to: by topic, by region and topic, and by rules that override.

Forty-eight queues of six organisations with 4 core sentences each; messages from a grammar of 12
openings x 10 contexts x 12 closings x 3 orders in 6 layouts (plain, mail, form, JSON, chat, with
header fields); 3-40 options with or without descriptions, queue names in 4 spellings; overriding
rules of 5 kinds; about 35 question wordings: above 10^6 surface forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from steelyard.data.ask import Origin
from steelyard.data.generate.render import code
from steelyard.data.generate.rows import Query, graded, one_of, put, rows, yes_no
from steelyard.data.generate.topics import TOPICS, Topic
from steelyard.data.generate.words import PEOPLE, SURNAMES
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

NAME = "routing"


@dataclass(frozen=True, slots=True)
class Ticket:
    """A message's topic and what its header says; the wait is in hours."""

    topic: Topic
    region: str
    priority: int
    member: str
    channel: str
    wait: int


@dataclass(frozen=True, slots=True)
class Override:
    """A rule that sends a message elsewhere, whatever its topic: a field, its value, the queue."""

    field: str
    value: object
    queue: str

    def applies(self, ticket: Ticket) -> bool:
        found = getattr(ticket, self.field)
        return bool(found > self.value if self.field == "wait" else found == self.value)

    def words(self, rng: Random) -> str:
        clause = FIELD_CLAUSES[self.field].format(value=self.value)
        return rng.choice(OVERRIDE).format(clause=clause, queue=self.queue)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    yield from rows(NAME, rng, row)


def row(origin: Origin, rng: Random) -> Iterator[Example]:
    yield from rng.choice((topical, topical, regional, overridden))(origin, rng)


def topical(origin: Origin, rng: Random) -> Iterator[Example]:
    """Among the queues of the organisation, or of several organisations."""
    house = rng.choice(list(TOPICS))
    ticket = draw_ticket(rng.choice(TOPICS[house]), rng)
    state, told = message(ticket, rng)
    spell = rng.choice(SPELLINGS)
    describe = rng.random() < 0.55
    wide = rng.random() < 0.4
    near = [topic for topic in TOPICS[house] if topic is not ticket.topic]
    if wide:
        far = [t for other in TOPICS if other != house for t in TOPICS[other]]
        wrong = near + rng.sample(far, rng.choice((5, 9, 13, 18, 25, 32)))
    else:
        wrong = rng.sample(near, rng.randint(2, len(near)))
    asked = rng.choice(WHERE)
    yield put(origin, state, queue_choice(asked, ticket.topic, wrong, spell, describe, rng))
    right = rng.random() < 0.5
    claimed = ticket.topic if right else rng.choice(near)
    asked = rng.choice(BELONGS).format(queue=spell.format(claimed.name), about=low(claimed.about))
    yield put(origin, state, yes_no(asked, right))
    if rng.random() < 0.6:
        right = rng.random() < 0.5
        claimed = ticket.topic if right else rng.choice(near)
        asked = rng.choice(MATTER).format(about=low(claimed.about))
        yield put(origin, state, yes_no(asked, right))
    yield from (put(origin, state, query) for query in header_questions(ticket, told, rng))


def regional(origin: Origin, rng: Random) -> Iterator[Example]:
    """One queue for each topic and region: up to 40."""
    house = rng.choice(list(TOPICS))
    topics = rng.sample(TOPICS[house], rng.randint(2, 8))
    regions = rng.sample(REGIONS, rng.randint(2, 5))
    ticket = draw_ticket(rng.choice(topics), rng, region=rng.choice(regions))
    state, told = message(ticket, rng, always=("region",))
    names = {f"{topic.name} {region}": (topic, region) for topic in topics for region in regions}
    described = {
        name: f"{topic.about}; for the region {region}" for name, (topic, region) in names.items()
    }
    gold = f"{ticket.topic.name} {ticket.region}"
    wrong = [name for name in names if name != gold]
    describe = described if rng.random() < 0.6 else None
    yield put(origin, state, one_of(rng.choice(WHERE), gold, wrong, rng, describe=describe))
    right = rng.random() < 0.5
    claimed = gold if right else rng.choice(wrong)
    topic, region = names[claimed]
    asked = f"The queue {claimed} takes: {low(topic.about)}, region {region} only. "
    yield put(origin, state, yes_no(asked + rng.choice(RIGHT_QUEUE).format(queue=claimed), right))
    yield from (put(origin, state, query) for query in header_questions(ticket, told, rng))


def overridden(origin: Origin, rng: Random) -> Iterator[Example]:
    """By topic, unless one of the overriding rules applies; the first that does wins."""
    house = rng.choice(list(TOPICS))
    topics = rng.sample(TOPICS[house], rng.randint(3, 8))
    overrides = draw_overrides(rng)
    ticket = draw_ticket(rng.choice(topics), rng)
    wanted = rng.choice([None, *overrides])
    for _ in range(60):
        if next((rule for rule in overrides if rule.applies(ticket)), None) is wanted:
            break
        ticket = draw_ticket(rng.choice(topics), rng)
    gold = destination(ticket, overrides)
    state, told = message(ticket, rng, always=tuple(rule.field for rule in overrides))
    rules = " ".join(rule.words(rng) for rule in overrides)
    rules = f"{rules} {rng.choice(REST)}" + (
        " The first rule that fits counts." if len(overrides) > 1 else ""
    )
    queues = {topic.name: topic.about for topic in topics}
    queues |= {rule.queue: SPECIAL[rule.queue] for rule in overrides}
    if rng.random() < 0.5:
        listed = "; ".join(f"{name} ({low(text)})" for name, text in queues.items())
        rules = f"{rules} Queues by topic: {listed}."
        described = None
    else:
        described = queues
    inside = rng.random() < 0.4 and isinstance(state, str)
    placed: Content = f"{rules}\n\n{state}" if inside else state
    prefix = "" if inside else f"{rules} "
    wrong = [name for name in queues if name != gold]
    asked = prefix + rng.choice(WHERE)
    yield put(origin, placed, one_of(asked, gold, wrong, rng, describe=described))
    right = rng.random() < 0.5
    claimed = (
        gold if right else (ticket.topic.name if gold != ticket.topic.name else rng.choice(wrong))
    )
    asked = prefix + rng.choice(RIGHT_QUEUE).format(queue=claimed)
    yield put(origin, placed, yes_no(asked, right))
    rule = rng.choice(overrides)
    clause = FIELD_CLAUSES[rule.field].format(value=rule.value)
    yield put(origin, placed, yes_no(f"Does it hold that {clause}?", rule.applies(ticket)))
    yield from (put(origin, placed, query) for query in header_questions(ticket, told, rng))


def destination(ticket: Ticket, overrides: Sequence[Override]) -> str:
    """The queue of the first override that applies, else the topic's."""
    return next((rule.queue for rule in overrides if rule.applies(ticket)), ticket.topic.name)


def draw_overrides(rng: Random) -> list[Override]:
    values = {
        "priority": rng.choice((1, 1, 4)),
        "region": rng.choice(REGIONS),
        "member": rng.choice(MEMBERS),
        "channel": rng.choice(CHANNELS),
        "wait": rng.choice((12, 24, 48)),
    }
    fields = rng.sample(list(values), rng.choice((1, 1, 2, 3)))
    queues = rng.sample(list(SPECIAL), len(fields))
    return [Override(f, values[f], queue) for f, queue in zip(fields, queues, strict=True)]


def draw_ticket(topic: Topic, rng: Random, region: str | None = None) -> Ticket:
    return Ticket(
        topic,
        region or rng.choice(REGIONS),
        rng.randint(1, 4),
        rng.choice(MEMBERS),
        rng.choice(CHANNELS),
        rng.randint(0, 72),
    )


def queue_choice(
    asked: str, gold: Topic, wrong: Sequence[Topic], spell: str, describe: bool, rng: Random
) -> Query:
    names = {topic: spell.format(topic.name) for topic in (gold, *wrong)}
    shown = {names[topic]: topic.about for topic in names} if describe else None
    return one_of(asked, names[gold], [names[topic] for topic in wrong], rng, describe=shown)


def message(
    ticket: Ticket, rng: Random, always: Sequence[str] = ()
) -> tuple[Content, tuple[str, ...]]:
    """The message in one of six layouts, and which header fields it shows.

    Args:
        always: fields that must be shown.
    """
    said = [rng.choice(OPENINGS), rng.choice(ticket.topic.says), rng.choice(CLOSINGS)]
    if rng.random() < 0.6:
        said.insert(
            rng.choice((1, 2)), rng.choice(CONTEXTS).format(code=code(rng), day=rng.randint(4, 20))
        )
    body = " ".join(part for part in said if part)
    shown = [field for field in FIELD_NAMES if field in always or rng.random() < 0.45]
    if not always and rng.random() < 0.3:
        shown = []
    rng.shuffle(shown)
    told = {rng.choice(FIELD_NAMES[field]): _field(ticket, field) for field in shown}
    sender = f"{rng.choice(PEOPLE)} {rng.choice(SURNAMES)}"
    layout = rng.randrange(6)
    if layout == 0:
        return {"from": sender, **told, "text": body}, tuple(shown)
    if layout == 1:
        return {"message": body, "meta": {"sender": sender, **told}}, tuple(shown)
    head = [f"{key}: {value}" for key, value in told.items()]
    if layout == 2:
        return "\n".join([f"From: {sender}", *head, "", body, sender]), tuple(shown)
    if layout == 3:
        return "\n".join([body, "--", *head]) if head else body, tuple(shown)
    if layout == 4:
        lines = [f"{sender}: {part}" for part in said if part]
        return "\n".join([*head, *lines]), tuple(shown)
    return (f"[{', '.join(head)}] {body}" if head else body), tuple(shown)


def _field(ticket: Ticket, field: str) -> str:
    value = getattr(ticket, field)
    return {"priority": f"P{value}", "wait": f"{value} h"}.get(field, str(value))


def header_questions(ticket: Ticket, shown: Sequence[str], rng: Random) -> Iterator[Query]:
    """Questions about the header fields that the message shows."""
    for field in rng.sample(shown, min(len(shown), rng.choice((0, 1, 1, 2)))):
        if field == "priority":
            levels = [f"P{k}" for k in (4, 3, 2, 1)]
            asked = rng.choice(("What is the priority, lowest (P4) to highest (P1)?", "Priority?"))
            yield graded(asked, levels, 4 - ticket.priority)
        elif field == "wait":
            limit = rng.choice((4, 8, 12, 24, 36, 48))
            over = ticket.wait > limit
            yield yes_no(rng.choice(WAITED).format(limit=limit), over)
        else:
            pool = {"region": REGIONS, "member": MEMBERS, "channel": CHANNELS}[field]
            value = str(getattr(ticket, field))
            wrong = rng.sample([text for text in pool if text != value], 2)
            yield one_of(rng.choice(FIELD_ASKED[field]), value, wrong, rng)


def low(text: str) -> str:
    return text[:1].lower() + text[1:]


REGIONS = ("north", "south", "east", "west", "islands", "centre", "overseas", "border")
MEMBERS = ("guest", "basic", "silver", "founder", "press", "staff")
CHANNELS = ("phone", "web form", "counter", "mail", "chat", "fax")
FIELD_NAMES = {
    "region": ("Region", "Area", "Zone"),
    "priority": ("Priority", "Prio"),
    "member": ("Sender type", "Membership"),
    "channel": ("Channel", "Came by", "Received via"),
    "wait": ("Waiting", "Open for", "Age"),
}
FIELD_CLAUSES = {
    "region": "the region is {value}",
    "priority": "the priority is P{value}",
    "member": "the sender type is {value}",
    "channel": "it was received by {value}",
    "wait": "it has been open for more than {value} hours",
}
FIELD_ASKED = {
    "region": ("Which region is given?", "Where does it come from?"),
    "member": ("What type of sender is it?", "Which membership is noted?"),
    "channel": ("How was it received?", "By which channel did it come?"),
}
WAITED = (
    "Has it been open for more than {limit} hours?",
    "The target is {limit} hours. Has it been missed?",
    "Answer within {limit} hours was promised. Is that time over?",
)
SPECIAL = {
    "duty manager": "Takes over what must not wait",
    "back office": "Handles what the usual queues do not take",
    "founders' desk": "Looks after selected senders",
    "archive team": "Clears up what has lain too long",
    "coordination": "Keeps cases of one kind in one hand",
    "external service": "A firm that works for us",
}
OVERRIDE = (
    "If {clause}, it goes to {queue}, whatever it is about.",
    "When {clause}, use {queue}.",
    "{queue} gets everything where {clause}.",
    "Regardless of the topic: if {clause}, then {queue}.",
)
REST = ("All others go by topic.", "Otherwise the topic decides.", "The rest is sorted by content.")
SPELLINGS = ("{}", "{}", "queue: {}", "{} desk", "team {}")
OPENINGS = (
    "",
    "",
    "Hello,",
    "Good morning.",
    "Dear team,",
    "Hi there!",
    "To whom it may concern:",
    "Sorry to bother you.",
    "I hope you can help.",
    "Just a short one:",
    "I am a bit lost here.",
    "Me again.",
    "Quick question.",
)
CONTEXTS = (
    "My reference is {code}.",
    "I tried to call on the {day}th but nobody picked up.",
    "My neighbour told me to write to you.",
    "It has been like this since the {day}th.",
    "I found your address on the website.",
    "I already wrote about it once ({code}).",
    "I am asking on behalf of my mother.",
    "This is the first time that I turn to you.",
    "I will be away from the {day}th.",
    "Other people have the same problem, I am told.",
)
CLOSINGS = (
    "",
    "",
    "Thanks a lot.",
    "Please let me know.",
    "Looking forward to hearing from you.",
    "Can somebody look into it?",
    "Kind regards",
    "Have a nice day!",
    "I would be glad of an answer.",
    "Thank you for your time.",
    "What can be done?",
    "No hurry.",
    "Please answer soon.",
)
WHERE = (
    "Where does this message go?",
    "Which queue takes it?",
    "Route it.",
    "Who is to deal with this?",
    "Send the message to the fitting queue.",
    "Pick the desk for this message.",
    "Which team is this for?",
    "Assign a queue.",
    "Whose business is it?",
)
BELONGS = (
    "Does this belong to {queue} ({about})?",
    'Should it be sent to "{queue}", which deals with {about}?',
    "{queue} is for {about}. Is the message in the right place there?",
    "Is this one for {queue}: {about}?",
)
MATTER = (
    "Is the message about this: {about}?",
    "Does the writer's concern fall under {about}?",
    "Would you file it under {about}?",
)
RIGHT_QUEUE = (
    "Is {queue} the right queue?",
    "Does the message go to {queue}?",
    "Was it correct to send it to {queue}?",
)

SOURCE = Source(
    name=NAME,
    licence="CC0-1.0",
    read=read,
    about="our own generator: messages to route by topic, region and overriding rules",
    kind="generator",
    cap=40_000,
)
