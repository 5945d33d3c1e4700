"""One suite in a report: for each kind its charts, of all runs together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.evaluation.report.charts import accuracy_bars, reliability_chart, risk_chart
from steelyard.evaluation.report.confusion import confusion_table
from steelyard.evaluation.report.markup import Markup, table, tag
from steelyard.evaluation.run import Prediction
from steelyard.evaluation.slices import sliced
from steelyard.metrics.distances import masses_at_mode, mode_hits
from steelyard.metrics.forecasts import padded
from steelyard.metrics.intervals import wilson_interval
from steelyard.metrics.reliability import ReliabilityBins, reliability_bins
from steelyard.metrics.selective import RiskCoverage, risk_coverage
from steelyard.types.question import KINDS

NUM_BINS = 10
MOST_PARTS = 10
"""More parts than a chart can name are left to the tables of a comparison."""

Answers = Sequence[tuple[str, Sequence[Prediction]]]
ORDER = {"right answer at": ("first", "early", "middle", "late", "last")}


def suite_section(suite: str, runs: Answers) -> Markup:
    """The charts of a suite.

    Args:
        runs: of each run its name and answers, which may be none.
    """
    parts = [tag("h2", suite)]
    for kind in KINDS:
        mine = [(name, [one for one in part if one.kind == kind]) for name, part in runs]
        if any(part for _, part in mine):
            parts.append(tag("h3", kind))
            parts.append(tag("div", *_charts(kind, mine), class_="charts"))
    return tag("section", *parts)


def _charts(kind: str, runs: Answers) -> list[Markup]:
    answered = [(name, part) for name, part in runs if part]
    bins = [(name, _bins(kind, part)) for name, part in answered]
    said = "P(yes)" if kind == "noul" else "the likeliest answer"
    charts = [
        reliability_chart(f"Reliability of {said}", bins),
        risk_chart("Risk and coverage", [(name, _curve(part)) for name, part in answered]),
    ]
    found = [(name, sliced(part)) for name, part in answered]
    for looked_at in ("layer", "options", "right answer at"):
        counts = [
            (name, {part: _right(rows) for part, rows in slices[looked_at].items()})
            for name, slices in found
            if looked_at in slices
        ]
        named = list(dict.fromkeys(part for _, one in counts for part in one))
        if counts and len(named) <= MOST_PARTS:
            order = sorted(named, key=lambda part: _place(looked_at, part))
            ordered = [
                (name, {part: one[part] for part in order if part in one}) for name, one in counts
            ]
            charts.append(accuracy_bars(f"Right, by {looked_at}", looked_at, ordered))
    if any("source" in slices for _, slices in found):
        charts.append(_sources(answered))
    for name, part in answered:
        shown = confusion_table(f"{name}: right and said", part)
        if shown is not None:
            charts.append(shown)
    return charts


def _sources(runs: Answers) -> Markup:
    """A row for each source: how often each run is right, with 95 % intervals (Wilson)."""
    by_source = [
        {source: [one for one in part if one.source == source] for source in _names(part)}
        for _, part in runs
    ]
    rows = [
        (source or "-", *(_share(parts.get(source, ())) for parts in by_source))
        for source in dict.fromkeys(source for parts in by_source for source in parts)
    ]
    shown = table(("source", *(f"{name}: right" for name, _ in runs)), rows)
    return tag("figure", tag("figcaption", "Right, by source"), shown)


def _names(part: Sequence[Prediction]) -> list[str]:
    return sorted({one.source for one in part})


def _share(part: Sequence[Prediction]) -> str:
    if not part:
        return "-"
    right, n = _right(part)
    low, high = wilson_interval(right, n)
    return f"{right / n:.2f} [{low:.2f}, {high:.2f}] of {n:,}"


def _bins(kind: str, part: Sequence[Prediction]) -> ReliabilityBins:
    answers, targets = padded([p.probabilities for p in part]), padded([p.target for p in part])
    if kind == "noul":
        return reliability_bins(answers[:, 0].clip(0, 1), targets[:, 0].clip(0, 1), NUM_BINS)
    return reliability_bins(
        answers.max(axis=1).clip(0, 1), masses_at_mode(answers, targets).clip(0, 1), NUM_BINS
    )


def _curve(part: Sequence[Prediction]) -> RiskCoverage:
    answers, targets = padded([p.probabilities for p in part]), padded([p.target for p in part])
    return risk_coverage(answers.max(axis=1), 1 - masses_at_mode(answers, targets))


def _right(part: Sequence[Prediction]) -> tuple[int, int]:
    answers, targets = padded([p.probabilities for p in part]), padded([p.target for p in part])
    return int(np.sum(mode_hits(answers, targets))), len(part)


def _place(looked_at: str, part: str) -> tuple[int, str]:
    if part in ORDER.get(looked_at, ()):
        return ORDER[looked_at].index(part), ""
    digits = part.partition("-")[0]
    return (int(digits), "") if digits.isdecimal() else (0, part)
