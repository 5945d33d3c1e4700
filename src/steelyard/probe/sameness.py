"""The judgement that many experiments share: asked in another way, the answers stay the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.probe.compare import Change, changes, first_refusal
from steelyard.probe.experiment import Cell, Judgement, Setting, Table
from steelyard.probe.finding import Finding, Sample, judge_mean, judge_share
from steelyard.probe.trial import Outcome

MOVED = 0.02
"""Margin of moved probability: the live service's repeats differ by about a hundredth."""

FLIPPED = 0.05
"""Margin of changed answers: one in twenty."""


def judge_sameness(
    what: str, outcomes: Sequence[Outcome], setting: Setting, *, margin: float = MOVED
) -> Judgement:
    """Total variation beyond that of a repeat, and changed answers.

    Args:
        what: what is done to the request, as in "renaming ids".
        outcomes: blocks with the conditions BASE and AGAIN, and others that are compared.
        margin: of the mean total variation.
    """
    found = changes(outcomes)
    refusal = first_refusal(outcomes)
    findings = (
        judge_moved(f"{what} moves no probability", found, setting, margin, refusal),
        _judge_flipped(f"{what} changes no answer", found, setting, refusal),
    )
    return Judgement(findings, (table_of(found),) if found else ())


def judge_moved(
    null: str, found: Sequence[Change], setting: Setting, margin: float, refusal: str | None
) -> Finding:
    """The first of the two findings alone."""
    return judge_mean(
        null,
        "total variation, less that of a repeat (mean; 0 to 1)",
        Sample([one.moved - one.noise for one in found], [one.group for one in found]),
        margin=margin,
        seed=setting.seed,
        one_sided=True,
        why_none=refusal,
    )


def _judge_flipped(
    null: str, found: Sequence[Change], setting: Setting, refusal: str | None
) -> Finding:
    measure = "share of questions whose most probable option changes"
    groups = [one.group for one in found]
    if any(one.noise_flipped for one in found):
        excess = [float(one.flipped) - float(one.noise_flipped) for one in found]
        return judge_mean(
            null,
            f"{measure}, less that by a repeat",
            Sample(excess, groups),
            margin=FLIPPED,
            seed=setting.seed,
            one_sided=True,
        )
    flips = [one.flipped for one in found]
    return judge_share(
        null, measure, flips, groups, most=FLIPPED, seed=setting.seed, why_none=refusal
    )


def table_of(found: Sequence[Change]) -> Table:
    """Each condition's total variations and flips."""
    rows: list[tuple[Cell, ...]] = []
    for condition in dict.fromkeys(one.condition for one in found):
        these = [one for one in found if one.condition == condition]
        rows.append(
            (
                condition,
                len(these),
                float(np.mean([one.moved for one in these])),
                max(one.moved for one in these),
                float(np.mean([one.noise for one in these])),
                sum(one.flipped for one in these),
                sum(one.noise_flipped for one in these),
            )
        )
    columns = (
        "what was done", "questions", "moved (mean)", "largest", "by a repeat (mean)",
        "answers changed", "by a repeat",
    )  # fmt: skip
    return Table("Probability moved (total variation)", columns, tuple(rows))
