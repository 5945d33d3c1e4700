"""More options than there are labels: groups first, then a final (Trutina report, section 4.3).

The options are cut, in their own order, into as few equal groups as fit the labels. Each group is
read alone; the best floor(size / groups) of every group meet in a final. With M the mean, over the
groups, of the probability that a group gave to its own finalists, a finalist gets M times its
probability in the final, and the rest share 1 - M in proportion to their in-group probability.

With more than size * size options even one finalist per group is too many for one final; then the
final is itself a tournament. That is our extension; the report stops at 255 options.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from steelyard.readout.listing import Ask, Listing
from steelyard.readout.reading import Reading
from steelyard.readout.scores import softmax

GROUP_SIZE = 26


def tournament(ask: Ask, options: Listing, size: int = GROUP_SIZE) -> Reading:
    """Read `options` through `ask`, which can show at most `size` of them at a time.

    Returns:
        Log-scores, float64 (options,), in the order of `options`.
    """
    if len(options) <= size:
        (scores,) = yield ask([options])
        return scores
    groups = split_evenly(options, size)
    shares = [softmax(scores) for scores in (yield replace(ask(groups), more=True))]
    places = max(1, size // len(groups))
    finalists = [_best(share, places) for share in shares]
    final_listing = [
        group[place]
        for group, places_of in zip(groups, finalists, strict=True)
        for place in places_of
    ]
    final_scores = yield from tournament(ask, final_listing, size)
    probabilities = combine(shares, finalists, softmax(final_scores))
    with np.errstate(divide="ignore"):  # an option of probability 0 has the score -inf
        return np.asarray(np.log(probabilities))


def split_evenly(options: Listing, size: int) -> list[Listing]:
    """As few groups of at most `size` as possible, their lengths differing by at most one."""
    count = -(-len(options) // size)
    bounds = [index * len(options) // count for index in range(count + 1)]
    return [list(options[a:b]) for a, b in itertools.pairwise(bounds)]


def combine(
    shares: Sequence[np.ndarray], finalists: Sequence[Sequence[int]], final: np.ndarray
) -> np.ndarray:
    """The report's mass rule.

    Args:
        shares: per group, probabilities (group,).
        finalists: per group, places within the group that went to the final, ascending.
        final: probabilities (finalists,), groups in order.
    Returns:
        Probabilities (all options,), groups in order; sums to 1.
    """
    in_final = np.zeros(sum(len(share) for share in shares), dtype=bool)
    offset = 0
    for share, places in zip(shares, finalists, strict=True):
        in_final[[offset + place for place in places]] = True
        offset += len(share)
    mass = float(
        np.mean([share[list(p)].sum() for share, p in zip(shares, finalists, strict=True)])
    )
    everyone = np.concatenate(list(shares))
    rest = np.where(in_final, 0.0, everyone)
    left = rest.sum()
    if left == 0.0:  # nobody stayed behind, or nothing of the mass did
        mass = 1.0
    probabilities = rest * ((1.0 - mass) / left) if left > 0.0 else rest
    probabilities[in_final] = mass * final
    return np.asarray(probabilities / probabilities.sum())


def _best(share: np.ndarray, places: int) -> list[int]:
    order = np.argsort(-share, kind="stable")[:places]  # ties: the earlier option
    return sorted(order.tolist())
