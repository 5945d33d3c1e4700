"""How a question is read: a conversation between a readout and the engine.

A readout is a function that turns a question into a *reading*: a generator that yields rounds and
returns the final scores. The engine computes the rounds of all questions together. So a
tournament, an average over rotations or a second look are written as they are thought, and the
engine knows none of them.

    def letters(question, frame) -> Reading:
        scores = yield Round(prompts, score)     # scores: what `score` made of the measures
        return scores[0]
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from steelyard.prompt.branch import Prompt

Measures: TypeAlias = Sequence[Sequence[np.ndarray]]
"""For each prompt of the round, the measures of its branches that read, in depth-first order."""

Scores: TypeAlias = tuple[np.ndarray, ...]
"""Unnormalised log-scores, float64 (options,), one array for each distribution of the round."""


@dataclass(frozen=True, slots=True)
class Round:
    """Prompts to compute, and a pure function from what they measure to scores.

    `score` may be called at several exits; the exit rule looks at its distributions.
    `more` says that the reading may ask another round with the same roots: they are worth keeping.
    """

    prompts: tuple[Prompt, ...]
    score: Callable[[Measures], Scores]
    more: bool = False


Reading: TypeAlias = Generator[Round, Scores, np.ndarray]
