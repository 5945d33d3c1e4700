"""How strange each option would be as the answer: the scores that conformal sets are cut from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

Strangeness: TypeAlias = Callable[[np.ndarray, float], np.ndarray]
"""Of probabilities (options,) and u in [0, 1): float64 (options,), larger is stranger."""

RAPS_WEIGHT, RAPS_FREE = 0.01, 5
"""lambda and k_reg of Angelopoulos et al. (2020), table 1: they punish sets of more than 5."""


def lac(probabilities: np.ndarray, u: float = 0.0) -> np.ndarray:
    """1 - p_y: the smallest sets on average (Sadinle et al. 2019; THR). `u` is not used."""
    return 1.0 - probabilities


def aps(probabilities: np.ndarray, u: float = 0.0) -> np.ndarray:
    """The mass down to y in descending order, less u p_y (Romano et al. 2020, 2006.02544).

    Sets grow where the model is unsure, so that hard questions are covered like easy ones. With
    u = 0 whole options count; drawn uniformly from [0, 1), coverage is met without excess.
    """
    order = np.argsort(-probabilities, kind="stable")
    strange = np.empty(len(probabilities))
    strange[order] = np.cumsum(probabilities[order]) - u * probabilities[order]
    return strange


def raps(probabilities: np.ndarray, u: float = 0.0) -> np.ndarray:
    """APS and lambda (rank - k_reg)_+ (Angelopoulos et al. 2020, 2009.14193), rank from 1.

    The penalty keeps a long tail of unlikely options out of the set.
    """
    order = np.argsort(-probabilities, kind="stable")
    strange = aps(probabilities, u)
    ranks = np.arange(1, len(order) + 1)
    strange[order] += RAPS_WEIGHT * np.maximum(0, ranks - RAPS_FREE)
    return strange


def interval(probabilities: np.ndarray, u: float = 0.0) -> np.ndarray:
    """The mass of the interval that grows from the mode until it holds y; for ordered levels.

    It always takes the heavier neighbour, the lower of two equal ones (as sureband does), so that
    every set is an interval: levels are taken in one order, and a set is where that order is cut.
    `u` is used as in APS.
    """
    low = high = int(probabilities.argmax())
    mass = 0.0
    strange = np.empty(len(probabilities))
    taken = low
    while True:
        mass += float(probabilities[taken])
        strange[taken] = mass - u * float(probabilities[taken])
        below = float(probabilities[low - 1]) if low > 0 else -1.0
        above = float(probabilities[high + 1]) if high + 1 < len(probabilities) else -1.0
        if below < 0 and above < 0:
            return strange
        if below >= above:
            taken = low = low - 1
        else:
            taken = high = high + 1


STRANGENESS: dict[str, Strangeness] = {"lac": lac, "aps": aps, "raps": raps, "interval": interval}
"""By the name in a file. "interval" is for scores."""
