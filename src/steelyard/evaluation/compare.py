"""Two runs on the same questions: is one better, or is it the sample?

Every figure is a paired difference, B less A, with a 95 % interval from a bootstrap that draws
groups (a document, a family of paraphrases), so that questions on one text are not counted as
independent evidence. A verdict is given only where the interval excludes 0. Where runs of the same
recipe with other seeds are given, a difference that they show among themselves is called noise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from steelyard.errors import InputFileError
from steelyard.evaluation.measures import FLOOR, NUM_BINS
from steelyard.evaluation.retrain_noise import Noise
from steelyard.evaluation.run import Prediction
from steelyard.evaluation.slices import sliced
from steelyard.metrics.distances import (
    brier_distances,
    cross_entropies,
    masses_at_mode,
    mode_hits,
    ranked_probability_distances,
)
from steelyard.metrics.forecasts import padded
from steelyard.metrics.group_draws import GroupDraws, draw_groups, percentiles
from steelyard.metrics.reliability import reliability_bins

MIN_ROWS = 30
"""A slice with fewer paired answers is not compared: its interval would say so at length."""

MORE_IS_BETTER: Mapping[str, bool] = {
    "accuracy": True, "nll": False, "brier": False, "rps": False, "ece": False,
}  # fmt: skip

Verdict: TypeAlias = Literal["B better", "A better", "within retrain noise", "not shown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One measure of both runs on the questions they share.

    Attributes:
        a, b: its values; value: b - a; interval: 95 %, None of a single group.
        noise: how far apart two runs of one recipe are in 95 % of pairs; None where not given.
    """

    measure: str
    a: float
    b: float
    value: float
    interval: tuple[float, float] | None
    noise: float | None

    @property
    def verdict(self) -> Verdict:
        """Who is better, if that can be said."""
        if self.interval is None or self.interval[0] <= 0 <= self.interval[1]:
            return "not shown"
        if self.noise is not None and abs(self.value) <= self.noise:
            return "within retrain noise"
        better = (self.value > 0) == MORE_IS_BETTER[self.measure]
        return "B better" if better else "A better"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A suite, or a part of it.

    Attributes:
        name, part: what is looked at and which part of it, such as "options" and "3-5"; both ""
            for the whole suite.
        n, groups: questions that both answered, and what the bootstrap drew.
    """

    suite: str
    name: str
    part: str
    n: int
    groups: int
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All suites that both runs answered.

    Attributes:
        only_a, only_b: answers of one run to questions that the other did not answer.
    """

    compared: tuple[Compared, ...]
    only_a: int
    only_b: int


Suites: TypeAlias = Mapping[str, Sequence[Prediction]]

Part: TypeAlias = tuple[str, str, str]
"""(suite, what is looked at, which part); the last two are "" for the whole suite."""


def compare(
    a: Suites,
    b: Suites,
    *,
    noise: Mapping[tuple[Part, str], Noise] | None = None,
    draws: int = 2000,
    seed: int = 0,
) -> Comparison:
    """The paired differences of each suite and its slices.

    Args:
        noise: (part, measure) -> what runs of one recipe differ by: `retrain_noise` of `figures`.
    Raises:
        InputFileError: the runs share no answered question, or disagree on a target.
    """
    found: list[Compared] = []
    known = noise or {}
    shared = 0
    for suite in a:
        ones, others = _paired(a[suite], b.get(suite, ()))
        shared += len(ones)
        if not ones:
            continue
        by_id = {one.example: one for one in others}
        for part, rows in _parts(suite, ones):
            theirs = [by_id[one.example] for one in rows]
            spreads = {measure: one.range for (of, measure), one in known.items() if of == part}
            found.append(_compared(part, rows, theirs, spreads, draws, seed))
    if not found:
        raise InputFileError("the runs share no question that both answered")
    return Comparison(
        compared=tuple(found),
        only_a=sum(map(len, a.values())) - shared,
        only_b=sum(map(len, b.values())) - shared,
    )


def figures(suites: Suites) -> dict[Part, dict[str, float]]:
    """The measures that are compared, of each part of one run."""
    found = {}
    for suite, predictions in suites.items():
        for part, rows in _parts(suite, predictions):
            columns = _Columns(rows)
            found[part] = {name: columns.value(name) for name in columns.names}
    return found


def _parts(
    suite: str, predictions: Sequence[Prediction]
) -> Iterator[tuple[Part, Sequence[Prediction]]]:
    """The whole suite, and its slices that have enough answers; the same ones only once."""
    yield (suite, "", ""), predictions
    seen = set()
    for name, parts in sliced(predictions).items():
        for part, rows in parts.items():
            ids = frozenset(one.example for one in rows)
            if len(rows) >= MIN_ROWS and ids not in seen:
                yield (suite, name, part), rows
            seen.add(ids)


def _paired(
    a: Sequence[Prediction], b: Sequence[Prediction]
) -> tuple[list[Prediction], list[Prediction]]:
    theirs = {one.example: one for one in b}
    ones = [one for one in a if one.example in theirs]
    others = [theirs[one.example] for one in ones]
    for one, other in zip(ones, others, strict=True):
        if one.target != other.target:
            raise InputFileError(f"suite {one.suite!r}, example {one.example}: two targets")
    return ones, others


def _compared(
    part: Part,
    ones: Sequence[Prediction],
    others: Sequence[Prediction],
    spreads: Mapping[str, float],
    draws: int,
    seed: int,
) -> Compared:
    groups = np.array([one.group for one in ones])
    count = len(np.unique(groups))
    drawn = draw_groups(groups, draws, seed) if count > 1 else None
    mine, theirs = _Columns(ones), _Columns(others)
    return Compared(
        suite=part[0],
        name=part[1],
        part=part[2],
        n=len(ones),
        groups=count,
        differences=tuple(
            Difference(
                measure=measure,
                a=mine.value(measure),
                b=theirs.value(measure),
                value=theirs.value(measure) - mine.value(measure),
                interval=(
                    None
                    if drawn is None
                    else percentiles(theirs.drawn(measure, drawn) - mine.drawn(measure, drawn))
                ),
                noise=spreads.get(measure),
            )
            for measure in mine.names
        ),
    )


class _Columns:
    """A number for each answer and measure, or for each answer and bin where it is no mean."""

    def __init__(self, predictions: Sequence[Prediction]) -> None:
        answers = padded([one.probabilities for one in predictions])
        targets = padded([one.target for one in predictions])
        self._means = {
            "accuracy": mode_hits(answers, targets),
            "nll": cross_entropies(np.maximum(answers, FLOOR), targets),
            "brier": brier_distances(answers, targets),
        }
        if all(one.kind == "score" for one in predictions):
            levels = np.array([max(1, len(one.target) - 1) for one in predictions])
            self._means["rps"] = ranked_probability_distances(answers, targets) / levels
        confidences = answers.max(axis=1).clip(0, 1)
        outcomes = masses_at_mode(answers, targets).clip(0, 1)
        places = reliability_bins(confidences, outcomes, NUM_BINS).places
        self._gaps = np.eye(NUM_BINS)[places] * (outcomes - confidences)[:, None]  # (n, bins)
        self.names = (*self._means, "ece")

    def value(self, measure: str) -> float:
        if measure == "ece":
            return float(abs(self._gaps.sum(axis=0)).sum() / len(self._gaps))
        return float(self._means[measure].mean())

    def drawn(self, measure: str, draws: GroupDraws) -> np.ndarray:
        """The measure of each draw: (draws,)."""
        if measure == "ece":
            gaps: np.ndarray = abs(draws.sums(self._gaps)).sum(axis=1) / draws.counts()
            return gaps
        return draws.means(self._means[measure])
