"""Options shown in some order, and what showing them in several orders amounts to.

A *listing* is a sequence of option indices as the model sees them. An `Ask` turns listings into one
round that yields a distribution per listing, in the listing's own order. The functions here build
one `Ask` from another and know nothing of prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from steelyard.readout.reading import Measures, Reading, Round, Scores
from steelyard.readout.scores import margin, mean_of, softmax

Listing: TypeAlias = Sequence[int]
Ask: TypeAlias = Callable[[Sequence[Listing]], Round]


def rotated(ask: Ask, rotations: int) -> Ask:
    """Ask about every listing in `rotations` evenly spaced cyclic orders and average.

    A listing of n options has at most n different rotations; more are not asked.
    """
    if rotations == 1:
        return ask

    def ask_rotated(listings: Sequence[Listing]) -> Round:
        shifts = [_shifts(len(listing), rotations) for listing in listings]
        turned = [
            np.roll(listing, -shift).tolist()
            for listing, by in zip(listings, shifts, strict=True)
            for shift in by
        ]
        inner = ask(turned)

        def score(measures: Measures) -> Scores:
            parts = iter(inner.score(measures))
            return tuple(mean_of([np.roll(next(parts), shift) for shift in by]) for by in shifts)

        return replace(inner, score=score)

    return ask_rotated


def reversed_order(ask: Ask) -> Ask:
    """Show every listing backwards; the distributions come back in the listing's own order."""

    def ask_reversed(listings: Sequence[Listing]) -> Round:
        inner = ask([list(reversed(listing)) for listing in listings])

        def score(measures: Measures) -> Scores:
            return tuple(part[::-1] for part in inner.score(measures))

        return replace(inner, score=score)

    return ask_reversed


def reread(ask: Ask, read: Callable[[Ask], Reading], *, below: float) -> Reading:
    """Read through `ask`; where the margin is smaller than `below`, also backwards, and average."""
    scores = yield from read(ask)
    if margin(softmax(scores)) < below:
        again = yield from read(reversed_order(ask))
        scores = mean_of([scores, again])
    return scores


def _shifts(num_options: int, rotations: int) -> list[int]:
    return sorted({turn * num_options // rotations for turn in range(rotations)})
