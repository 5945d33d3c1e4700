"""Labelled scores whose truth is known, for calibrators and guarantees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.calibration.readings import Reading
from steelyard.readout.scores import softmax


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
    made = []
    for row in range(n):
        count = options[row % len(options)]
        logits = random.normal(scale=spread, size=count)
        truth = softmax(logits)
        outcome = int(random.choice(count, p=truth))
        target = truth if soft else np.eye(count)[outcome]
        made.append(
            Reading(
                kind=kind,
                scores=logits * temperature,
                target=target,
                group=f"g{row}",
                exit_layer=layer,
            )
        )
    return made
