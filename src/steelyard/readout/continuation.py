"""Continuation: each option's own text as the model's next words.

The score of an option is the log-likelihood of its text after the question, minus the same without
the state: what the state adds (domain-conditional pointwise mutual information, Holtzman et al.
2021, arXiv 2104.08315). Labels with their descriptions say more than labels alone, and unlisted
options read better than listed ones (docs/experiments.md). Options are sub-branches of the question
and do not see each other, so their order means nothing and there may be any number of them.
"""

from __future__ import annotations

import numpy as np

from steelyard.prompt.branch import Branch, Likelihood, Prompt
from steelyard.prompt.labels import ANSWER_CUE, asked, spoken
from steelyard.prompt.layout import Frame
from steelyard.prompt.options import OptionSet
from steelyard.readout.reading import Measures, Reading, Round, Scores


def continuation(
    options: OptionSet, frame: Frame, *, rotations: int = 1, reread_below: float = 0.0
) -> Reading:
    """Read options by their likelihood. Rotations and re-readings would change nothing."""
    prompts = (_prompt(options, frame), _prompt(options, frame.without_state()))
    (scores,) = yield Round(prompts, _scores)
    return scores


def _prompt(options: OptionSet, frame: Frame) -> Prompt:
    children = (Branch(spoken(options, index), Likelihood()) for index in range(len(options)))
    return frame.prompt(asked(options), frame.ending(ANSWER_CUE, children=children))


def _scores(measures: Measures) -> Scores:
    with_state, without = (np.array([one.sum() for one in each]) for each in measures)
    return (with_state - without,)
