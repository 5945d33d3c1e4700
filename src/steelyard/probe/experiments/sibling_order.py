"""Questions of one request in another order."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.probe.compare import AGAIN, BASE
from steelyard.probe.experiment import Experiment, Judgement, Setting
from steelyard.probe.sameness import judge_sameness
from steelyard.probe.scenes import scenes
from steelyard.probe.trial import Outcome, Trial
from steelyard.types.request import Request


def plan(setting: Setting) -> list[Trial]:
    trials = []
    for scene in scenes(setting.quick):
        questions = scene.questions()
        names = tuple(questions)
        shuffled = list(names)
        setting.random(f"sibling order {scene.name}").shuffle(shuffled)
        orders = {
            BASE: names,
            AGAIN: names,
            "reversed": names[::-1],
            "shuffled": tuple(shuffled),
        }
        trials += [
            Trial(
                block=scene.name,
                condition=condition,
                group=scene.name,
                request=Request(scene.state, {name: questions[name] for name in order}),
                watched=names,
            )
            for condition, order in orders.items()
        ]
    return trials


def judge(outcomes: Sequence[Outcome], setting: Setting) -> Judgement:
    return judge_sameness("another order of the questions", outcomes, setting)


EXPERIMENT = Experiment(
    name="sibling-order",
    asks="Does it matter in which order the questions of a request stand?",
    plan=plan,
    judge=judge,
)
