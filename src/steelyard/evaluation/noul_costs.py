"""What a suite's yes/no decisions cost, by the rule that turns probabilities into decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.calibration.costs import threshold_for
from steelyard.errors import ShapeError
from steelyard.evaluation.run import Prediction


@dataclass(frozen=True, slots=True, kw_only=True)
class NoulCosts:
    """Mean cost of a decision; right ones are free.

    Attributes:
        threshold: the P(yes) from which calibrated probabilities make yes the cheaper answer.
        argmax: yes from a half on; bayes: yes from the threshold on. Where bayes costs more than
            argmax, the probabilities do not mean what they say.
        constant: of always yes or always no, the cheaper: what a model must beat.
        best: of the best threshold in hindsight: what better calibration could still gain.
    """

    threshold: float
    argmax: float
    bayes: float
    constant: float
    best: float


def noul_costs(
    predictions: Sequence[Prediction], *, false_yes: float, false_no: float
) -> NoulCosts:
    """The costs of nouls; other kinds are passed over.

    Args:
        false_yes, false_no: cost of a wrong yes and of a wrong no, above 0.
    Raises:
        ShapeError: no noul, or a cost that is not above 0.
    """
    threshold = threshold_for(false_yes, false_no)
    nouls = [one for one in predictions if one.kind == "noul"]
    if not nouls:
        raise ShapeError("no noul; allowed: one or more", field="predictions")
    said = np.array([one.probabilities[0] for one in nouls])
    yes = np.array([one.target[0] for one in nouls])

    def cost(from_p: float) -> float:
        decided = said >= from_p
        return float(np.where(decided, (1 - yes) * false_yes, yes * false_no).mean())

    return NoulCosts(
        threshold=threshold,
        argmax=cost(0.5),
        bayes=cost(threshold),
        constant=min(cost(-np.inf), cost(np.inf)),
        best=min(cost(at) for at in (*np.unique(said), np.inf)),
    )
