"""Pointer: a trained head compares the hidden state at the cue with that of each option.

Two readouts share the head's arithmetic and differ in what an option sees:

    pointer      the options are a list; each sees those above it
    pointer-set  the options are parallel branches that start at the same position and do not see
                 each other; the cue sees all of them. So the order of a choice's options means
                 nothing. The levels of a score are read as a list all the same: their order is part
                 of the question, and a set would not tell it.

Neither needs labels, so any number of options is read in one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from steelyard.prompt.branch import Branch, Marks, Prompt
from steelyard.prompt.labels import ANSWER_CUE, alone, listed, opened
from steelyard.prompt.layout import Frame
from steelyard.prompt.options import OptionSet
from steelyard.readout.listing import Ask, Listing, reread, rotated
from steelyard.readout.pointer_head import PointerHead
from steelyard.readout.reading import Measures, Reading, Round, Scores


def pointer(
    options: OptionSet,
    frame: Frame,
    *,
    head: PointerHead,
    rotations: int = 1,
    reread_below: float = 0.0,
) -> Reading:
    """Read options as a list.

    Args:
        rotations: average over this many cyclic orders. Levels of a score are shown in their own
            order only: a rotated scale is another scale.
        reread_below: read a second time, backwards, where the margin is smaller.
    """
    ask = _asking(head, options, frame, more=reread_below > 0.0)
    if options.kind != "score":
        ask = rotated(ask, rotations)

    def all_at_once(ask: Ask) -> Reading:
        (scores,) = yield ask([range(len(options))])
        return scores

    return (yield from reread(ask, all_at_once, below=reread_below))


def pointer_set(
    options: OptionSet,
    frame: Frame,
    *,
    head: PointerHead,
    rotations: int = 1,
    reread_below: float = 0.0,
) -> Reading:
    """Read options as a set, and the levels of a score as a list.

    Rotations and re-readings change nothing for a set; a score may be read again backwards.
    """
    if options.kind == "score":
        return (yield from pointer(options, frame, head=head, reread_below=reread_below))
    (scores,) = yield Round((set_prompt(options, frame),), _pointing(head))
    return scores


def list_prompt(options: OptionSet, frame: Frame, order: Listing | None = None) -> Prompt:
    """The prompt that lists options in `order` (all of them, in their own, if None).

    Its one branch reads Marks, (options + 1, width): the options as they are listed, then the cue.
    """
    block = listed(options, order, mark=True)
    return frame.prompt(block, frame.ending(ANSWER_CUE, Marks(), mark=True))


def set_prompt(options: OptionSet, frame: Frame) -> Prompt:
    """The prompt that shows options as parallel branches, or the levels of a score as a list.

    A branch for each option, in their own order, reads Marks (1, width); the cue, which comes last,
    reads Marks (1, width). For a score it is `list_prompt`. So the marks of either prompt's reads,
    concatenated, are (options + 1, width): the options, then the cue.
    """
    if options.kind == "score":
        return list_prompt(options, frame)
    branches = (Branch(alone(options, index), Marks()) for index in range(len(options)))
    cue = frame.ending(ANSWER_CUE, Marks(), mark=True, join=True)
    return frame.prompt(opened(options), *branches, cue)


def _asking(head: PointerHead, options: OptionSet, frame: Frame, *, more: bool) -> Ask:
    def ask(listings: Sequence[Listing]) -> Round:
        prompts = tuple(list_prompt(options, frame, listing) for listing in listings)
        return Round(prompts, _pointing(head), more)

    return ask


def _pointing(head: PointerHead) -> Callable[[Measures], Scores]:
    def score(measures: Measures) -> Scores:
        marks = [np.concatenate(of_prompt) for of_prompt in measures]  # (options + 1, width) each
        return tuple(head.scores(cue=each[-1], options=each[:-1]) for each in marks)

    return score
