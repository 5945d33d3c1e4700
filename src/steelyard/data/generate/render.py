"""The same facts as prose, fields, JSON, table, log, chat, letter and mixtures of them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from steelyard.data.generate.facts import Attribute, Domain, Facts, Number, Value, capital
from steelyard.data.generate.words import PADDING, PEOPLE, SURNAMES, asides
from steelyard.types.content import Content, Json

FORMS = (
    "prose",
    "prose",
    "prose",
    "bullets",
    "letter",
    "letter",
    "fields",
    "json",
    "nested",
    "table",
    "log",
    "chat",
    "chat",
    "mixed",
    "yaml",
    "form",
)


def render(
    domain: Domain,
    facts: Facts,
    rng: Random,
    *,
    name: str | None = None,
    form: str | None = None,
    extra: Sequence[str] = (),
) -> Content:
    """A text or a JSON object that states all facts, in an order of its own.

    Args:
        name: how the thing is called, such as "booking K-204"; drawn if None.
        form: one of FORMS; drawn if None.
        extra: sentences to mix in, such as irrelevant ones.
    """
    chosen = form or rng.choice(FORMS)
    name = name or f"{domain.thing} {code(rng)}"
    given = [domain[key] for key in facts]
    rng.shuffle(given)
    if chosen in ("json", "nested", "mixed"):
        return _structured(domain, facts, given, name, chosen, extra, rng)
    if chosen in ("fields", "yaml", "form", "table"):
        return _fields(domain, facts, given, name, chosen, extra, rng)
    said = [attribute.sentence(facts[attribute.key], rng) for attribute in given]
    for sentence in extra:
        said.insert(rng.randint(0, len(said)), sentence)
    if chosen == "prose":
        opening = rng.choice(OPENINGS).format(name=name, Name=capital(name), domain=domain.name)
        return " ".join([opening, *said]) if opening else " ".join(said)
    if chosen == "bullets":
        mark = rng.choice(("- ", "* ", "• "))
        return "\n".join([f"{capital(name)}:", *(mark + sentence for sentence in said)])
    if chosen == "letter":
        return _letter(name, said, rng)
    if chosen == "log":
        return _log(name, said, rng)
    return _chat(name, said, rng)


def as_text(content: Content) -> str:
    """A content as text, for states that hold several: objects as indented lines."""
    return content if isinstance(content, str) else "\n".join(_lines(content, 0))


def code(rng: Random) -> str:
    """An identifier such as K-204."""
    letters = rng.choice(("A", "B", "C", "K", "M", "R", "T", "W", "X", "QA", "ZR", "#", "no. "))
    digits = str(rng.randint(101, 9899))
    return letters + digits if letters in ("#", "no. ") else f"{letters}-{digits}"


def _structured(
    domain: Domain,
    facts: Facts,
    given: Sequence[Attribute],
    name: str,
    form: str,
    extra: Sequence[str],
    rng: Random,
) -> dict[str, Json]:
    body: dict[str, Json] = {rng.choice(("id", "name", "ref", "subject")): name}
    note = list(extra)
    if form == "mixed":
        half = rng.randint(1, len(given))
        note += [attribute.sentence(facts[attribute.key], rng) for attribute in given[half:]]
        given = given[:half]
        rng.shuffle(note)
    pairs: dict[str, Json] = {
        attribute.key: _json_value(attribute, facts[attribute.key], rng) for attribute in given
    }
    if form == "nested":
        body[rng.choice(("details", "data", "record", "facts"))] = pairs
    else:
        body.update(pairs)
    if note:
        body[rng.choice(("note", "comment", "message", "remarks"))] = " ".join(note)
    return body


def _json_value(attribute: Attribute, value: Value, rng: Random) -> Json:
    if isinstance(attribute, Number) and (attribute.unit != "{}" or rng.random() < 0.5):
        return attribute.write(value)
    return value


def _fields(
    domain: Domain,
    facts: Facts,
    given: Sequence[Attribute],
    name: str,
    form: str,
    extra: Sequence[str],
    rng: Random,
) -> str:
    pairs = [(a.key.replace("_", " "), a.write(facts[a.key])) for a in given]
    if form == "table":
        lines = ["| field | value |", "|---|---|", f"| {domain.thing} | {name} |"]
        lines += [f"| {key} | {value} |" for key, value in pairs]
    elif form == "yaml":
        lines = [f"{domain.thing.replace(' ', '_')}: {name}"]
        lines += [f"{key.replace(' ', '_')}: {value}" for key, value in pairs]
    elif form == "form":
        lines = [f"{domain.name.upper()} / {name}"]
        lines += [f"{capital(key)} ..... {value}" for key, value in pairs]
    else:
        lines = [capital(name), *(f"{capital(key)}: {value}" for key, value in pairs)]
    return "\n".join([*lines, *(f"Note: {sentence}" for sentence in extra)])


def _letter(name: str, said: Sequence[str], rng: Random) -> str:
    greeting = rng.choice(("Hello,", "Hi team,", "Dear colleagues,", "Good morning,", "Hey,"))
    subject = rng.choice((f"Subject: {name}\n\n", f"Re: {name}\n\n", ""))
    why = rng.choice(LETTER_OPENINGS).format(name=name)
    signed = f"{rng.choice(PEOPLE)} {rng.choice(SURNAMES)}"
    close = rng.choice(("Thanks,", "Best,", "Kind regards,", "Cheers,", "Many thanks,"))
    half = len(said) // 2
    body = " ".join(said[:half]) + rng.choice(("\n\n", " ")) + " ".join(said[half:])
    return f"{subject}{greeting}\n\n{why} {body}\n\n{close}\n{signed}"


def _log(name: str, said: Sequence[str], rng: Random) -> str:
    minute = rng.randint(360, 900)
    who = sample_people(2, rng)
    lines = []
    for sentence in said:
        minute += rng.randint(1, 25)
        stamp = f"{minute // 60:02d}:{minute % 60:02d}"
        lines.append(f"[{stamp}] {rng.choice(who)}: {sentence}")
    return "\n".join([f"== log of {name} ==", *lines])


def _chat(name: str, said: Sequence[str], rng: Random) -> str:
    first, second = sample_people(2, rng)
    lines = [f"{first}: {rng.choice(CHAT_OPENINGS).format(name=name)}"]
    for sentence in said:
        if rng.random() < 0.3:
            lines.append(f"{first}: {rng.choice(CHAT_FILLERS)}")
        lines.append(f"{second}: {sentence}")
    return "\n".join(lines)


def sample_people(count: int, rng: Random) -> list[str]:
    return rng.sample(PEOPLE, count)


def noise(count: int, rng: Random) -> list[str]:
    """Sentences that say nothing about any attribute."""
    return asides(count, rng)


def padding(rng: Random) -> list[str]:
    """A number of such sentences: mostly none or few, seldom enough for a page."""
    return asides(rng.choice(PADDING), rng)


def _lines(value: Json, depth: int) -> list[str]:
    pad = "  " * depth
    if isinstance(value, dict):
        lines: list[str] = []
        for key, item in value.items():
            if isinstance(item, dict | list):
                lines += [f"{pad}{key}:", *_lines(item, depth + 1)]
            else:
                lines.append(
                    f"{pad}{key}: {'yes' if item is True else 'no' if item is False else item}"
                )
        return lines
    if isinstance(value, list):
        return [line for item in value for line in _lines(item, depth)]
    return [f"{pad}{value}"]


OPENINGS = (
    "",
    "",
    "This concerns {name}.",
    "{Name}, as recorded today.",
    "Summary of {name} ({domain}).",
    "Here is what is known about {name}.",
    "A {domain} matter: {name}.",
    "We looked at {name}.",
    "{Name} came up this morning.",
    "Notes on {name}:",
)
LETTER_OPENINGS = (
    "I am writing about {name}.",
    "A few words on {name}.",
    "Here is where we stand with {name}.",
    "You asked for details of {name}.",
    "Please have a look at {name}.",
    "Quick update on {name}:",
    "I have just gone through the papers for {name}.",
    "This is about {name}, as promised.",
)
CHAT_OPENINGS = (
    "what do we have on {name}?",
    "can you fill me in on {name}?",
    "{name}, where are we?",
    "I'm looking at {name}. What should I know?",
    "anything on {name}?",
    "talk me through {name} please",
)
CHAT_FILLERS = (
    "ok",
    "go on",
    "got it",
    "and?",
    "right, what else",
    "noted",
    "thanks, more?",
    "I see",
    "hm, fine",
)
