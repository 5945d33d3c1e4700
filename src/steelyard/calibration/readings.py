"""What a calibrator learns from: scores that were read, and what they should have said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from steelyard.errors import ShapeError


class Scored(Protocol):
    """Scores of one distribution and its target, as the fits below read them."""

    @property
    def scores(self) -> np.ndarray: ...

    @property
    def target(self) -> np.ndarray: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reading:
    """One labelled question, read at one exit.

    Attributes:
        kind: "noul", "choice" or "score".
        scores: finite float64 (options,), unnormalised; a noul's are (yes, no).
        target: float64 (options,), summing to 1: votes, a teacher's distribution, or one-hot.
        group: of the example; rows of one group (paraphrases, one document) are not independent.
        exit_layer: the layer at which the scores were read.
    """

    kind: str
    scores: np.ndarray
    target: np.ndarray
    group: str
    exit_layer: int

    @property
    def num_options(self) -> int:
        """How many options the question offers."""
        return len(self.scores)

    @property
    def label(self) -> int:
        """The most probable option of the target; the first of several."""
        return int(self.target.argmax())


@dataclass(frozen=True, slots=True)
class Stacked:
    """Readings as arrays (n, most options): shorter rows are padded with 0, False, 0."""

    scores: np.ndarray
    options: np.ndarray
    targets: np.ndarray

    @property
    def num_options(self) -> np.ndarray:
        """Integers (n,)."""
        counts: np.ndarray = self.options.sum(axis=1)
        return counts


def hardened(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with all of each target on its mode, shared between several modes.

    The two kinds of target calibrate two meanings (Trutina report, section 8.1). Soft targets make
    a probability say how the annotators or the teacher are distributed; hard targets make it say
    how often the option is the one that most of them chose.
    """
    return [replace(one, target=_mode(one.target)) for one in readings]


def drawn(target: np.ndarray, random: np.random.Generator) -> int:
    """An option drawn from the target: what one annotator would have said."""
    upto = np.cumsum(target)
    return int(np.searchsorted(upto, random.random() * upto[-1], side="right"))


def stack(readings: Sequence[Scored]) -> Stacked:
    """The readings as arrays.

    Raises:
        ShapeError: none, scores that are not finite, or a target that is no distribution over them.
    """
    if not readings:
        raise ShapeError("no readings to fit on")
    shape = (len(readings), max(len(one.scores) for one in readings))
    scores, targets, options = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=bool)
    for row, one in enumerate(readings):
        if one.scores.shape != one.target.shape or one.scores.ndim != 1 or not one.scores.size:
            raise ShapeError(
                f"scores {one.scores.shape} and target {one.target.shape} of reading {row}; "
                "both must be (options,)"
            )
        if not np.isfinite(one.scores).all():
            raise ShapeError(f"the scores of reading {row} are not all finite")
        if not (one.target >= 0).all() or abs(float(one.target.sum()) - 1.0) > 1e-6:
            raise ShapeError(f"the target of reading {row} is no distribution: {one.target}")
        span = slice(0, len(one.scores))
        scores[row, span], targets[row, span], options[row, span] = one.scores, one.target, True
    return Stacked(scores, options, targets)


def _mode(target: np.ndarray) -> np.ndarray:
    best = target == target.max()
    return np.asarray(best / best.sum())
