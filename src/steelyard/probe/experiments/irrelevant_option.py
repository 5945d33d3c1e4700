"""An option that has no business there is added: do the odds of the others stay?

Independence of irrelevant alternatives (Luce 1959): with one fixed logit per option, ln p(a)/p(b)
cannot change. The article's blocks: four options, the same again, five options, the same again,
five options with another text for the fifth.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from steelyard.probe.compare import complete_blocks, first_refusal, log_odds
from steelyard.probe.experiment import Cell, Experiment, Judgement, Setting, Table
from steelyard.probe.finding import Finding, Sample, judge_mean
from steelyard.probe.scenes import SCENES, scenes
from steelyard.probe.trial import Outcome, Trial
from steelyard.types.question import Choice

FOUR, FIVE, OTHER_FIVE = "four options", "with a fifth", "with another fifth"
SHIFT = 0.1
"""Margin in log-odds: two and a half hundredths of probability where two options are even."""


def plan(setting: Setting) -> list[Trial]:
    trials = []
    for scene in scenes(setting.quick):
        label, text = scene.stray
        variants = {
            FOUR: dict(scene.options),
            FIVE: {**scene.options, label: text},
            OTHER_FIVE: {**scene.options, label: scene.other_stray},
        }
        trials += [
            Trial(
                block=scene.name,
                condition=condition,
                group=scene.name,
                request=scene.ask(Choice(scene.question, criteria)),
            )
            for condition, criteria in variants.items()
            for _ in range(1 if condition == OTHER_FIVE else 2)
        ]
    return trials


def judge(outcomes: Sequence[Outcome], setting: Setting) -> Judgement:
    contested = {scene.name: scene.contested for scene in SCENES}
    rows: list[tuple[Cell, ...]] = []
    apart, added, replaced, groups, zeros = [], [], [], [], []
    for block in complete_blocks(outcomes, (FOUR, FIVE, OTHER_FIVE)):
        name = block[FOUR][0].trial.block
        odds = {
            condition: [log_odds(outcome.answer, *contested[name]) for outcome in block[condition]]
            for condition in (FOUR, FIVE, OTHER_FIVE)
        }
        told = {key: [one for one in both if one is not None] for key, both in odds.items()}
        if told != odds:
            zeros.append(name)
            continue
        four, five, other = (mean(told[condition]) for condition in (FOUR, FIVE, OTHER_FIVE))
        noise = mean(max(told[key]) - min(told[key]) for key in (FOUR, FIVE))
        apart.append(abs(told[FIVE][0] - told[FOUR][0]) - noise)
        added.append(five - four)
        replaced.append(other - five)
        groups.append(name)
        rows.append((name, " : ".join(contested[name]), four, five, five - four, other - five))
    refusal = first_refusal(outcomes) or ("a probability of 0 in every block" if zeros else None)

    def judged(null: str, measure: str, values: list[float], one_sided: bool = False) -> Finding:
        return judge_mean(
            null,
            measure,
            Sample(values, groups),
            margin=SHIFT,
            seed=setting.seed,
            one_sided=one_sided,
            why_none=refusal,
        )

    findings = (
        judged(
            "an added irrelevant option leaves the odds of the others as they were, each time",
            "distance of the log-odds of two options with a fifth from those without, less that "
            "between identical requests (mean)",
            apart,
            one_sided=True,
        ),
        judged(
            "an added irrelevant option favours neither of two others, on average",
            "change of the log-odds of two options when a fifth is added (paired mean)",
            added,
        ),
        judged(
            "what the irrelevant option says does not matter",
            "change of the log-odds when the fifth says something else (paired mean)",
            replaced,
        ),
    )
    columns = ("text", "options", "with four", "with five", "for being added", "for another text")
    notes = (f"Left out, a probability was told as 0: {', '.join(zeros)}.",) if zeros else ()
    return Judgement(findings, (Table("Log-odds", columns, tuple(rows)),), notes)


EXPERIMENT = Experiment(
    name="irrelevant-option",
    asks="Does an option that nobody would take change the odds of the others?",
    plan=plan,
    judge=judge,
)
