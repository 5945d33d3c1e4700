"""Probabilities for rows that the calibrator which made them has not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from steelyard.calibration.calibrator import Calibrator
from steelyard.calibration.readings import Reading
from steelyard.errors import ShapeError, TooFewRowsError

NUM_FOLDS = 5
SEED = 217


def folds(groups: Sequence[str], num_folds: int = NUM_FOLDS, seed: int = SEED) -> np.ndarray:
    """The fold of each row: integers (n,), 0 to num_folds - 1; a group is never in two.

    The distinct groups, sorted and shuffled; the fold is the place modulo `num_folds` (as SemIf's
    calibration does), so folds differ by at most one group.

    Raises:
        ShapeError: fewer than two folds.
        TooFewRowsError: fewer groups than folds.
    """
    if num_folds < 2:
        raise ShapeError(f"got {num_folds}; allowed: 2 or more", field="num_folds")
    names = sorted(set(groups))
    if len(names) < num_folds:
        raise TooFewRowsError("folds, of independent groups", rows=len(names), needed=num_folds)
    order = np.random.default_rng(seed).permutation(len(names))
    place = {names[which]: position % num_folds for position, which in enumerate(order.tolist())}
    return np.array([place[group] for group in groups])


def out_of_fold(
    readings: Sequence[Reading],
    fit: Callable[[Sequence[Reading]], Calibrator],
    *,
    num_folds: int = NUM_FOLDS,
    seed: int = SEED,
) -> list[np.ndarray]:
    """The probabilities of each reading by a calibrator fitted on the other folds, in order.

    Raises:
        TooFewRowsError: fewer groups than folds; or what `fit` raises of the rows of the others.
        CapabilityError: a slot occurs in one fold alone, and no other can teach it.
    """
    fold_of = folds([one.group for one in readings], num_folds, seed)
    found: dict[int, np.ndarray] = {}
    for fold in range(num_folds):
        calibrator = fit([one for one, of in zip(readings, fold_of, strict=True) if of != fold])
        for row in np.flatnonzero(fold_of == fold).tolist():
            one = readings[row]
            found[row] = calibrator.apply(one.scores, kind=one.kind, exit_layer=one.exit_layer)
    return [found[row] for row in range(len(readings))]
