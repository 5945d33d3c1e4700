"""A reference card among the options: what one option says, decides between two others.

The article's relational experiment: two values, two templates, all six orders. A model that scores
each option by its own text and the state has no way for the card to matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from steelyard.probe.experiment import Experiment, Judgement, Setting
from steelyard.probe.experiments.card_in_state import CARDS, READ
from steelyard.probe.place import judge_places
from steelyard.probe.trial import ASKED, Outcome, Trial
from steelyard.types.question import Choice
from steelyard.types.request import Request

STATE = "One option is to be selected."
NEVER = "Reference-only option. Never select this option."
FIRST, MIDDLE, LAST = "first option", "middle option", "last option"
STATED = "in the state"


def plan(setting: Setting) -> list[Trial]:
    trials = []
    for (name, values), value, swapped in product(CARDS, (0, 1), (False, True)):
        card = f"Reference card: {name} = {values[value]}."
        candidates = [
            (label, f"Select this option if the reference card's {name} is {each}.")
            for label, each in zip(("beta", "gamma"), values, strict=True)
        ]
        right = ("beta", "gamma")[value]
        if swapped:
            candidates.reverse()
        block = f"{name} = {values[value]}{', swapped' if swapped else ''}"
        for at, place in enumerate((FIRST, MIDDLE, LAST, STATED)):
            stated = place == STATED
            state = f"{card} {STATE}" if stated else STATE
            alpha = ("alpha", NEVER if stated else f"{card} {NEVER}")
            options = [*candidates[: at % 3], alpha, *candidates[at % 3 :]]
            trials.append(
                Trial(
                    block=block,
                    condition=place,
                    group=block,
                    request=Request(state, {ASKED: Choice(READ, dict(options))}),
                    right=right,
                )
            )
    return trials


def judge(outcomes: Sequence[Outcome], setting: Setting) -> Judgement:
    nulls = {
        "a fact in the first option counts as much as in the last": (LAST, FIRST),
        "a fact in the middle option counts as much as in the last": (LAST, MIDDLE),
        "a fact in the last option counts as much as in the state": (STATED, LAST),
    }
    return judge_places(
        nulls, outcomes, setting, chance=1 / 2, task="read the card", title="The card in an option"
    )


EXPERIMENT = Experiment(
    name="card-in-options",
    asks="Can an option be judged by what another option says, wherever that one stands?",
    plan=plan,
    judge=judge,
)
