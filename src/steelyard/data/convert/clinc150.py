"""CLINC150: 150 intents in ten domains, and messages that fit none of them (Larson et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from steelyard.data import ask
from steelyard.data.ask import NONE_OF_THESE, Origin, Wordings, pick
from steelyard.data.convert.clinc150_intents import INTENTS
from steelyard.data.files import read_json
from steelyard.data.source import Source
from steelyard.types.content import Content
from steelyard.types.example import Example

OUT_OF_SCOPE = "oos"
PER_OUT_OF_SCOPE = 12
"""Examples made of each of the few messages that are out of scope."""

INTENT = Wordings(
    choice=(
        "What does the user want?",
        "Which intent does this message express?",
        "Route the message to the skill that should handle it.",
        "You are the router of a voice assistant. Choose the intent of the user's utterance.",
        "Pick the intent that fits the request best.",
        "Which of these did the user ask for?",
        "What is the request about?",
        "intent",
        "Classify the utterance.",
        "Select the handler for this message.",
    ),
    noul=(
        "Is this a request about: {answer}?",
        'Does the message belong to the intent "{answer}"?',
        'Should it be routed to "{answer}"?',
        'The classifier said "{answer}". Is it right?',
        "Is {answer} what the user wants?",
        "intent = {answer}?",
        "Would a skill named {answer} be the right one for this message?",
    ),
)

DOMAIN = Wordings(
    choice=(
        "Which domain does the message belong to?",
        "What area is this request from?",
        "Which team's assistant should answer?",
        "Choose the topic.",
        "domain of the utterance",
        "Dispatch the message to one of the departments.",
        "First routing step: which domain?",
    ),
    noul=(
        'Does the message belong to the domain "{answer}"?',
        "Is this request about {answer}?",
        "domain: {answer}?",
        "Would the {answer} team be responsible for it?",
        "Is {answer} the area that the user speaks of?",
        'The message was sent to "{answer}". Was that right?',
    ),
)

ANY_OF = (
    "Is the message about any of these: {answers}?",
    "Can one of these skills handle the request? {answers}",
    "The assistant knows only these intents: {answers}. Is the message in scope?",
    "Does any of the following fit what the user wants: {answers}?",
    "in scope? Known intents: {answers}",
    "Supported requests are {answers}. Is this one of them?",
    "Check whether the user's request falls under one of: {answers}.",
)


def read(folder: Path, rng: Random) -> Iterator[Example]:
    parts = read_json(folder / "clinc150/data_full_train_val.json.gz")
    domains = read_json(folder / "clinc150/domains.json")
    rows = [
        (f"{part}-{index}", text, intent)
        for part, messages in parts.items()
        for index, (text, intent) in enumerate(messages)
    ]
    rng.shuffle(rows)
    for group, text, intent in rows:
        origin = Origin(SOURCE.name, SOURCE.licence, group)
        state: Content = text if rng.random() < 0.85 else {"message": text}
        if intent == OUT_OF_SCOPE:
            yield from _out_of_scope(origin, state, domains, rng)
        else:
            yield from _in_scope(origin, state, intent, domains, rng)


def _in_scope(
    origin: Origin, state: Content, intent: str, domains: dict[str, list[str]], rng: Random
) -> Iterator[Example]:
    domain = next(name for name, intents in domains.items() if intent in intents)
    near = rng.random() < 0.3
    names = _names(rng)
    yield from pick(
        origin,
        state,
        INTENT,
        names[intent],
        [names[name] for name in (domains[domain] if near else INTENTS)],
        rng,
        describe={names[name]: meaning for name, meaning in INTENTS.items()},
        wide=0.0 if near else 0.15,
        none=0.25,
        closed=True,
    )
    if rng.random() < 0.2:
        pool = [_spoken(name) for name in domains]
        sizes = (2, 3, 4, 5, 7, 10, 10)
        yield from pick(
            origin, state, DOMAIN, _spoken(domain), pool, rng, sizes=sizes, verify=0.5, closed=True
        )
    if rng.random() < 0.15:
        inside = rng.random() < 0.5
        shown = _other_intents(intent, domains, rng, rng.randint(2, 12))
        if inside:
            shown[rng.randrange(len(shown))] = intent
        yield _any_of(origin, state, shown, inside, rng)


def _out_of_scope(
    origin: Origin, state: Content, domains: dict[str, list[str]], rng: Random
) -> Iterator[Example]:
    for _ in range(PER_OUT_OF_SCOPE):
        if rng.random() < 0.35:
            shown = _other_intents("", domains, rng, rng.randint(2, 12))
            yield _any_of(origin, state, shown, False, rng)
            continue
        wide = rng.random() < 0.15
        count = len(INTENTS) if wide else rng.choice(ask.SIZES)
        names = _names(rng)
        meanings = rng.random() < 0.5
        options: dict[str, Content | None] = {
            names[name]: INTENTS[name] if meanings else None
            for name in _other_intents("", domains, rng, count)
        }
        options[rng.choice(NONE_OF_THESE)] = None
        yield ask.choice(origin, state, rng.choice(INTENT.choice), options, len(options) - 1)


def _any_of(
    origin: Origin, state: Content, intents: Sequence[str], inside: bool, rng: Random
) -> Example:
    answers = "; ".join(_spoken(name) for name in intents)
    return ask.noul(origin, state, rng.choice(ANY_OF).format(answers=answers), inside)


def _other_intents(
    intent: str, domains: dict[str, list[str]], rng: Random, count: int
) -> list[str]:
    """Intents other than one, from a domain or two where few are asked for, else from all."""
    wanted = rng.sample(list(domains), 2) if count <= 12 and rng.random() < 0.4 else list(domains)
    pool = [name for domain in wanted for name in domains[domain] if name != intent]
    return rng.sample(pool, min(count, len(pool)))


def _names(rng: Random) -> dict[str, str]:
    """How the options spell the intents, in one example: with spaces or as identifiers."""
    spell = _spoken if rng.random() < 0.75 else str
    return {name: spell(name) for name in INTENTS}


def _spoken(name: str) -> str:
    return name.replace("_", " ")


SOURCE = Source(
    name="clinc150",
    licence="CC-BY-3.0",
    read=read,
    about="Larson et al. 2019, An Evaluation Dataset for Intent Classification and "
    "Out-of-Scope Prediction",
)
