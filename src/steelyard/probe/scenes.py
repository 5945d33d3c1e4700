"""Twelve short cases from working life, the material of the experiments that bring their own.

Each has one choice with a contested pair of options, options that have no business there, and a
statement with its negation. They are written for this purpose and are in no test set: what is
measured on them is what answers depend on, not how often they are right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from steelyard.types.question import Choice, Noul, Question, Score
from steelyard.types.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One case.

    Attributes:
        options: label -> description, at least three.
        contested: two labels between which the text leaves room.
        stray: (label, description) of an option that cannot be meant.
        other_stray: another description for it, as far off.
        statement, negation: one of the two is true.
    """

    name: str
    state: str
    question: str
    options: Mapping[str, str]
    contested: tuple[str, str]
    stray: tuple[str, str]
    other_stray: str
    statement: str
    negation: str

    @property
    def choice(self) -> Choice:
        return Choice(self.question, dict(self.options))

    def questions(self) -> dict[str, Question]:
        """Four questions of all kinds."""
        return {
            "first": self.choice,
            "second": Noul(self.statement),
            "third": Score("How urgent is this?", ["It can wait", "This week", "Today", "Now"]),
            "fourth": Noul(self.negation),
        }

    def ask(self, question: Question, name: str = "asked") -> Request:
        return Request(self.state, {name: question})


def scenes(quick: bool) -> tuple[Scene, ...]:
    """All of them, or the first four."""
    return SCENES[:4] if quick else SCENES


SCENES = (
    Scene(
        name="payout",
        state="My payouts have failed three times. The bank says everything is fine on their side. "
        "Nothing changed in my account. Can someone please fix this?",
        question="What most likely caused the failed payouts?",
        options={
            "bank": "The bank refuses the transfers",
            "provider": "The payment provider has a fault",
            "customer": "The customer entered wrong details",
            "unknown": "The message does not tell",
        },
        contested=("provider", "unknown"),
        stray=("weather", "Bad weather caused it"),
        other_stray="Wild birds caused it",
        statement="The payouts have failed.",
        negation="The payouts have not failed.",
    ),
    Scene(
        name="login",
        state="Since this morning nobody in our office can sign in. The page says that the session "
        "has expired. At home on my phone it works. Our network was changed last night.",
        question="Where should the search for the fault begin?",
        options={
            "network": "The office network",
            "service": "The sign-in service",
            "browser": "The browsers in the office",
            "accounts": "The accounts of the staff",
        },
        contested=("network", "service"),
        stray=("coffee", "The coffee machine"),
        other_stray="The paintings in the hall",
        statement="The office network was changed last night.",
        negation="The office network was not changed last night.",
    ),
    Scene(
        name="delivery",
        state="The parcel was marked as delivered on Tuesday. It was raining, and I found nothing "
        "at the door. My neighbour saw a van stop, but the driver did not get out.",
        question="What happened to the parcel?",
        options={
            "undelivered": "The driver never left it",
            "stolen": "Somebody took it from the door",
            "neighbour": "A neighbour has it",
            "unclear": "There is too little to say",
        },
        contested=("undelivered", "stolen"),
        stray=("evaporated", "It turned into steam"),
        other_stray="It was swallowed by a whale",
        statement="The parcel was marked as delivered.",
        negation="The parcel was not marked as delivered.",
    ),
    Scene(
        name="invoice",
        state="We were billed 490 euros in June and 980 in July, for the same number of seats. In "
        "July a colleague tried the larger plan for two days and went back.",
        question="Which team should answer this?",
        options={
            "billing": "Charges, refunds and invoices",
            "sales": "Plans, prices and upgrades",
            "technical": "Faults of the product",
            "legal": "Contracts and complaints",
        },
        contested=("billing", "sales"),
        stray=("gardening", "Plants and hedges"),
        other_stray="Boats and harbours",
        statement="The July bill is higher than the June bill.",
        negation="The July bill is not higher than the June bill.",
    ),
    Scene(
        name="review",
        state="The hotel was spotless and the staff went out of their way to help us. The street "
        "below, however, was loud until three in the night, and breakfast was cold twice.",
        question="What should the manager work on first?",
        options={
            "noise": "Quiet in the rooms at night",
            "breakfast": "The quality of breakfast",
            "cleaning": "The cleaning of the rooms",
            "staff": "The manners of the staff",
        },
        contested=("noise", "breakfast"),
        stray=("gravity", "The pull of the earth"),
        other_stray="The number of moons",
        statement="The guests found the staff helpful.",
        negation="The guests did not find the staff helpful.",
    ),
    Scene(
        name="machine",
        state="The pump ran hot for a week before it stopped. The filter was last changed two "
        "years ago. The technician heard a grinding sound from the bearing on Monday.",
        question="Which part should be replaced first?",
        options={
            "bearing": "The bearing of the shaft",
            "filter": "The inlet filter",
            "motor": "The electric motor",
            "none": "No part yet; measure first",
        },
        contested=("bearing", "filter"),
        stray=("carpet", "The carpet in the office"),
        other_stray="The wallpaper in the canteen",
        statement="The pump has stopped.",
        negation="The pump has not stopped.",
    ),
    Scene(
        name="applicant",
        state="She led a team of four for two years and wrote the scheduling software herself. She "
        "has no degree. Two former colleagues praise her patience with beginners.",
        question="For which role is she the best match?",
        options={
            "lead": "Leading a small team",
            "engineer": "Writing software",
            "trainer": "Teaching new staff",
            "analyst": "Reading figures",
        },
        contested=("lead", "engineer"),
        stray=("comet", "Being a comet"),
        other_stray="Being a teapot",
        statement="She has led a team.",
        negation="She has not led a team.",
    ),
    Scene(
        name="garden",
        state="The lower leaves of the tomatoes are yellow, and the soil was wet all week. There "
        "are a few small holes in the leaves. The plants were fed ten days ago.",
        question="What is the most likely cause of the yellow leaves?",
        options={
            "water": "Too much water",
            "insects": "Insects",
            "hunger": "Too little feed",
            "age": "The leaves are old",
        },
        contested=("water", "age"),
        stray=("traffic", "Traffic lights"),
        other_stray="Tax forms",
        statement="The soil was wet all week.",
        negation="The soil was not wet all week.",
    ),
    Scene(
        name="claim",
        state="The insured reports a cracked windscreen after driving behind a gravel truck on the "
        "motorway. The policy covers glass, with a deductible of 150 euros. The photo shows a "
        "crack of 20 centimetres.",
        question="What should the clerk do?",
        options={
            "pay": "Pay the claim less the deductible",
            "inspect": "Send an inspector first",
            "refuse": "Refuse the claim",
            "ask": "Ask for more papers",
        },
        contested=("pay", "inspect"),
        stray=("sing", "Sing a song"),
        other_stray="Bake a cake",
        statement="The policy covers glass.",
        negation="The policy does not cover glass.",
    ),
    Scene(
        name="clinic",
        state="The patient has had a cough for five days and a light fever since yesterday. He "
        "smokes. He breathes easily, and his chest does not hurt.",
        question="When should he be seen?",
        options={
            "today": "Today",
            "week": "Within the week",
            "wait": "Only if it gets worse",
            "emergency": "At once, by ambulance",
        },
        contested=("week", "wait"),
        stray=("century", "In a hundred years"),
        other_stray="Before the last ice age",
        statement="The patient has a cough.",
        negation="The patient does not have a cough.",
    ),
    Scene(
        name="contract",
        state="The lease ends on 31 March and renews by a year unless one side gives notice three "
        "months before. The tenant's letter is dated 30 December and arrived on 3 January.",
        question="What follows from the letter?",
        options={
            "ends": "The lease ends on 31 March",
            "renews": "The lease renews by a year",
            "court": "A court must decide",
            "nothing": "Nothing; letters do not count",
        },
        contested=("ends", "renews"),
        stray=("volcano", "A volcano opens"),
        other_stray="The sea turns red",
        statement="The letter arrived in January.",
        negation="The letter did not arrive in January.",
    ),
    Scene(
        name="shop",
        state="Visits rose by a third after the campaign, and sales stayed where they were. Most "
        "new visitors leave on the page that asks for an address. The page takes nine seconds.",
        question="What should be tried first?",
        options={
            "speed": "Make the page faster",
            "form": "Shorten the form",
            "prices": "Lower the prices",
            "campaign": "End the campaign",
        },
        contested=("speed", "form"),
        stray=("dance", "Learn to dance"),
        other_stray="Paint the moon",
        statement="The number of visits rose.",
        negation="The number of visits did not rise.",
    ),
)
