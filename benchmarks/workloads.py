"""Deterministic workloads: the same seed gives the same bytes, whatever the machine.

`shape777` is the shape that shared prefixes are for, 37 long states x 21 yes/no criteria;
`unequal64` is what packing is for, one state with 64 questions of 5 to 400 words and more;
`directory` is one lookup among many options whose answer the state names verbatim.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from itertools import cycle, islice
from random import Random

from benchmarks.documents import KINDS, MINUTES_SENTENCES, document, words
from steelyard.types.question import Choice, Noul
from steelyard.types.request import Request

NUM_STATES = 37
STATE_CHARACTERS = {  # about 1,800 tokens each: names and figures take more tokens than prose
    "incident log": 6100,
    "contract": 6750,
    "purchase order": 5300,
    "mail thread": 6100,
    "minutes": 6800,
    "inspection": 6700,
}


def shape777(seed: int = 777) -> tuple[Request, ...]:
    """37 documents of about 1,800 tokens (5,300 to 7,400 characters), each with 21 criteria."""
    random = Random(seed)
    kinds = islice(cycle(KINDS), NUM_STATES)
    return tuple(
        Request(state=document(kind, random, STATE_CHARACTERS[kind]), questions=criteria())
        for kind in kinds
    )


def criteria() -> dict[str, Noul]:
    """21 yes/no criteria that fit any document, in short and in medium wording."""
    short = {f"short-{index:02d}": Noul(text) for index, text in enumerate(SHORT)}
    medium = {
        f"medium-{index:02d}": Noul(text, {"true": yes, "false": no})
        for index, (text, yes, no) in enumerate(MEDIUM)
    }
    return short | medium


def unequal64(seed: int = 64) -> Request:
    """One document of about 2,000 characters with 64 criteria, from 5 to over 400 words long."""
    lengths = [round(5 * 84 ** (index / 63)) for index in range(64)]  # geometric, 5 to 420
    return _criteria_of(lengths, seed)


def equal64(seed: int = 64) -> Request:
    """The document and the number of words of `unequal64`, the words shared out evenly."""
    lengths = [len(str(item.instructions).split()) for item in unequal64(seed).questions.values()]
    shorter, longer = divmod(sum(lengths), 64)
    return _criteria_of([shorter + (index < longer) for index in range(64)], seed)


def directory(num_options: int, position: int, seed: int = 255, state: str = "") -> Request:
    """A ticket that names its queue, and a choice among queues with that one at `position`.

    Args:
        num_options: 2 to 255 queues, in an order that says nothing about their numbers.
        position: place of the right one, counted from 1.
        seed: draws the queues and the right one.
        state: text to put before the ticket.
    """
    random = Random(seed)
    names = [f"{place} {desk}" for place in PLACES for desk in DESKS]
    random.shuffle(names)
    queues = [f"Q-{number:03d} {name}" for number, name in enumerate(names, start=1)]
    random.shuffle(queues)
    right, others = queues[0], queues[1:num_options]
    others.insert(position - 1, right)
    ticket = (
        f"Ticket {random.randint(10000, 99999)}. The caller was put through to the right desk at "
        f"once. The ticket belongs to queue {right}. Nothing else is known about it."
    )
    return Request(
        state=f"{state}\n\n{ticket}" if state else ticket,
        questions={"queue": Choice("Which queue does the ticket belong to?", others)},
    )


def right_queue(request: Request) -> str:
    """The label that a `directory` request's state names."""
    assert isinstance(request.state, str)
    return request.state.rsplit("belongs to queue ", 1)[1].split(".", 1)[0]


def digest(requests: Sequence[Request]) -> str:
    """sha256 over states and questions, to pin a workload."""
    plain = [
        [request.state, {name: _plain(item) for name, item in request.questions.items()}]
        for request in requests
    ]
    return hashlib.sha256(json.dumps(plain, ensure_ascii=False).encode()).hexdigest()


def _plain(question: object) -> list[object]:
    assert isinstance(question, Noul | Choice)
    return [question.instructions, question.criteria]


def _criteria_of(num_words: Sequence[int], seed: int) -> Request:
    random = Random(seed)
    state = document("contract", random, 2000)
    lengths = random.sample(num_words, len(num_words))
    return Request(
        state=state,
        questions={
            f"criterion-{index:02d}": Noul(_wordy(random, length))
            for index, length in enumerate(lengths)
        },
    )


def _wordy(random: Random, num_words: int) -> str:
    """A criterion of exactly `num_words` words."""
    text = ["Is", "the", "following", "true", "here?"]
    while len(text) < num_words:
        sentence = random.choice(MINUTES_SENTENCES).format(
            person="the manager",
            company="the supplier",
            city="the town",
            date="the agreed day",
            product="part",
            service="service",
            few=random.randint(2, 9),
            many=random.randint(12, 480),
            percent=random.randint(3, 85),
            money=f"{random.randint(2, 98)},000 EUR",
        )
        text += sentence.split()
    return " ".join(text[:num_words])


SHORT = (
    "Is money owed?",
    "Is a deadline named?",
    "Is anyone unhappy?",
    "Is a city named?",
    "Did something fail?",
    "Is a person promised an answer?",
    "Is a supplier to be replaced?",
    "Is anything said about safety?",
    "Is a return of goods mentioned?",
    "Has a delivery been late?",
    "Is a signature missing?",
)

MEDIUM = (
    (
        "Does the document oblige someone to pay an amount of money that it states in figures?",
        "A payer and an amount in figures are both given",
        "No amount is given, or nobody has to pay it",
    ),
    (
        "Would a reader in charge of customer relations have to act on this today?",
        "A customer waits for an answer, or has threatened to leave",
        None,
    ),
    (
        "Does the text report that a machine, a part or a computer service did not work as it "
        "should, even if the fault has been repaired in the meantime?",
        "At least one fault is reported",
        "No fault is reported",
    ),
    (
        "Is there a statement about personal data or about a possible leak of it?",
        None,
        "Personal data is not mentioned at all",
    ),
    (
        "Does a named person take on a task that is to be done later?",
        "A name and a task to come stand together",
        "Tasks are missing, already done, or given to nobody by name",
    ),
    (
        "Is more than one company involved in the matter that the document describes?",
        "Two or more companies are named",
        "One company or none is named",
    ),
    (
        "Could the delay of a delivery lead to a penalty, an invoice that is not paid, or a "
        "contract that is not renewed?",
        "The document says so",
        "The document says nothing of the kind",
    ),
    (
        "Is the document mainly about the quality of goods or of work, and only in the second "
        "place about prices, dates or persons?",
        "Quality is the main subject",
        "Something else is the main subject",
    ),
    (
        "Was an earlier decision, release or order taken back or replaced?",
        "Something was rolled back, withdrawn, returned or replaced",
        None,
    ),
    (
        "Are all the points that the document raises closed, so that it can be filed without "
        "anyone doing anything more?",
        "Nothing is left to do",
        "At least one point is open",
    ),
)

PLACES = words(
    "Harbour|Airport|Market|Station|Museum|Library|Stadium|Hospital|Theatre|Bridge|Tunnel|Garden|"
    "Canal|School|Tower|Castle|Ferry"
)

DESKS = words(
    "permits|invoices|repairs|keys|cleaning|tickets|deliveries|complaints|lighting|security|"
    "parking|bookings|inspections|refunds|supplies"
)
