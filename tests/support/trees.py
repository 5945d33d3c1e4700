"""Batches of random tokens, and the plainest statement of what a row may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from steelyard.tokens.plan import ROOT, Batch, BatchRead, HiddenRead, NodeRead, Segment


@dataclass
class Tree:
    """Builds a batch segment by segment, in depth-first order."""

    seed: int = 0
    vocab: int = 320
    contexts: tuple[int, ...] = ()
    ids: list[int] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    reads: list[BatchRead] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def add(
        self,
        tokens: int | Sequence[int],
        parent: int = ROOT,
        *,
        context: int = ROOT,
        sees: tuple[int, ...] = (),
        capture: bool = False,
    ) -> int:
        """Append a segment of random or given tokens; returns its index."""
        if isinstance(tokens, int):
            tokens = self.random.integers(0, self.vocab, tokens).tolist()
        before = [parent, *sees]
        ends = [self.positions[self.segments[s].end - 1] + 1 for s in before if s != ROOT]
        start = max([*ends, 0 if context == ROOT else self.contexts[context]])
        begin = len(self.ids)
        self.ids += tokens
        self.positions += range(start, start + len(tokens))
        index = len(self.segments)
        plan = index if parent == ROOT else self.segments[parent].plan
        self.segments.append(
            Segment(plan, index, begin, len(self.ids), parent, context, sees, capture)
        )
        return index

    def read(self, segment: int, read: NodeRead | None = None) -> None:
        """Read the segment's last token, its hidden state unless told otherwise."""
        begin, end = self.segments[segment].begin, self.segments[segment].end
        read = read or HiddenRead(end - begin - 1)
        self.reads.append(BatchRead(segment, begin + read.offset, read))

    def read_all(self) -> None:
        """Read the hidden state of every row."""
        for index, segment in enumerate(self.segments):
            for offset in range(segment.end - segment.begin):
                self.read(index, HiddenRead(offset))

    def tokens(self, segment: int) -> list[int]:
        return self.ids[self.segments[segment].begin : self.segments[segment].end]

    def batch(self) -> Batch:
        return Batch(
            ids=np.array(self.ids, dtype=np.int64),
            positions=np.array(self.positions, dtype=np.int64),
            segments=tuple(self.segments),
            reads=tuple(sorted(self.reads, key=lambda read: read.row)),
            contexts=self.contexts,
        )


def visible(segments: Sequence[Segment]) -> np.ndarray:
    """bool (rows, rows): may the row (first index) see the other one? Batches without contexts."""
    owner = np.concatenate([[i] * (s.end - s.begin) for i, s in enumerate(segments)]).astype(int)
    mask = np.zeros((len(owner), len(owner)), dtype=bool)
    for row, index in enumerate(owner):
        seen = set(segments[index].sees)
        ancestor = segments[index].parent
        while ancestor != ROOT:
            seen.add(ancestor)
            ancestor = segments[ancestor].parent
        for other, holder in enumerate(owner):
            mask[row, other] = holder in seen or (holder == index and other <= row)
    return mask


def bushy_tree(seed: int = 0) -> Tree:
    """Two plans: unequal branches, sub-branches, options joined by a cue, and a lone sequence."""
    tree = Tree(seed)
    root = tree.add(23)
    for length in (5, 1, 9, 5):
        branch = tree.add(length, root)
        for twig in (3, 1, 3, 2):
            tree.add(twig, branch)
    frame = tree.add(6, root)
    options = tuple(tree.add(length, frame) for length in (2, 4, 2))
    tree.add(3, frame, sees=options)
    tree.add(4, frame, sees=(options[0], options[2]))
    tree.add(17)
    return tree
