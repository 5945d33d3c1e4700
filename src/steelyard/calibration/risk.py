"""Choosing a parameter so that a risk stays below a limit, in every fit or on average over fits."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np

from steelyard.errors import ShapeError, TooFewRowsError


def fixed_sequence(
    p_values: Sequence[float], delta: float, starts: Sequence[int] = (0,)
) -> list[int]:
    """Indices whose null is rejected, with probability at most delta that any of them is true.

    Learn-then-Test by fixed-sequence testing (Angelopoulos et al. 2021, 2110.01052, algorithm 1):
    from every start with a share delta / len(starts), on while p stays within the share. Nothing is
    paid for the number of parameters, but order and starts must not depend on the labels.

    Args:
        p_values: of "the risk at this parameter exceeds the limit", the safest parameter first.
        delta: in (0, 1).
        starts: indices, at least one. One alone is sharpest where the safest parameter has enough
            rows to be shown safe; several help where that is not known.
    Raises:
        ShapeError: delta or a start is impossible.
    """
    if not 0 < delta < 1:
        raise ShapeError(f"got {delta}; allowed: strictly between 0 and 1", field="delta")
    if not starts or not all(0 <= start < len(p_values) for start in starts):
        raise ShapeError(
            f"got {list(starts)}; allowed: one or more from 0 to {len(p_values) - 1}",
            field="starts",
        )
    rejected: set[int] = set()
    for start in starts:
        for index in range(start, len(p_values)):
            if p_values[index] > delta / len(starts):
                break
            rejected.add(index)
    return sorted(rejected)


def conformal_risk_control(losses: np.ndarray, alpha: float, *, most: float = 1.0) -> int:
    """The first parameter whose expected risk on a new row is at most alpha.

    Conformal risk control (Angelopoulos et al. 2022, 2208.02814): the first lambda with
    n/(n+1) R(lambda) + B/(n+1) <= alpha. With the loss "the right option is missing" it is split
    conformal prediction. The bound is on the average over fits and rows, as with conformal sets;
    for one that holds in nearly every fit see `fixed_sequence`.

    Args:
        losses: (n, parameters), in [0, most], no row ever rising from one parameter to the next.
        alpha: the limit, above 0.
        most: B, the largest loss possible.
    Returns:
        An index into the parameters.
    Raises:
        ShapeError: losses that rise or leave their range; or even the last parameter is too risky.
        TooFewRowsError: n below B / alpha - 1, where no losses would do.
    """
    losses = np.asarray(losses, dtype=np.float64)
    if losses.ndim != 2 or 0 in losses.shape or losses.min() < 0 or losses.max() > most:
        raise ShapeError(
            f"shape {losses.shape}; allowed: (n, parameters) within 0 to {most}", field="losses"
        )
    if (np.diff(losses, axis=1) > 0).any():
        row = int((np.diff(losses, axis=1) > 0).any(axis=1).argmax())
        raise ShapeError(f"row {row} rises; allowed: none ever rising", field="losses")
    if alpha <= 0:
        raise ShapeError(f"got {alpha}; allowed: above 0", field="alpha")
    n = len(losses)
    needed = max(1, ceil(most / alpha - 1 - 1e-9))
    if n < needed:
        raise TooFewRowsError(f"an expected risk of {alpha:g}", rows=n, needed=needed)
    bounds = (losses.sum(axis=0) + most) / (n + 1)
    safe = np.flatnonzero(bounds <= alpha + 1e-12)
    if not len(safe):
        raise ShapeError(
            f"the last parameter still has the bound {bounds[-1]:.4f}; allowed: {alpha}",
            field="losses",
        )
    return int(safe[0])
