"""A finding: a null, what was measured against it, and a verdict in words.

The nulls are what a caller hopes for: "a question does not see its siblings". A difference that is
too small to matter counts as none, so each null comes with a margin, and the verdict is that of an
equivalence test (Schuirmann 1987, read off the interval):

    holds               the whole interval lies within the margin
    does not hold       the whole interval lies outside of it
    not shown           the interval crosses it: too few trials, or too much noise, to say
    not supported by this server    what was to be asked is refused, or not told

A null that a model keeps because it never got the point of the question (it reads the card nowhere,
so its place makes no difference) has not been tested: that, too, is "not shown".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from steelyard.metrics.intervals import bootstrap_interval, wilson_interval

Verdict: TypeAlias = Literal["holds", "does not hold", "not shown", "not supported by this server"]
LEVEL = 0.95
DRAWS = 1000
EXACT = 0.001
"""Margin of what should be the same number: below what a reply with two decimals can show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One null, judged.

    Attributes:
        null: what would be so if nothing were wrong.
        measure: what the estimate is, with its unit.
        estimate: None where nothing could be measured.
        interval: at `level`, from the bootstrap or Wilson's; None with fewer than two groups.
        margin: (low, high) of what counts as no effect.
        groups: how many independent texts it rests on.
        verdict, because: the judgement, and a sentence on what it rests on.
    """

    null: str
    measure: str
    estimate: float | None
    interval: tuple[float, float] | None
    level: float
    margin: tuple[float, float]
    groups: int
    verdict: Verdict
    because: str


@dataclass(frozen=True, slots=True)
class Sample:
    """One value for every comparison, and the group that each belongs to."""

    values: Sequence[float]
    groups: Sequence[str]

    @property
    def num_groups(self) -> int:
        return len(set(self.groups))


def judge_mean(
    null: str,
    measure: str,
    sample: Sample,
    *,
    margin: float,
    seed: int,
    one_sided: bool = False,
    level: float = LEVEL,
    blind: str | None = None,
    why_none: str | None = None,
) -> Finding:
    """Judge that a mean is 0 up to `margin`, by a bootstrap over groups.

    Args:
        one_sided: only a mean above the margin is an effect (distances, differences of cost).
        blind: why this model could not have shown an effect, or None where it could have.
        why_none: why there are no values, as a server said it.
    """

    def statistic(values: np.ndarray) -> float:
        return float(np.mean(values))

    bounds = (float("-inf") if one_sided else -margin, margin)
    return judge_statistic(
        null, measure, np.asarray(sample.values, float), sample.groups, statistic,
        margin=bounds, seed=seed, level=level, blind=blind, why_none=why_none,
    )  # fmt: skip


def judge_statistic(
    null: str,
    measure: str,
    values: np.ndarray,
    groups: Sequence[str],
    statistic: Callable[[np.ndarray], float],
    *,
    margin: tuple[float, float],
    seed: int,
    level: float = LEVEL,
    blind: str | None = None,
    why_none: str | None = None,
) -> Finding:
    """`judge_mean` for any figure of the rows of `values`, (n,) or (n, ...)."""
    num_groups = len(set(groups))
    if num_groups == 0:
        return unsupported(null, measure, why_none or "no comparison could be made", margin=margin)
    interval = None
    if num_groups > 1:
        interval = bootstrap_interval(
            values, np.asarray(groups), statistic, draws=DRAWS, level=level, seed=seed
        )
    return _judged(
        null, measure, statistic(values), interval,
        level=level, margin=margin, groups=num_groups, blind=blind,
    )  # fmt: skip


def judge_share(
    null: str,
    measure: str,
    hits: Sequence[bool],
    groups: Sequence[str],
    *,
    most: float,
    seed: int,
    blind: str | None = None,
    why_none: str | None = None,
) -> Finding:
    """Judge that a share of events is at most `most`."""
    margin = (float("-inf"), most)
    if not hits:
        return unsupported(null, measure, why_none or "no comparison could be made", margin=margin)
    return _judged(
        null, measure, float(np.mean(hits)), share_interval(hits, groups, seed=seed),
        level=LEVEL, margin=margin, groups=len(set(groups)), blind=blind,
    )  # fmt: skip


def share_interval(
    hits: Sequence[bool], groups: Sequence[str], *, level: float = LEVEL, seed: int = 0
) -> tuple[float, float]:
    """Interval of a share: by groups where they differ; where they all agree, Wilson's of them.

    A bootstrap of rows that are all alike has no width, whatever their number.
    """
    shares: dict[str, list[bool]] = {name: [] for name in groups}
    for hit, name in zip(hits, groups, strict=True):
        shares[name].append(hit)
    means = {float(np.mean(group)) for group in shares.values()}
    if means <= {0.0} or means <= {1.0}:
        return wilson_interval(len(shares) if means == {1.0} else 0, len(shares), level)
    if len(shares) == 1:
        return 0.0, 1.0
    values = np.asarray(hits, float)
    return bootstrap_interval(values, np.asarray(groups), draws=DRAWS, level=level, seed=seed)


def plain_fact(null: str, measure: str, estimate: float, verdict: Verdict, because: str) -> Finding:
    """A null about this server that leaves nothing to chance, such as what it accepts."""
    return Finding(
        null=null, measure=measure, estimate=estimate, interval=None, level=LEVEL,
        margin=(0.0, 0.0), groups=0, verdict=verdict, because=because,
    )  # fmt: skip


def unsupported(
    null: str,
    measure: str,
    because: str,
    *,
    margin: tuple[float, float] = (0.0, 0.0),
) -> Finding:
    """A null about which this server lets nothing be learnt."""
    return Finding(
        null=null, measure=measure, estimate=None, interval=None, level=LEVEL, margin=margin,
        groups=0, verdict="not supported by this server", because=because,
    )  # fmt: skip


def _judged(
    null: str,
    measure: str,
    estimate: float,
    interval: tuple[float, float] | None,
    *,
    level: float,
    margin: tuple[float, float],
    groups: int,
    blind: str | None,
) -> Finding:
    verdict, because = _verdict(interval, margin, blind)
    return Finding(
        null=null, measure=measure, estimate=estimate, interval=interval, level=level,
        margin=margin, groups=groups, verdict=verdict, because=because,
    )  # fmt: skip


def _verdict(
    interval: tuple[float, float] | None, margin: tuple[float, float], blind: str | None
) -> tuple[Verdict, str]:
    if interval is None:
        return "not shown", "one text says nothing about how the next would differ"
    low, high = interval
    least, most = margin
    allowed = f"at most {most:g}" if least == float("-inf") else f"{least:g} to {most:g}"
    if least <= low and high <= most:
        if blind is not None:
            return "not shown", blind
        return "holds", f"the whole interval lies within what counts as none ({allowed})"
    if low > most or high < least:
        return (
            "does not hold",
            f"the whole interval lies outside of what counts as none ({allowed})",
        )
    return "not shown", f"the interval crosses the bound of what counts as none ({allowed})"
