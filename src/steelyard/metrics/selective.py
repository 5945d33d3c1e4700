"""What is gained by not answering where confidence is low.

These are figures of one sample. What may be promised of new answers is another matter, and is in
`calibration/selective.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import ShapeError


@dataclass(frozen=True, slots=True, eq=False)
class RiskCoverage:
    """Mean loss of the most confident answers, by how many are taken.

    Attributes:
        coverage: (m,), rising to 1: the shares at which a threshold can cut; equal confidences are
            taken together.
        risk: (m,), the mean loss of what is taken there.
        area: the mean risk over all numbers of answers taken, AURC (Geifman et al. 2019); among
            equal confidences the order is random.
        excess: the area less that of an order that knows the losses: 0 is the best there is.
    """

    coverage: np.ndarray
    risk: np.ndarray
    area: float
    excess: float

    def coverage_at(self, risk: float) -> float:
        """The largest share of answers whose risk is at most this; 0 where there is none."""
        within = self.coverage[self.risk <= risk]
        return float(within.max()) if len(within) else 0.0


def risk_coverage(confidences: np.ndarray, losses: np.ndarray) -> RiskCoverage:
    """The curve of risk against coverage.

    Args:
        confidences: (n,), the larger the surer.
        losses: (n,), such as 1 for a wrong answer and 0 for a right one.
    Raises:
        ShapeError: the arrays are empty, or disagree on n.
    """
    confidences = np.asarray(confidences, dtype=np.float64)
    losses = np.asarray(losses, dtype=np.float64)
    if confidences.ndim != 1 or losses.shape != confidences.shape or not len(losses):
        raise ShapeError(f"shapes {confidences.shape} and {losses.shape}; allowed: (n,) both")
    n = len(losses)
    _, place, counts = np.unique(-confidences, return_inverse=True, return_counts=True)
    upto = counts.cumsum()  # (m,), answers taken up to each confidence
    means = np.bincount(place, weights=losses) / counts
    taken = np.repeat(means, counts).cumsum()  # (n,), expected loss of the first i + 1
    numbers = np.arange(1, n + 1)
    area = float((taken / numbers).mean())
    best = float((np.sort(losses).cumsum() / numbers).mean())
    return RiskCoverage(
        coverage=upto / n,
        risk=taken[upto - 1] / upto,
        area=area,
        excess=max(0.0, area - best),
    )
