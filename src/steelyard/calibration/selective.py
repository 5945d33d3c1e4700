"""Thresholds of confidence above which answers are wrong no more often than stated.

A selective classifier answers where it is confident and passes where it is not. The guarantee:
with probability at least 1 - delta over the labelled rows, the error rate among new answers above
the threshold is at most `risk`, if new questions come from where the rows came from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log2
from typing import TypeAlias

import numpy as np

from steelyard.calibration.bounds import binomial_p_value, clopper_pearson_upper
from steelyard.calibration.bounds import rows_needed as rows_needed_at
from steelyard.calibration.risk import fixed_sequence
from steelyard.errors import ShapeError, TooFewRowsError

GRID = tuple(step / 100 for step in range(99, -1, -1))
"""Thresholds that Learn-then-Test walks, the safest first. They must not come from the labels."""

STARTS = (1, 4, 9, 19, 39)
"""Where in GRID it begins: .98, .95, .9, .8, .6. Each has a fifth of delta."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectiveThreshold:
    """What was shown about answers above a threshold.

    Attributes:
        threshold: accepted is what has more confidence than this; None where no threshold could be
            shown to be safe, and nothing is accepted.
        risk: the largest error rate among accepted answers that was allowed.
        delta: the probability that the statement is false.
        rows: how many were seen; accepted: of them; errors: among those.
    """

    threshold: float | None
    risk: float
    delta: float
    rows: int
    accepted: int
    errors: int

    def accepts(self, confidence: float) -> bool:
        """Whether an answer of this confidence is covered by the guarantee."""
        return self.threshold is not None and confidence > self.threshold

    @property
    def coverage(self) -> float:
        """Share of the rows that were accepted."""
        return self.accepted / self.rows


Select: TypeAlias = Callable[..., SelectiveThreshold]
"""`scan_threshold` or `ltt_threshold`."""


def scan_threshold(
    confidences: np.ndarray, right: np.ndarray, *, risk: float, delta: float = 0.05
) -> SelectiveThreshold:
    """The most accepting of ceil(log2 n) thresholds whose binomial bound is within the risk.

    Geifman and El-Yaniv (2017, 1705.08500) with their correction: the bound b on the error rate of
    z accepted rows with k errors solves P(Bin(z, b) <= k) = delta / ceil(log2 n). They search by
    halving, and which thresholds that visits depends on the labels, so their union bound does not
    quite hold. Here the numbers z are fixed beforehand, evenly spaced up to n, and it does: the
    threshold is the confidence of the row after the z-th, so that those above it are a sample of
    all that lies above it.

    Args:
        confidences: (n,), above 0 to 1; of independent rows (one per group).
        right: (n,), whether the answer was right.
        risk, delta: strictly between 0 and 1.
    Raises:
        ShapeError: the arrays disagree, or a number is out of range.
        TooFewRowsError: so few rows that even without an error nothing could be shown.
    """
    confidences, wrong = _checked(confidences, right)
    n = len(wrong)
    if n < (needed := scan_rows_needed(risk, delta)):
        raise TooFewRowsError(f"an error rate of {risk:g}", rows=n, needed=needed)
    order = np.argsort(-confidences, kind="stable")
    ranked = confidences[order]
    num_levels = _num_levels(n)
    for level in range(num_levels, 0, -1):
        z = n * level // num_levels
        threshold = float(ranked[z]) if z < n else 0.0
        above = confidences > threshold  # fewer than z where confidences are tied
        accepted, errors = int(above.sum()), int(wrong[above].sum())
        if accepted and clopper_pearson_upper(errors, accepted, delta / num_levels) <= risk:
            return SelectiveThreshold(
                threshold=threshold,
                risk=risk,
                delta=delta,
                rows=n,
                accepted=accepted,
                errors=errors,
            )
    return _nothing(risk, delta, n)


def ltt_threshold(
    confidences: np.ndarray, right: np.ndarray, *, risk: float, delta: float = 0.05
) -> SelectiveThreshold:
    """The lowest threshold of GRID that Learn-then-Test shows to be within the risk.

    Answers are right or wrong, so the p-value is the exact binomial one. Finer than the scan, and
    it needs more rows at the confident end, where each start of its sequence stands.

    Args and errors: as of `scan_threshold`.
    """
    confidences, wrong = _checked(confidences, right)
    n = len(wrong)
    if n < (needed := rows_needed_at(risk, delta / len(STARTS))):
        raise TooFewRowsError(f"an error rate of {risk:g}", rows=n, needed=needed)
    counts = [
        (int((confidences > threshold).sum()), int(wrong[confidences > threshold].sum()))
        for threshold in GRID
    ]
    p_values = [binomial_p_value(errors, z, risk) if z else 1.0 for z, errors in counts]
    shown = fixed_sequence(p_values, delta, STARTS)
    if not shown:
        return _nothing(risk, delta, n)
    accepted, errors = counts[shown[-1]]
    return SelectiveThreshold(
        threshold=GRID[shown[-1]],
        risk=risk,
        delta=delta,
        rows=n,
        accepted=accepted,
        errors=errors,
    )


def scan_rows_needed(risk: float, delta: float) -> int:
    """The least n at which n rows without an error pass the scan's last level."""
    n = 1
    while n < (needed := rows_needed_at(risk, delta / _num_levels(n))):
        n = needed
    return n


def _num_levels(n: int) -> int:
    return max(1, ceil(log2(n)))


def _nothing(risk: float, delta: float, n: int) -> SelectiveThreshold:
    return SelectiveThreshold(threshold=None, risk=risk, delta=delta, rows=n, accepted=0, errors=0)


def _checked(confidences: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    confidences = np.asarray(confidences, dtype=np.float64)
    right = np.asarray(right)
    if confidences.ndim != 1 or right.shape != confidences.shape or not len(right):
        raise ShapeError(f"shapes {confidences.shape} and {right.shape}; allowed: (n,) both")
    if not ((confidences > 0) & (confidences <= 1)).all():
        raise ShapeError("allowed: above 0, to 1", field="confidences")
    if not np.isin(right, (0, 1)).all():
        raise ShapeError("allowed: right or wrong, 1 or 0", field="right")
    return confidences, right == 0
