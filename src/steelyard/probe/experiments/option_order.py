"""The user's choices with their options in another order."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.probe.compare import AGAIN, BASE
from steelyard.probe.experiment import Experiment, Judgement, Setting
from steelyard.probe.own import questions_of
from steelyard.probe.sameness import judge_sameness
from steelyard.probe.trial import ASKED, Outcome, Trial
from steelyard.types.question import Choice
from steelyard.types.request import Request


def plan(setting: Setting) -> list[Trial]:
    trials = []
    for own in questions_of(setting):
        question = own.request.questions[ASKED]
        if not isinstance(question, Choice) or len(question.criteria) < 2:
            continue
        labels = list(question.criteria)
        orders = {BASE: labels, AGAIN: labels, "reversed": labels[::-1]}
        random = setting.random(f"option order {own.name}")
        for number in range(setting.size(1, 3)):
            orders[f"shuffled {number + 1}"] = random.sample(labels, len(labels))
        trials += [
            Trial(
                block=own.name,
                condition=condition,
                group=own.state_name,
                request=Request(own.request.state, {ASKED: _in_order(question, order)}),
            )
            for condition, order in orders.items()
        ]
    return trials


def _in_order(question: Choice, labels: Sequence[str]) -> Choice:
    return Choice(question.instructions, {label: question.criteria[label] for label in labels})


def judge(outcomes: Sequence[Outcome], setting: Setting) -> Judgement:
    if not outcomes:
        return Judgement((), notes=("The question file has no choice of two or more options.",))
    return judge_sameness("another order of the options", outcomes, setting)


EXPERIMENT = Experiment(
    name="option-order",
    asks="Does it matter in which order the options of a choice are given?",
    plan=plan,
    judge=judge,
)
