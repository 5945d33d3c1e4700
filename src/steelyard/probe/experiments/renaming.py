"""Ids of questions: opaque to the model, so that a name can give nothing away."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.probe.compare import AGAIN, BASE
from steelyard.probe.experiment import Experiment, Judgement, Setting
from steelyard.probe.sameness import judge_sameness
from steelyard.probe.scenes import scenes
from steelyard.probe.trial import ASKED, Outcome, Trial


def plan(setting: Setting) -> list[Trial]:
    trials = []
    for scene in scenes(setting.quick):
        wrong = scene.contested[1]
        ids = {
            BASE: ASKED,
            AGAIN: ASKED,
            "an id that names an option": f"the answer is {wrong}",
            "an id in another script": "вопрос/問題 №7",
            "a long id": "id-" + setting.random(scene.name).randbytes(40).hex(),
        }
        trials += [
            Trial(
                block=scene.name,
                condition=condition,
                group=scene.name,
                request=scene.ask(scene.choice, name),
                watched=(name,),
            )
            for condition, name in ids.items()
        ]
    return trials


def judge(outcomes: Sequence[Outcome], setting: Setting) -> Judgement:
    return judge_sameness("renaming a question's id", outcomes, setting)


EXPERIMENT = Experiment(
    name="renaming",
    asks="Does a question's id reach the model?",
    plan=plan,
    judge=judge,
)
