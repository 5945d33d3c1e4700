"""Decisions by what they cost: the action whose expected cost is least.

Costs enter when a decision is made, not when a model is trained or calibrated: calibrated
probabilities serve every cost matrix, and one that changes needs no new fit (Elkan 2001).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import ShapeError
from steelyard.metrics.forecasts import as_forecasts


@dataclass(frozen=True, slots=True)
class CostDecision:
    """The cheapest action.

    Attributes:
        action: index of a row of the costs; the first of several.
        expected: expected cost of every action.
    """

    action: int
    expected: tuple[float, ...]


def cheapest(probabilities: np.ndarray, costs: np.ndarray) -> CostDecision:
    """argmin_a sum_y p(y) c(a, y).

    Args:
        probabilities: (options,), calibrated.
        costs: (actions, options), finite: the cost of an action where an option is right; negative
            is a gain. Actions need not be options: "ask a person" is a row of equal costs.
    Raises:
        ShapeError: the arrays do not fit, or hold no probabilities or costs.
    """
    probabilities = as_forecasts(np.asarray(probabilities)[None], "probabilities")[0]
    costs = np.asarray(costs, dtype=np.float64)
    if costs.ndim != 2 or not len(costs) or costs.shape[1] != len(probabilities):
        raise ShapeError(
            f"shape {costs.shape}; allowed: (actions, {len(probabilities)})", field="costs"
        )
    if not np.isfinite(costs).all():
        raise ShapeError("allowed: finite numbers", field="costs")
    expected = costs @ probabilities  # (actions,)
    return CostDecision(int(expected.argmin()), tuple(expected.tolist()))


def mean_cost(probabilities: np.ndarray, labels: np.ndarray, costs: np.ndarray) -> float:
    """What `cheapest` costs on average over rows.

    Args:
        probabilities: (n, options); labels: (n,), integers in [0, options); costs: as above.
    Raises:
        ShapeError: the arrays do not fit.
    """
    labels = np.asarray(labels)
    if labels.shape != (len(probabilities),) or labels.dtype.kind not in "iu" or not len(labels):
        raise ShapeError(
            f"{labels.dtype} of shape {labels.shape}; allowed: integers ({len(probabilities)},)",
            field="labels",
        )
    actions = [cheapest(row, costs).action for row in probabilities]
    return float(np.asarray(costs, dtype=np.float64)[actions, labels].mean())


def threshold_for(false_yes: float, false_no: float) -> float:
    """The P(yes) from which yes is cheaper than no: false_yes / (false_yes + false_no).

    Args:
        false_yes, false_no: cost of a wrong yes and of a wrong no, above 0; right answers are free.
    Raises:
        ShapeError: a cost that is not above 0.
    """
    if not (false_yes > 0 and false_no > 0):
        raise ShapeError(f"got {false_yes} and {false_no}; allowed: above 0")
    return false_yes / (false_yes + false_no)
