"""Pairwise: each option judged alone with yes or no, then compared.

The score of an option is its log-odds of yes (the reranker mode of the SemIf guide). Options do
not see each other, so their order means nothing and there may be any number of them. A noul is one
such judgment: its two scores are the logits of yes and no.
"""

from __future__ import annotations

import numpy as np

from steelyard.prompt.branch import Labels
from steelyard.prompt.labels import ANSWER_CUE, YES_NO, asked, candidate, listed
from steelyard.prompt.layout import Frame
from steelyard.prompt.options import OptionSet
from steelyard.readout.reading import Measures, Reading, Round, Scores


def pairwise(
    options: OptionSet, frame: Frame, *, rotations: int = 1, reread_below: float = 0.0
) -> Reading:
    """Read options one by one. Rotations and re-readings would change nothing."""
    if options.kind == "noul":
        prompt = frame.prompt(listed(options), frame.ending(ANSWER_CUE, Labels(YES_NO)))
        (scores,) = yield Round((prompt,), _yes_no)
        return scores
    judged = (
        frame.ending(ANSWER_CUE, Labels(YES_NO), after=candidate(options, index))
        for index in range(len(options))
    )
    (scores,) = yield Round((frame.prompt(asked(options), *judged),), _log_odds)
    return scores


def _yes_no(measures: Measures) -> Scores:
    ((logits,),) = measures
    return (logits,)


def _log_odds(measures: Measures) -> Scores:
    (judgments,) = measures
    return (np.array([yes - no for yes, no in judgments]),)
