"""Sets of options that hold the right one with a stated probability.

Split conformal prediction (Vovk et al. 2005): of n labelled rows, the threshold is the
ceil((n+1)(1-alpha))-th smallest strangeness of the right option; the set of a new question is every
option no stranger than that. If the new row and the n are exchangeable, the set holds the right
option with probability at least 1 - alpha, however wrong the probabilities are. That is an average
over calibration data and questions: on fresh rows the coverage of one fit follows
Beta(k, n + 1 - k) with k = ceil((n+1)(1-alpha)). It says nothing of questions from elsewhere.

Rows of one group are not exchangeable with rows of new ones, so one of each group counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np

from steelyard.calibration.nonconformity import STRANGENESS
from steelyard.calibration.readings import Reading, drawn
from steelyard.calibration.slots import BUCKETS, Range, Slot, by_slot, find, need
from steelyard.errors import ShapeError, TooFewRowsError

MIN_ROWS = 100
"""Of a slot. The rule alone needs 1/alpha - 1; but with so few, coverage of one fit swings wide:
at 100 rows and alpha .1 its standard deviation is .03."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The threshold of one slot.

    Attributes:
        strangeness: options up to this, included, are in the set.
        rows: from how many independent rows.
    """

    strangeness: float
    rows: int


@dataclass(frozen=True, slots=True)
class ConformalSets:
    """Thresholds for each slot (Mondrian: coverage holds within every slot, not just overall).

    Attributes:
        method: a name in STRANGENESS.
        randomised: whether a set depends on a draw u.
        alpha: largest probability that the right option is missing.
        cuts: slot -> threshold.
    """

    method: str
    randomised: bool
    alpha: float
    cuts: Mapping[Slot, Cut]

    def options(
        self,
        probabilities: np.ndarray,
        *,
        kind: str,
        exit_layer: int,
        u: float | None = None,
        allow_empty: bool = False,
    ) -> tuple[int, ...]:
        """The set: indices of options, ascending.

        Args:
            probabilities: (options,), made as those of the fit were.
            u: in [0, 1), drawn for this question, where the sets are randomised.
            allow_empty: a set may be empty where even the most probable option is too strange;
                otherwise that option is always in it, which can only raise the coverage.
        Raises:
            CapabilityError: no threshold was fitted for the exit, kind or option count.
            ShapeError: a draw is missing, or given where none is used.
        """
        if (u is None) == self.randomised or not 0.0 <= (u or 0.0) < 1.0:
            allowed = "from 0 to below 1" if self.randomised else "none, sets are not randomised"
            raise ShapeError(f"got {u}; allowed: {allowed}", field="u")
        count = len(probabilities)
        cut = need(self.cuts, "sets", kind=kind, exit_layer=exit_layer, num_options=count)
        strange = STRANGENESS[self.method](probabilities, u or 0.0)
        inside = strange <= cut.strangeness
        if not allow_empty:
            inside[probabilities.argmax()] = True
        return tuple(np.flatnonzero(inside).tolist())

    def covers(self, *, kind: str, exit_layer: int, num_options: int) -> bool:
        """Whether there is a threshold for such questions."""
        found = find(self.cuts, kind=kind, exit_layer=exit_layer, num_options=num_options)
        return found is not None


def rows_needed(alpha: float) -> int:
    """The least n for which ceil((n+1)(1-alpha)) <= n: below it every set holds all options."""
    n = max(1, floor(1 / alpha - 1) - 1)
    while _rank(n, alpha) > n:
        n += 1
    return n


def conformal_quantile(strangeness: np.ndarray, alpha: float) -> float:
    """The ceil((n+1)(1-alpha))-th smallest of (n,).

    Raises:
        ShapeError: alpha outside (0, 1).
        TooFewRowsError: n below `rows_needed`.
    """
    _check(alpha)
    rank = _rank(len(strangeness), alpha)
    if rank > len(strangeness):
        raise TooFewRowsError(
            f"coverage of {1 - alpha:g}", rows=len(strangeness), needed=rows_needed(alpha)
        )
    return float(np.sort(strangeness)[rank - 1])


def fit_conformal(
    readings: Sequence[Reading],
    probabilities: Sequence[np.ndarray],
    *,
    method: str,
    alpha: float,
    randomised: bool = False,
    ranges: Sequence[Range] = BUCKETS,
    min_rows: int = MIN_ROWS,
    seed: int = 0,
) -> ConformalSets:
    """Thresholds from labelled rows that neither the weights nor the calibrator has seen.

    One row of each group counts, taken at random. Where a target is a distribution, the answer to
    be covered is drawn from it, so that a set holds a random annotator's answer.

    Args:
        probabilities: (options,) of each reading, as they will be served.
        method: "lac", "aps", "raps"; "interval" for scores alone.
        ranges: of option counts with a threshold of their own.
        min_rows: independent rows that a slot needs; never fewer than `rows_needed(alpha)`.
        seed: of the rows taken, the answers drawn, and u.
    Raises:
        ShapeError: an unknown method, alpha outside (0, 1), or probabilities that do not fit.
        TooFewRowsError: a slot has too few independent rows.
    """
    _check(alpha)
    if method not in STRANGENESS:
        raise ShapeError(f"got {method!r}; allowed: {', '.join(STRANGENESS)}", field="method")
    if randomised and method == "lac":
        raise ShapeError("lac has nothing to randomise; allowed: aps, raps", field="randomised")
    wrong = [one.kind for one in readings if one.kind != "score"]
    if method == "interval" and wrong:
        raise ShapeError(
            f"got interval for a {wrong[0]}; allowed: for scores, whose levels have an order",
            field="method",
        )
    shapes = [one.scores.shape for one in readings]
    if [one.shape for one in probabilities] != shapes:
        raise ShapeError("allowed: (options,) of every reading", field="probabilities")
    random = np.random.default_rng(seed)
    forecast_of = {id(one): p for one, p in zip(readings, probabilities, strict=True)}
    needed = max(min_rows, rows_needed(alpha))
    cuts = {}
    for slot, members in by_slot(readings, ranges).items():
        rows = one_per_group(members, random)
        if len(rows) < needed:
            raise TooFewRowsError(f"conformal sets for {slot}", rows=len(rows), needed=needed)
        strange = np.empty(len(rows))
        for index, one in enumerate(rows):
            u = random.random() if randomised else 0.0
            strange[index] = STRANGENESS[method](forecast_of[id(one)], u)[drawn(one.target, random)]
        cuts[slot] = Cut(conformal_quantile(strange, alpha), len(rows))
    if not cuts:
        raise TooFewRowsError("conformal sets", rows=0, needed=needed)
    return ConformalSets(method, randomised, alpha, cuts)


def one_per_group(readings: Sequence[Reading], random: np.random.Generator) -> list[Reading]:
    """One reading of each group, any with the same chance, groups in order of appearance."""
    groups: dict[str, list[Reading]] = {}
    for one in readings:
        groups.setdefault(one.group, []).append(one)
    return [members[random.integers(len(members))] for members in groups.values()]


def _rank(n: int, alpha: float) -> int:
    # (n+1)(1-alpha) is a whole number more often than floats say
    return ceil((n + 1) * (1 - alpha) - 1e-9)


def _check(alpha: float) -> None:
    if not 0 < alpha < 1:
        raise ShapeError(f"got {alpha}; allowed: strictly between 0 and 1", field="alpha")
