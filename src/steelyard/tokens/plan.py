"""Prompts as token ids: trees of nodes, and the flat batches that a backbone computes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

ROOT = -1


@dataclass(frozen=True, slots=True)
class LogitRead:
    """Next-token logits of `targets` after the token at `offset` of the node."""

    offset: int
    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LogProbRead:
    """Log-probability (over the whole vocabulary) of `target` after the token at `offset`."""

    offset: int
    target: int


@dataclass(frozen=True, slots=True)
class HiddenRead:
    """Hidden state of the token at `offset`, after the final norm."""

    offset: int


NodeRead = LogitRead | LogProbRead | HiddenRead


@dataclass(frozen=True, slots=True)
class Node:
    """A run of tokens that sees its ancestors and, causally, itself.

    Attributes:
        ids: token ids, at least one.
        parent: index of the parent in the plan, or ROOT.
        start: position of the first token.
        sees: further nodes whose tokens are all visible (siblings joined by a cue).
        reads: what is measured inside this node.
    """

    ids: tuple[int, ...]
    parent: int
    start: int
    sees: tuple[int, ...] = ()
    reads: tuple[NodeRead, ...] = ()

    @property
    def end(self) -> int:
        """Position after the last token."""
        return self.start + len(self.ids)


@dataclass(frozen=True, slots=True)
class TokenPlan:
    """One tree, parents before children and every subtree contiguous; nodes[0] is the root."""

    nodes: tuple[Node, ...]

    @property
    def num_tokens(self) -> int:
        return sum(len(node.ids) for node in self.nodes)


@dataclass(frozen=True, slots=True)
class Segment:
    """A node placed in a batch: rows [begin, end) of the flat arrays.

    Attributes:
        plan, node: where it comes from.
        parent: index of the parent segment in the batch, or ROOT.
        context: for a segment with no parent in the batch: index of the stored prefix that it
            continues, or ROOT for a true root.
        sees: further segments of the batch that are wholly visible.
        capture: keep this segment's keys, values and hidden states for the prefix store.
    """

    plan: int
    node: int
    begin: int
    end: int
    parent: int
    context: int = ROOT
    sees: tuple[int, ...] = ()
    capture: bool = False


@dataclass(frozen=True, slots=True)
class BatchRead:
    """A read placed in a batch: `row` of the flat arrays, `segment` and `read` it belongs to."""

    segment: int
    row: int
    read: NodeRead


@dataclass(frozen=True, slots=True)
class Batch:
    """Segments of one or many plans laid end to end, without padding.

    Attributes:
        ids: (rows,) int64. positions: (rows,) int64.
        segments: parents before children, every subtree contiguous.
        reads: in row order.
        contexts: number of tokens of each stored prefix that the batch continues; the prefixes
            themselves are handed to `Runtime.start`.
        context_of: for each of `contexts`, the plan of whose root it is the beginning; plans with
            equal roots share one, under the first plan's index.
    """

    ids: np.ndarray
    positions: np.ndarray
    segments: tuple[Segment, ...]
    reads: tuple[BatchRead, ...]
    contexts: tuple[int, ...] = field(default=())
    context_of: tuple[int, ...] = field(default=())

    @property
    def num_rows(self) -> int:
        return len(self.ids)
