"""What the expected calibration error of a perfect forecaster would be on a finite sample."""

from __future__ import annotations

import numpy as np

from steelyard.errors import ShapeError
from steelyard.metrics.reliability import expected_calibration_error


def ece_noise_floor(
    confidences: np.ndarray, num_bins: int = 10, draws: int = 200, seed: int = 0
) -> float:
    """Mean ECE over outcomes drawn with exactly the stated probabilities (sys1bench 0.3.2).

    ECE takes absolute values of bin means, which are never exactly 0, so it is positive for a
    forecaster who is right about every probability. A measured ECE says something only beyond this.
    It supposes that rows are independent; where they are not, the floor is higher still.

    Args:
        confidences: (n,), in [0, 1].
        num_bins: as for the ECE it is shown beside.
        draws: number of samples of outcomes, 1 or more.
        seed: same seed, same floor.
    Returns:
        A number in [0, 1].
    Raises:
        ShapeError: what `expected_calibration_error` raises, or no draws.
    """
    if draws < 1:
        raise ShapeError(f"{draws}; allowed: 1 or more", field="draws")
    confidences = np.asarray(confidences, dtype=np.float64)
    random = np.random.default_rng(seed)
    errors = [
        expected_calibration_error(
            confidences,
            (random.random(confidences.shape) < confidences).astype(np.float64),
            num_bins,
        )
        for _ in range(draws)
    ]
    return float(np.mean(errors))
