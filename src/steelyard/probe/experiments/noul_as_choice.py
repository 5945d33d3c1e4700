"""A yes/no question as a noul, and as a choice between yes and no."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.probe.compare import first_refusal, paired
from steelyard.probe.experiment import Experiment, Judgement, Setting, Table
from steelyard.probe.finding import Sample, judge_mean
from steelyard.probe.scenes import scenes
from steelyard.probe.trial import Outcome, Trial
from steelyard.types.question import Choice, Noul, Question

NOUL, CHOICE = "noul", "choice"
APART = 0.05
"""Margin of P(yes)."""


def plan(setting: Setting) -> list[Trial]:
    trials = []
    for scene in scenes(setting.quick):
        for text in (scene.statement, scene.negation):
            asked = f"Is this true? {text}"
            questions: dict[str, Question] = {
                NOUL: Noul(asked),
                CHOICE: Choice(asked, ["yes", "no"]),
            }
            trials += [
                Trial(block=text, condition=kind, group=scene.name, request=scene.ask(question))
                for kind, question in questions.items()
            ]
    return trials


def judge(outcomes: Sequence[Outcome], setting: Setting) -> Judgement:
    apart = paired(outcomes, (NOUL, CHOICE), lambda one, two: two.answer["yes"] - one.answer["yes"])
    nouls = paired(outcomes, (NOUL, CHOICE), lambda one, two: one.answer["yes"])
    refusal = first_refusal(outcomes)
    findings = (
        judge_mean(
            "as a choice, yes is as probable as in a noul, on average",
            "P(yes) as a choice, less P(yes) as a noul (mean)",
            apart,
            margin=APART,
            seed=setting.seed,
            why_none=refusal,
        ),
        judge_mean(
            "as a choice, yes is as probable as in a noul, each time",
            "distance between the two P(yes) (mean)",
            Sample([abs(one) for one in apart.values], apart.groups),
            margin=APART,
            seed=setting.seed,
            one_sided=True,
            why_none=refusal,
        ),
    )
    rows = tuple(
        (group, noul, noul + more, more)
        for group, noul, more in zip(nouls.groups, nouls.values, apart.values, strict=True)
    )
    columns = ("text", "as a noul", "as a choice", "difference")
    return Judgement(findings, (Table("P(yes)", columns, rows),))


EXPERIMENT = Experiment(
    name="noul-as-choice",
    asks="Does a yes/no question get the same probability as a noul and as a choice?",
    plan=plan,
    judge=judge,
)
