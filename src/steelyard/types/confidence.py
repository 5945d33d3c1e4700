"""Confidence: how concentrated a distribution is, on a scale where the uniform is 0.

The formulas are those of the reference adapter of System One (`system-one-adapter` 0.2.1), computed
on unrounded probabilities. Confidence is arithmetic on the answer's own distribution; it is not a
second, learned estimate of being right.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum


def choice_confidence(probabilities: Sequence[float]) -> float:
    """How far the largest probability stands above the uniform: (p_max - 1/n) / (1 - 1/n).

    Args:
        probabilities: one per option, at least one, none negative. They are normalised first;
            all zero means uniform.
    Returns:
        A number in [0, 1]: 0 when uniform, 1 when certain, and 1 for a single option.
    """
    normalised = _normalise(probabilities)
    n = len(normalised)
    if n == 1:
        return 1.0
    return max(0.0, (max(normalised) - 1 / n) / (1 - 1 / n))


def score_confidence(probabilities: Sequence[float]) -> float:
    """How little the mass strays from the mode, against how much the uniform strays from its mean.

    With k the mode (the lowest of several): max(0, 1 - sum_i p_i |i - k| / D), where
    D = (1/n) sum_i |i - (n-1)/2|.

    Args:
        probabilities: one per level, low to high, at least one, none negative. They are normalised
            first; all zero means uniform.
    Returns:
        A number in [0, 1]: 1 when certain, and 1 for a single level.
    """
    normalised = _normalise(probabilities)
    n = len(normalised)
    if n == 1:
        return 1.0
    k = max(range(n), key=normalised.__getitem__)
    D = fsum(abs(i - (n - 1) / 2) for i in range(n)) / n
    spread = fsum(p * abs(i - k) for i, p in enumerate(normalised))
    return max(0.0, 1 - spread / D)


def _normalise(probabilities: Sequence[float]) -> list[float]:
    assert len(probabilities) > 0, "a distribution has at least one option"
    assert all(0 <= p < float("inf") for p in probabilities), "probabilities are finite, from 0 up"
    # fsum is correctly rounded, so the total is never below the largest term and no share exceeds 1
    total = fsum(probabilities)
    if total == 0:
        return [1 / len(probabilities)] * len(probabilities)
    return [p / total for p in probabilities]
