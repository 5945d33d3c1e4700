"""Statements judged from rules and facts: true, false, or not settled by them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Literal, TypeAlias

from steelyard.data.ask import Origin, choice
from steelyard.data.claim import Claim, claim
from steelyard.types.content import Content
from steelyard.types.example import Example

Verdict: TypeAlias = Literal["true", "false", "unknown"]

NAMES: tuple[dict[Verdict, str], ...] = (
    {"true": "True", "false": "False", "unknown": "Unknown"},
    {"true": "true", "false": "false", "unknown": "uncertain"},
    {"true": "entailed", "false": "contradicted", "unknown": "neither"},
    {"true": "yes", "false": "no", "unknown": "cannot be told"},
    {"true": "proved", "false": "disproved", "unknown": "open"},
    {"true": "follows", "false": "its opposite follows", "unknown": "undetermined"},
)
MEANING: dict[Verdict, str] = {
    "true": "the statement must hold if everything given holds",
    "false": "the statement cannot hold if everything given holds",
    "unknown": "what is given settles neither the statement nor its opposite",
}

JUDGE = (
    "Judge the statement by what is given: {statement}",
    'From this information alone, what is the status of "{statement}"?',
    'Is "{statement}" true, false, or undecided here?',
    "Statement: {statement} What can be concluded about it?",
    "{statement}",
    "Taking every line above as true and nothing else, decide about this: {statement}",
    'A colleague claims: "{statement}" What does the material say?',
    "verdict on: {statement}",
)
FOLLOWS: tuple[Claim, ...] = (
    "Does this follow: {statement}",
    'Does "{statement}" follow from what is given?',
    'Can it be proved that "{statement}"?',
    "Must this be true, given the above? {statement}",
    "follows? {statement}",
    'Someone concludes: "{statement}" Is that conclusion forced?',
    {
        "true": 'it follows that "{statement}"',
        "false": 'it does not follow that "{statement}"',
    },
    {
        "true": "{statement} This is certain.",
        "false": "{statement} This is false, or cannot be told.",
    },
)
REFUTED: tuple[Claim, ...] = (
    'Is "{statement}" ruled out by what is given?',
    "Does the information contradict this? {statement}",
    "Can this be shown to be false? {statement}",
    'Would it be inconsistent with the above to say "{statement}"?',
    "contradicted? {statement}",
    {
        "true": 'it follows that "{statement}" is false',
        "false": '"{statement}" is true, or may be',
    },
)
SETTLED: tuple[Claim, ...] = (
    'Is there enough information to decide whether "{statement}"?',
    "Can this be settled either way from the above? {statement}",
    "Does what is given prove or disprove this? {statement}",
    "decidable from the given facts? {statement}",
    "Do we know whether the following is so? {statement}",
    {
        "true": '"{statement}" is proved or disproved',
        "false": '"{statement}" is left open',
    },
)

WHICH = (
    "Which of these statements follows?",
    "Only one of these can be proved from what is given. Which?",
    "Pick the conclusion that is certain.",
    "Which conclusion is forced by the information?",
    "Choose what must be true.",
    "valid conclusion",
    "One of the statements is entailed; the others are false or open. Find it.",
)


def judged(
    origin: Origin,
    state: Content,
    statement: str,
    verdict: Verdict,
    rng: Random,
    *,
    noul: float = 0.7,
) -> Iterator[Example]:
    """The verdict on a statement as a choice, and with a chance of `noul` as a yes/no question."""
    names = rng.choice(NAMES)
    order: list[Verdict] = ["true", "false", "unknown"]
    rng.shuffle(order)
    described = rng.random() < 0.5
    yield choice(
        origin,
        state,
        rng.choice(JUDGE).format(statement=statement),
        {names[option]: MEANING[option] if described else None for option in order},
        order.index(verdict),
    )
    if rng.random() < noul:
        wordings, yes = rng.choice(
            (
                (FOLLOWS, verdict == "true"),
                (FOLLOWS, verdict == "true"),
                (REFUTED, verdict == "false"),
                (SETTLED, verdict != "unknown"),
            )
        )
        yield claim(origin, state, wordings, yes, rng, statement=statement)


def which_follows(
    origin: Origin,
    state: Content,
    statements: Sequence[tuple[str, Verdict]],
    rng: Random,
    *,
    limit: int = 5,
) -> Iterator[Example]:
    """For each statement that follows, a choice of it among up to `limit` - 1 that do not."""
    wrong = sorted({text for text, verdict in statements if verdict != "true"})
    right = sorted({text for text, verdict in statements if verdict == "true"} - set(wrong))
    for gold in right:
        if not wrong:
            return
        size = rng.randint(1, min(limit - 1, len(wrong)))
        options = [gold, *rng.sample(wrong, size)]
        rng.shuffle(options)
        yield choice(origin, state, rng.choice(WHICH), options, options.index(gold))
