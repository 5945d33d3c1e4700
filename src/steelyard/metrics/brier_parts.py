"""What a Brier score is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.metrics.reliability import reliability_bins


@dataclass(frozen=True, slots=True)
class BrierParts:
    """reliability - resolution + uncertainty + within is the mean of (c - y)^2.

    Attributes:
        reliability: how far stated and observed frequencies are apart; 0 is perfect.
        resolution: how far the observed frequencies of the bins are from the overall one; more is
            better.
        uncertainty: the outcomes' own spread, which no forecast changes.
        within: what the bins hide: var(c) - 2 cov(c, y) inside of them (Stephenson et al. 2008).
    """

    reliability: float
    resolution: float
    uncertainty: float
    within: float

    @property
    def total(self) -> float:
        return self.reliability - self.resolution + self.uncertainty + self.within


def brier_parts(confidences: np.ndarray, outcomes: np.ndarray, num_bins: int = 10) -> BrierParts:
    """Murphy's decomposition (1973) over bins of equal width, with the part that bins leave over.

    Args:
        confidences: (n,), in [0, 1]; outcomes: (n,), in [0, 1].
    Raises:
        ShapeError: as `reliability_bins`.
    """
    bins = reliability_bins(confidences, outcomes, num_bins)
    confidences, outcomes = np.asarray(confidences, float), np.asarray(outcomes, float)
    weights = bins.counts / len(confidences)
    overall = float(outcomes.mean())
    centred = confidences - bins.confidences[bins.places]
    within = centred * (centred - 2 * (outcomes - bins.outcomes[bins.places]))
    return BrierParts(
        reliability=float(weights @ np.square(bins.confidences - bins.outcomes)),
        resolution=float(weights @ np.square(bins.outcomes - overall)),
        uncertainty=float(np.square(outcomes - overall).mean()),
        within=float(within.mean()),
    )
