"""A reference card at the beginning, in the middle and at the end of a long state.

The card's value decides between two options that name its two possible values, so the right answer
changes with the value alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from steelyard.probe.experiment import Experiment, Judgement, Setting
from steelyard.probe.place import judge_places
from steelyard.probe.trial import ASKED, Outcome, Trial
from steelyard.types.question import Choice
from steelyard.types.request import Request

CARDS = (("status", ("amber", "indigo")), ("route", ("east", "west")))
READ = "Read the reference card and select the one option whose condition is satisfied."
FILLER = (
    "The morning shift began at six.",
    "Two lorries waited at the gate.",
    "The canteen served soup.",
    "A window in the hall was cleaned.",
    "The lift was inspected before noon.",
    "Somebody had left an umbrella behind.",
    "The minutes of the meeting were sent round.",
    "A new printer stands on the second floor.",
    "The gardener cut the hedge.",
    "Parking is free after seven.",
    "The newsletter comes out on Thursdays.",
    "A visitor asked for the time.",
)
START, MIDDLE, END = "at the start", "in the middle", "at the end"


def plan(setting: Setting) -> list[Trial]:
    random = setting.random("card in state")
    length = setting.size(8, 60)
    trials = []
    for (name, values), value, swapped in product(CARDS, (0, 1), (False, True)):
        right = values[value]
        card = f"Reference card: {name} = {right}."
        labels = {"beta": values[swapped], "gamma": values[not swapped]}
        criteria = {
            label: f"Select this option if the reference card's {name} is {each}."
            for label, each in labels.items()
        }
        filler = [random.choice(FILLER) for _ in range(length)]
        block = f"{name} = {right}{', options swapped' if swapped else ''}"
        for place, at in ((START, 0), (MIDDLE, length // 2), (END, length)):
            state = " ".join([*filler[:at], card, *filler[at:]])
            trials.append(
                Trial(
                    block=block,
                    condition=place,
                    group=block,
                    request=Request(state, {ASKED: Choice(READ, criteria)}),
                    right=next(label for label, each in labels.items() if each == right),
                    size=len(state),
                )
            )
    return trials


def judge(outcomes: Sequence[Outcome], setting: Setting) -> Judgement:
    nulls = {
        "a fact in the middle of the state counts as much as one at its start": (START, MIDDLE),
        "a fact at the end of the state counts as much as one at its start": (START, END),
    }
    return judge_places(
        nulls, outcomes, setting, chance=1 / 2, task="read the card", title="The card in the state"
    )


EXPERIMENT = Experiment(
    name="card-in-state",
    asks="Is the deciding fact found wherever in the state it stands?",
    plan=plan,
    judge=judge,
)
