"""One question several times in one request."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from steelyard.probe.compare import first_refusal, likeliest, total_variation
from steelyard.probe.experiment import Experiment, Judgement, Setting, Table
from steelyard.probe.finding import EXACT, Sample, judge_mean
from steelyard.probe.scenes import scenes
from steelyard.probe.trial import Outcome, Trial
from steelyard.types.request import Request


def plan(setting: Setting) -> list[Trial]:
    names = tuple(f"copy {number}" for number in range(setting.size(3, 8)))
    return [
        Trial(
            block=scene.name,
            condition=f"{len(names)} copies",
            group=scene.name,
            request=Request(scene.state, dict.fromkeys(names, scene.choice)),
            watched=names,
        )
        for scene in scenes(setting.quick)
    ]


def judge(outcomes: Sequence[Outcome], setting: Setting) -> Judgement:
    values, groups, rows = [], [], []
    for outcome in outcomes:
        if outcome.reply is None:
            continue
        apart = [total_variation(*pair) for pair in combinations(outcome.answers, 2)]
        answers = {likeliest(answer) for answer in outcome.answers}
        values += apart
        groups += [outcome.trial.group] * len(apart)
        rows.append((outcome.trial.group, len(outcome.answers), max(apart), len(answers)))
    finding = judge_mean(
        "the same question twice in one request gets the same answer",
        "total variation between two copies (mean; 0 to 1)",
        Sample(values, groups),
        margin=EXACT,
        seed=setting.seed,
        one_sided=True,
        why_none=first_refusal(outcomes),
    )
    columns = ("text", "copies", "largest distance", "different answers")
    return Judgement((finding,), (Table("Copies within a request", columns, tuple(rows)),))


EXPERIMENT = Experiment(
    name="duplicates",
    asks="Does one question, asked several times in a request, get one answer?",
    plan=plan,
    judge=judge,
)
