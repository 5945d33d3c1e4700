"""The minimum of a smooth function of a few numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steelyard.errors import ShapeError

STEPS = 2000
SLOPE = 1e-9
"""A gradient below this is 0: losses here are means over rows, of size 1."""

SHRINK, ARMIJO = 0.5, 1e-4
SHORTEST = 1e-14
"""A step shorter than this changes nothing that a float can tell."""


def minimise(
    value_and_slope: Callable[[np.ndarray], tuple[float, np.ndarray]], start: np.ndarray
) -> np.ndarray:
    """Where the function is least, by BFGS with backtracking (Nocedal and Wright 2006, ch. 6).

    A fit has at most some hundred parameters, so the dense inverse Hessian costs nothing, and the
    package needs no optimiser at run time.

    Args:
        value_and_slope: of parameters (p,): the value, and its gradient (p,).
        start: (p,).
    Returns:
        (p,); for a convex function its minimum, else the valley that the start lies in.
    Raises:
        ShapeError: it does not settle: the data separate, and nothing holds the parameters back.
    """
    at = np.array(start, dtype=np.float64)
    value, slope = value_and_slope(at)
    inverse = np.eye(len(at))  # of the Hessian
    for _ in range(STEPS):
        if np.abs(slope).max() < SLOPE:
            return at
        direction = -inverse @ slope
        if direction @ slope >= 0:  # rounding has spoilt the estimate
            inverse, direction = np.eye(len(at)), -slope
        length = 1.0
        while True:
            tried = at + length * direction
            next_value, next_slope = value_and_slope(tried)
            if next_value <= value + ARMIJO * length * float(direction @ slope):
                break
            length *= SHRINK
            if length < SHORTEST:
                return at  # flat as far as floats can tell
        step, turn = tried - at, next_slope - slope
        at, value, slope = tried, next_value, next_slope
        curvature = float(step @ turn)
        if curvature > 0:
            left = np.eye(len(at)) - np.outer(step, turn) / curvature
            inverse = left @ inverse @ left.T + np.outer(step, step) / curvature
    raise ShapeError(
        f"the fit did not settle in {STEPS} steps; the steepest slope left is "
        f"{np.abs(slope).max():.1e}, allowed: below {SLOPE}"
    )
