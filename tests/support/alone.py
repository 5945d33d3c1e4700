"""Every read of a batch computed alone: its own path through the tree as one text."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import log_softmax

from steelyard.tokens.plan import ROOT, Batch, LogitRead, LogProbRead


def path_of(batch: Batch, segment: int) -> list[int]:
    """The ids from the root to the end of the segment."""
    place = batch.segments[segment]
    before = [] if place.parent == ROOT else path_of(batch, place.parent)
    return before + batch.ids[place.begin : place.end].tolist()


def values_alone(batch: Batch, next_logits: Callable[[list[int]], np.ndarray]) -> list[np.ndarray]:
    """What the reads measure, by one call of `next_logits` (ids -> (vocabulary,)) for each."""
    values = []
    for placed in batch.reads:
        segment = batch.segments[placed.segment]
        path = path_of(batch, placed.segment)
        logits = next_logits(path[: len(path) - (segment.end - 1 - placed.row)])
        match placed.read:
            case LogitRead(targets=targets):
                values.append(logits.astype(np.float64)[list(targets)])
            case LogProbRead(target=target):
                values.append(log_softmax(logits.astype(np.float64))[target])
    return values
