"""A part of a suite that fits a budget, drawn group by group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from random import Random

from steelyard.types.example import Example


def sample(examples: Sequence[Example], limit: int | None, seed: int) -> list[Example]:
    """Whole groups in random order until there are at least `limit` examples.

    A group stays whole, so that a state is shared as in the full suite and the bootstrap draws what
    it would draw there. A smaller limit takes the first groups of what a larger one takes: a run
    can be made longer later. None takes everything in its own order.
    """
    if limit is None:
        return list(examples)
    by_group: defaultdict[str, list[Example]] = defaultdict(list)
    for example in examples:
        by_group[example.group].append(example)
    groups = sorted(by_group)
    Random(seed).shuffle(groups)
    taken: list[Example] = []
    for group in groups:
        if len(taken) >= limit:
            break
        taken.extend(by_group[group])
    return taken
