"""The learning rate over a run: a linear rise, then half a cosine down to 0."""

from __future__ import annotations

import math


def rate(step: int, *, warmup_steps: int, steps: int) -> float:
    """Share of the full learning rate at a step, 0 to 1.

    Args:
        step: from 1 to `steps`. None has a rate of 0; the step after the last would.
    """
    if step <= warmup_steps:
        return step / (warmup_steps + 1)
    done = (step - warmup_steps - 1) / max(1, steps - warmup_steps)
    return 0.5 * (1 + math.cos(math.pi * done))
