"""Labelled scores whose truth is known, for calibrators and guarantees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.calibration.readings import Reading


def readings(
    n: int,
    *,
    kind: str = "choice",
    options: Sequence[int] = (4,),
    temperature: float = 1.0,
    spread: float = 2.0,
    soft: bool = False,
    layer: int = 8,
    seed: int = 0,
) -> list[Reading]:
    """Scores whose calibrated probabilities are exactly softmax(scores / temperature).

    Args:
        options: counts, taken in turn.
        spread: standard deviation of the true log-probabilities.
        soft: targets are those probabilities; else an outcome drawn from them.
    """
    random = np.random.default_rng(seed)
    made: list[Reading | None] = [None] * n
    for turn, count in enumerate(options):
        rows = range(turn, n, len(options))
        logits = random.normal(scale=spread, size=(len(rows), count))
        truths = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        draws = random.random((len(rows), 1))
        outcomes = (draws > truths.cumsum(axis=1)).sum(axis=1).clip(max=count - 1)
        targets = truths if soft else np.eye(count)[outcomes]
        for row, scores, target in zip(rows, logits * temperature, targets, strict=True):
            made[row] = Reading(
                kind=kind, scores=scores, target=target, group=f"g{row}", exit_layer=layer
            )
    return [one for one in made if one is not None]
