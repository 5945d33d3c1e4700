"""Does a model know what it cannot know? Questions without an answer beside such as have one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from steelyard.errors import ShapeError
from steelyard.evaluation.run import Prediction
from steelyard.metrics.ranking import auroc
from steelyard.types.confidence import choice_confidence

COMMITS_AT = 0.8
"""From this largest probability on an answer commits itself: JevBench's band of nouls, which is
used for all kinds here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abstention:
    """Attributes:
    answerable, unknowable: how many of each.
    commits: share of the answerable that the model commits itself on; commits_in_vain: of the
        unknowable, where every commitment is one too many.
    tells_apart: chance that an answerable question gets more confidence than an unknowable one
        (AUROC; confidence is 0 for the uniform, so numbers of options compare); 0.5 is not at all.
    """

    answerable: int
    unknowable: int
    commits: float
    commits_in_vain: float
    tells_apart: float | None


def abstention(answerable: Sequence[Prediction], unknowable: Sequence[Prediction]) -> Abstention:
    """Both kinds of question side by side, such as JevBench-240's known and unknown answers.

    Raises:
        ShapeError: none of one of them.
    """
    if not answerable or not unknowable:
        raise ShapeError(
            f"{len(answerable)} answerable and {len(unknowable)} unknowable; allowed: some of each"
        )
    both = [*answerable, *unknowable]
    sure = np.array([choice_confidence(one.probabilities) for one in both])
    told = auroc(sure, np.arange(len(both)) < len(answerable))
    return Abstention(
        answerable=len(answerable),
        unknowable=len(unknowable),
        commits=_commits(answerable),
        commits_in_vain=_commits(unknowable),
        tells_apart=told if isfinite(told) else None,
    )


def _commits(part: Sequence[Prediction]) -> float:
    return float(np.mean([one.confidence >= COMMITS_AT for one in part]))
