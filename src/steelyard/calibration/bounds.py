"""How wrong a rule may be, given how often it was wrong on a sample."""

from __future__ import annotations

from math import ceil, exp, floor, log, log1p

import numpy as np

from steelyard.errors import ShapeError

HALVINGS = 60
"""Of an interval of length 1: beyond the precision of a float."""


def binomial_cdf(k: int, n: int, p: float) -> float:
    """P(at most k of n independent trials succeed), each with probability p.

    Args:
        k: any integer; n: 0 or more; p: in [0, 1].
    """
    if k < 0:
        return 0.0
    if k >= n or p <= 0.0:
        return 1.0
    if p >= 1.0:
        return 0.0
    j = np.arange(k + 1)
    logs = _log_choose(n)[: k + 1] + j * log(p) + (n - j) * log1p(-p)
    return float(min(1.0, np.exp(logs).sum()))


def clopper_pearson_upper(errors: int, n: int, delta: float) -> float:
    """The b for which P(at most `errors` of n | b) = delta (Clopper and Pearson 1934, one-sided).

    The true error rate exceeds it with probability at most delta.

    Raises:
        ShapeError: not 0 <= errors <= n, or delta outside (0, 1).
    """
    _check(errors, n, delta)
    if errors == n:
        return 1.0
    low, high = errors / n, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if binomial_cdf(errors, n, middle) > delta else (low, middle)
    return high


def binomial_p_value(errors: int, n: int, alpha: float) -> float:
    """P-value of "the error rate exceeds alpha" for losses 0 or 1: exact, and so the sharpest."""
    _check(errors, n, alpha)
    return binomial_cdf(errors, n, alpha)


def hoeffding_bentkus(mean: float, n: int, alpha: float) -> float:
    """P-value of "the risk exceeds alpha" for any losses in [0, 1] (Bates et al. 2021, 2101.02703).

    min(exp(-n h(min(R, alpha), alpha)), e P(Bin(n, alpha) <= ceil(n R))), where h(a, b) is the
    divergence of two coins, a ln(a/b) + (1-a) ln((1-a)/(1-b)).

    Args:
        mean: R, the mean loss of n independent rows.
    Raises:
        ShapeError: mean outside [0, 1], no rows, alpha outside (0, 1).
    """
    if not 0 <= mean <= 1:
        raise ShapeError(f"got {mean}; allowed: 0 to 1", field="mean")
    _check(0, n, alpha)
    a = min(mean, alpha)
    divergence = (a * log(a / alpha) if a > 0 else 0.0) + (
        (1 - a) * log((1 - a) / (1 - alpha)) if a < 1 else 0.0
    )
    # n R is a whole number more often than floats say
    errors = ceil(n * mean - 1e-9)
    return min(1.0, exp(-n * divergence), exp(1) * binomial_cdf(errors, n, alpha))


def rows_needed(alpha: float, delta: float) -> int:
    """The least n at which n rows without an error show, at level delta, an error rate of alpha.

    (1 - alpha)^n <= delta. For 1 % at 95 %: 299.
    """
    _check(0, 1, alpha)
    _check(0, 1, delta)
    n = max(1, floor(log(delta) / log1p(-alpha)))
    return n if (1 - alpha) ** n <= delta else n + 1


def _log_choose(n: int) -> np.ndarray:
    """ln C(n, j) of all j from 0 to n."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])  # ln j!
    return np.asarray(logs[n] - logs - logs[::-1])


def _check(errors: int, n: int, level: float) -> None:
    if n < 1 or not 0 <= errors <= n:
        raise ShapeError(f"{errors} of {n}; allowed: 0 to n, n from 1", field="errors")
    if not 0 < level < 1:
        raise ShapeError(f"got {level}; allowed: strictly between 0 and 1", field="level")
