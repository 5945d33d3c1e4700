"""The same request again and again."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.probe.compare import complete_blocks, first_refusal, likeliest, total_variation
from steelyard.probe.experiment import Experiment, Judgement, Setting, Table
from steelyard.probe.finding import EXACT, Sample, judge_mean
from steelyard.probe.scenes import scenes
from steelyard.probe.trial import Outcome, Trial

SENT = "sent"


def plan(setting: Setting) -> list[Trial]:
    return [
        Trial(
            block=scene.name, condition=SENT, group=scene.name, request=scene.ask(scene.choice)
        )
        for scene in scenes(setting.quick)
        for _ in range(setting.size(2, 8))
    ]  # fmt: skip


def judge(outcomes: Sequence[Outcome], setting: Setting) -> Judgement:
    values, groups, rows = [], [], []
    for block in complete_blocks(outcomes, [SENT]):
        first, *others = block[SENT]
        apart = [total_variation(first.answer, other.answer) for other in others]
        if not apart:
            continue
        values += apart
        groups += [first.trial.group] * len(apart)
        answers = {likeliest(outcome.answer) for outcome in block[SENT]}
        rows.append((first.trial.group, len(block[SENT]), max(apart), len(answers)))
    finding = judge_mean(
        "the same request gets the same answer",
        "total variation between the first and a later answer (mean; 0 to 1)",
        Sample(values, groups),
        margin=EXACT,
        seed=setting.seed,
        one_sided=True,
        why_none=first_refusal(outcomes),
    )
    columns = ("text", "times sent", "largest distance", "different answers")
    return Judgement((finding,), (Table("Repeated requests", columns, tuple(rows)),))


EXPERIMENT = Experiment(
    name="noise",
    asks="Does the same request get the same answer?",
    plan=plan,
    judge=judge,
)
