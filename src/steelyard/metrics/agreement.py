"""Agreement of answers on ordered levels, less what chance would give."""

from __future__ import annotations

import numpy as np

from steelyard.errors import ShapeError


def quadratic_kappa(answers: np.ndarray, labels: np.ndarray, num_levels: int) -> float:
    """Cohen's kappa with squared distances as weights (Cohen 1968).

    1 - sum_ij (i - j)^2 O_ij / sum_ij (i - j)^2 E_ij, where O counts pairs of answer and label and
    E is what their margins give when they have nothing to do with one another.

    Args:
        answers, labels: (n,), integers in [0, num_levels).
    Returns:
        At most 1, which is full agreement; 0 is chance; NaN where all are on one level.
    Raises:
        ShapeError: the arrays are empty, disagree on n, or hold no such levels.
    """
    answers, labels = np.asarray(answers), np.asarray(labels)
    if answers.ndim != 1 or answers.shape != labels.shape or not len(answers):
        raise ShapeError(f"shapes {answers.shape} and {labels.shape}; allowed: (n,) both")
    for field, values in (("answers", answers), ("labels", labels)):
        if values.dtype.kind not in "iu" or values.min() < 0 or values.max() >= num_levels:
            raise ShapeError(f"allowed: integers from 0 to {num_levels - 1}", field=field)
    observed = np.square(answers - labels, dtype=np.float64).mean()
    # Of independent draws from the margins: E(a - b)^2 = E a^2 - 2 Ea Eb + E b^2.
    expected = (
        np.square(answers, dtype=np.float64).mean()
        - 2 * answers.mean() * labels.mean()
        + np.square(labels, dtype=np.float64).mean()
    )
    return float(1 - observed / expected) if expected > 0 else float("nan")
