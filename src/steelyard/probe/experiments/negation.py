"""A statement and its negation, each as a question of its own: their probabilities sum to 1."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.probe.compare import first_refusal, paired
from steelyard.probe.experiment import Experiment, Judgement, Setting, Table
from steelyard.probe.finding import Sample, judge_mean
from steelyard.probe.scenes import scenes
from steelyard.probe.trial import Outcome, Trial
from steelyard.types.question import Noul

STATED, DENIED = "statement", "negation"
SUM = 0.05
"""Margin of the sum."""


def plan(setting: Setting) -> list[Trial]:
    return [
        Trial(
            block=scene.name,
            condition=condition,
            group=scene.name,
            request=scene.ask(Noul(f"Is this true? {text}")),
        )
        for scene in scenes(setting.quick)
        for condition, text in ((STATED, scene.statement), (DENIED, scene.negation))
    ]


def judge(outcomes: Sequence[Outcome], setting: Setting) -> Judgement:
    excess = paired(outcomes, (STATED, DENIED), lambda one, two: _yes(one) + _yes(two) - 1)
    refusal = first_refusal(outcomes)
    findings = (
        judge_mean(
            "a statement and its negation sum to 1 on average",
            "P(statement) + P(negation) - 1 (mean)",
            excess,
            margin=SUM,
            seed=setting.seed,
            why_none=refusal,
        ),
        judge_mean(
            "a statement and its negation sum to 1 each time",
            "distance of P(statement) + P(negation) from 1 (mean)",
            Sample([abs(one) for one in excess.values], excess.groups),
            margin=SUM,
            seed=setting.seed,
            one_sided=True,
            why_none=refusal,
        ),
    )
    sides = paired(outcomes, (STATED, DENIED), lambda one, two: _yes(one))
    rows = tuple(
        (group, stated, 1 + total - stated, 1 + total)
        for group, stated, total in zip(sides.groups, sides.values, excess.values, strict=True)
    )
    columns = ("text", "P(statement)", "P(negation)", "sum")
    return Judgement(findings, (Table("Statements and negations", columns, rows),))


def _yes(outcome: Outcome) -> float:
    return outcome.answer["yes"]


EXPERIMENT = Experiment(
    name="negation",
    asks="Do the probabilities of a statement and of its negation sum to 1?",
    plan=plan,
    judge=judge,
)
