"""The judgement of experiments that have a right answer: it is found wherever something stands.

Two places are compared within a block, by the probability of the right option.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from steelyard.metrics.intervals import wilson_interval
from steelyard.probe.compare import first_refusal, likeliest, paired
from steelyard.probe.experiment import Cell, Judgement, Setting, Table
from steelyard.probe.finding import LEVEL, judge_mean
from steelyard.probe.trial import Outcome

SHIFT = 0.05
"""Margin of the right option's probability."""


def right_probability(outcome: Outcome) -> float:
    """What the right option was given."""
    assert outcome.trial.right is not None, "a trial without a right option"
    return outcome.answer[outcome.trial.right]


def is_right(outcome: Outcome) -> bool:
    """The most probable option is the right one."""
    return likeliest(outcome.answer) == outcome.trial.right


def judge_places(
    nulls: Mapping[str, tuple[str, str]],
    outcomes: Sequence[Outcome],
    setting: Setting,
    *,
    chance: float,
    task: str,
    title: str,
) -> Judgement:
    """One finding for each null, at a level that allows for their number (Bonferroni).

    Args:
        nulls: null -> (condition compared with, condition). The estimate is the second's
            probability of the right option, less the first's.
        chance: share of right answers that guessing gives.
        task: what a model must be able to do for the comparison to mean anything.
    """
    findings = []
    for null, (before, after) in nulls.items():
        shifts = paired(
            outcomes,
            (before, after),
            lambda one, two: right_probability(two) - right_probability(one),
        )
        finding = judge_mean(
            null,
            f"probability of the right option: {after}, less {before} (mean)",
            shifts,
            margin=SHIFT,
            seed=setting.seed,
            level=1 - (1 - LEVEL) / len(nulls),
            why_none=first_refusal(outcomes),
        )
        blind = _blind(outcomes, (before, after), chance, task)
        if blind is not None and finding.estimate is not None:
            # Neither sameness nor a difference is about the place, where luck decides in both.
            finding = replace(finding, verdict="not shown", because=blind)
        findings.append(finding)
    return Judgement(tuple(findings), (hits_table(title, outcomes),))


def _blind(
    outcomes: Sequence[Outcome], conditions: Sequence[str], chance: float, task: str
) -> str | None:
    """Why places cannot matter here, or None: in one it is right more often than by luck."""
    told = []
    for condition in conditions:
        these = [one for one in outcomes if one.trial.condition == condition and one.reply]
        hits = sum(map(is_right, these))
        if wilson_interval(hits, len(these))[0] > chance:
            return None
        told.append(f"{hits} of {len(these)} ({condition})")
    return (
        f"the model does not {task} in either place: right in {' and '.join(told)}, and guessing "
        f"would be right in {chance:.0%}"
    )


def hits_table(
    title: str,
    outcomes: Sequence[Outcome],
    row_of: Callable[[Outcome], str] = lambda one: one.trial.condition,
    hit: str = "right",
) -> Table:
    """For each row: right answers with Wilson's interval, and the mean probability."""
    rows: list[tuple[Cell, ...]] = []
    for name in dict.fromkeys(map(row_of, outcomes)):
        these = [one for one in outcomes if row_of(one) == name]
        answered = [one for one in these if one.reply is not None]
        hits = sum(map(is_right, answered))
        low, high = wilson_interval(hits, len(answered))
        mean = float(np.mean([*map(right_probability, answered)])) if answered else None
        refused = len(these) - len(answered)
        rows.append((name, len(answered), hits, f"{low:.2f} to {high:.2f}", mean, refused))
    columns = ("where", "answered", hit, "95 % interval", "mean probability", "refused")
    return Table(title, columns, tuple(rows))
