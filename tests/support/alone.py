"""A tree that is read in every way, and each of its reads computed alone: as one plain text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import log_softmax
from support.trees import Tree

from steelyard.backbone.runtime import Runtime
from steelyard.tokens.plan import ROOT, Batch, LogitRead, LogProbRead


def reading_tree(vocab: int, seed: int = 0) -> Tree:
    """Two prompts: unequal branches and sub-branches, reads at ends, inside and in the root."""
    tree = Tree(seed, vocab=vocab)
    root = tree.add(19)
    tree.read(root, LogProbRead(18, 7))
    for length in (5, 1):
        branch = tree.add(length, root)
        tree.read(branch, LogitRead(length - 1, (3, 90, 11)))
        tree.read(branch, LogProbRead(length - 1, 12))
        for twig in (3, 1):
            leaf = tree.add(twig, branch)
            for offset in range(twig):
                tree.read(leaf, LogProbRead(offset, offset + 40))
        tree.read(tree.add(4, leaf), LogitRead(1, (5,)))
    tree.add(6, root)  # nothing is read here
    tree.read(tree.add(11), LogitRead(10, tuple(range(vocab))))
    return tree


def measured(runtime: Runtime, batch: Batch) -> Sequence[np.ndarray]:
    """The reads of a batch at full depth."""
    return runtime.measure(runtime.advance(runtime.start(batch), runtime.num_layers))


def assert_values(found: Sequence[np.ndarray], expected: Sequence[np.ndarray], atol: float) -> None:
    assert len(found) == len(expected)
    for value, wanted in zip(found, expected, strict=True):
        assert value.dtype == np.float64
        np.testing.assert_allclose(value, wanted, atol=atol, rtol=0)


def path_of(batch: Batch, segment: int) -> list[int]:
    """The ids from the root to the end of the segment."""
    place = batch.segments[segment]
    before = [] if place.parent == ROOT else path_of(batch, place.parent)
    return before + batch.ids[place.begin : place.end].tolist()


def values_alone(batch: Batch, next_logits: Callable[[list[int]], np.ndarray]) -> list[np.ndarray]:
    """What the reads measure, by one call of `next_logits` (ids -> (vocabulary,)) for each."""
    values = []
    for placed in batch.reads:
        segment = batch.segments[placed.segment]
        path = path_of(batch, placed.segment)
        logits = next_logits(path[: len(path) - (segment.end - 1 - placed.row)])
        match placed.read:
            case LogitRead(targets=targets):
                values.append(logits.astype(np.float64)[list(targets)])
            case LogProbRead(target=target):
                values.append(log_softmax(logits.astype(np.float64))[target])
    return values
