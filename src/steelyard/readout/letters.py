"""Letters: options are listed as (A) to (Z), and the letters' logits are read at one position.

The readout of the Trutina report (section 4.1) and the default for capable models. More than 26
options go through the tournament.
"""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.prompt.branch import Labels
from steelyard.prompt.labels import LETTER_CUE, LETTERS, lettered
from steelyard.prompt.layout import Frame
from steelyard.prompt.options import OptionSet
from steelyard.readout.listing import Ask, Listing, reread, rotated
from steelyard.readout.reading import Measures, Reading, Round, Scores
from steelyard.readout.tournament import tournament


def letters(
    options: OptionSet, frame: Frame, *, rotations: int = 1, reread_below: float = 0.0
) -> Reading:
    """Read lettered options.

    Args:
        rotations: average every listing over this many cyclic orders. Levels of a score are shown
            in their own order only: a rotated scale is another scale.
        reread_below: read everything a second time, backwards, where the margin is smaller.
    """
    ask = _asking(options, frame, more=reread_below > 0.0)
    if options.kind != "score":
        ask = rotated(ask, rotations)
    everyone = range(len(options))
    return (yield from reread(ask, lambda ask: tournament(ask, everyone), below=reread_below))


def _asking(options: OptionSet, frame: Frame, *, more: bool) -> Ask:
    def ask(listings: Sequence[Listing]) -> Round:
        prompts = tuple(
            frame.prompt(
                lettered(options, listing),
                frame.ending(LETTER_CUE, Labels(LETTERS[: len(listing)])),
            )
            for listing in listings
        )
        return Round(prompts, _scores, more)

    return ask


def _scores(measures: Measures) -> Scores:
    return tuple(logits for (logits,) in measures)
