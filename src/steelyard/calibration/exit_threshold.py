"""How sure an early exit must be, so that it seldom says what full depth would not.

The rule is the engine's: a question leaves at the first exit where its confidence reaches the
threshold. What is bounded is the whole rule: the share of all questions, wherever they leave, whose
decision differs from full depth (CALM, Schuster et al. 2022, 2207.07061). It needs no labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.calibration.bounds import binomial_p_value, rows_needed
from steelyard.calibration.risk import fixed_sequence
from steelyard.errors import ShapeError, TooFewRowsError

GRID = tuple(step / 200 for step in range(200, 99, -1))
"""Thresholds that are tried, 1 to .5, the safest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitThreshold:
    """What was shown about an exit rule.

    Attributes:
        threshold: a question leaves where its confidence is at least this; None where not even 1
            could be shown to be safe, and every question must go to full depth.
        disagreement: the largest share that was allowed.
        delta: the probability that the statement is false.
        rows: how many were seen; differing: of them, how many decided otherwise than full depth.
        exits: how many left at each exit; the last is full depth.
    """

    threshold: float | None
    disagreement: float
    delta: float
    rows: int
    differing: int
    exits: tuple[int, ...]


def fit_exit_threshold(
    confidences: np.ndarray,
    decisions: np.ndarray,
    *,
    disagreement: float = 0.01,
    delta: float = 0.05,
) -> ExitThreshold:
    """The lowest threshold whose disagreement Learn-then-Test shows to be within the limit.

    Whether two decisions differ is 0 or 1, so the p-value is the exact binomial one; it is never
    above that of Hoeffding and Bentkus.

    Args:
        confidences: (n, exits), in [0, 1], as the exit rule sees them, the last layer left out; of
            independent questions (one per group).
        decisions: (n, exits + 1), integers: what each exit and, last, full depth would answer.
        disagreement, delta: strictly between 0 and 1. 1 % at 95 % needs 299 questions.
    Raises:
        ShapeError: the arrays disagree, or a number is out of range.
        TooFewRowsError: so few rows that even full agreement could not be shown.
    """
    confidences, decisions = np.asarray(confidences, dtype=np.float64), np.asarray(decisions)
    if confidences.ndim != 2 or 0 in confidences.shape:
        raise ShapeError(f"shape {confidences.shape}; allowed: (n, exits)", field="confidences")
    if not ((confidences >= 0) & (confidences <= 1)).all():
        raise ShapeError("allowed: 0 to 1", field="confidences")
    n, num_exits = confidences.shape
    if decisions.shape != (n, num_exits + 1):
        raise ShapeError(
            f"shape {decisions.shape}; allowed: ({n}, {num_exits + 1})", field="decisions"
        )
    if n < (needed := rows_needed(disagreement, delta)):
        raise TooFewRowsError(f"a disagreement of {disagreement:g}", rows=n, needed=needed)

    def outcome(threshold: float) -> tuple[np.ndarray, int]:
        sure = np.column_stack([confidences >= threshold, np.ones(n, dtype=bool)])
        spoke = sure.argmax(axis=1)  # (n,), the first exit that is sure
        said = decisions[np.arange(n), spoke]
        return spoke, int((said != decisions[:, -1]).sum())

    outcomes = [outcome(threshold) for threshold in GRID]
    p_values = [binomial_p_value(differing, n, disagreement) for _, differing in outcomes]
    shown = fixed_sequence(p_values, delta)
    if shown:
        best: float | None = GRID[shown[-1]]
        spoke, differing = outcomes[shown[-1]]
    else:
        best, spoke, differing = None, np.full(n, num_exits), 0
    return ExitThreshold(
        threshold=best,
        disagreement=disagreement,
        delta=delta,
        rows=n,
        differing=differing,
        exits=tuple(np.bincount(spoke, minlength=num_exits + 1).tolist()),
    )
