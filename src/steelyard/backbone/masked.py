"""Attention for training: each tree of a batch as one masked product, trees stacked by size.

The jobs of attention.py copy nothing and pad nothing, which pays where a long state has many
branches. Training sees many short trees, each of which would be a dozen tiny jobs; here it is one
block of scores, hidden where a row may not look, and what is computed in vain costs less than the
calls would. On a CPU the trees go through blocks.py. Elsewhere a stack is one product, which torch
itself differentiates; it keeps the weights, so that is for small trees only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from steelyard.backbone.attention import KeysValues
from steelyard.backbone.blocks import blocked_attention, blocks_of
from steelyard.tokens.plan import ROOT, Batch, Segment

WASTE = 1.25
"""A stack's longest tree has at most this many times the rows of its shortest."""

MOST_ROWS = 1024
"""Of a tree: beyond, its scores need more memory and time than the jobs of attention.py."""

MOST_ROWS_CPU = 8192
"""Likewise where no weights are kept: beyond, the mask alone needs more than 128 MiB."""

EMPTY = -1
"""Instead of a row: zeros stand there."""


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """Trees of about the same size.

    Attributes:
        trees, longest: how many, and the rows of the longest.
        attend: from queries, keys and values of the stack to what its rows read.
    """

    trees: int
    longest: int
    attend: Callable[[Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows to take from a tensor.

    Attributes:
        taken: int64, their places.
        empty: int64, which of the rows taken are zeros instead.
    """

    taken: Tensor
    empty: Tensor

    def of(self, x: Tensor) -> Tensor:
        return x.index_select(0, self.taken).index_fill_(0, self.empty, 0)


@dataclass(frozen=True, slots=True, eq=False)
class MaskedPlan:
    """All trees of a batch.

    Attributes:
        laid: the batch rows of all stacks end to end; shorter trees are filled up with zeros.
        found: where each batch row stands among them.
    """

    stacks: tuple[Stack, ...]
    laid: Rows
    found: Rows

    def attend(
        self,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        stored: Sequence[KeysValues] = (),
    ) -> Tensor:
        assert not stored, "a stored prefix is not among the rows"
        laid = [_gather(x, self.laid, self.found) for x in (queries, keys, values)]
        sizes = [stack.trees * stack.longest for stack in self.stacks]
        parts = [
            stack.attend(q, k, v)
            for stack, q, k, v in zip(
                self.stacks, *(torch.split(x, sizes) for x in laid), strict=True
            )
        ]
        return _gather(torch.cat(parts), self.found, self.laid)


def masked_attention(queries: Tensor, keys: Tensor, values: Tensor, hidden: Tensor) -> Tensor:
    """Attention within each of several trees of equal size, (trees * longest, heads, head_dim).

    Args:
        queries: (trees * longest, heads, head_dim); keys, values: likewise with kv_heads.
        hidden: bool (trees, 1, 1, longest, longest).
    """
    trees, longest = hidden.shape[0], hidden.shape[-1]
    (heads, dim), kv_heads = queries.shape[1:], keys.shape[1]
    group = heads // kv_heads
    # heads that share keys stand below each other, (trees, kv_heads, group * longest, dim)
    q = (queries * dim**-0.5).view(trees, longest, kv_heads, group, dim).permute(0, 2, 3, 1, 4)
    q = q.reshape(trees, kv_heads, group * longest, dim)
    k, v = (x.view(trees, longest, kv_heads, dim).transpose(1, 2) for x in (keys, values))
    scores = (q @ k.mT).view(trees, kv_heads, group, longest, longest)
    weights = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)
    read = weights.view(trees, kv_heads, group * longest, longest) @ v
    read = read.view(trees, kv_heads, group, longest, dim).permute(0, 3, 1, 2, 4)
    flat: Tensor = read.reshape(trees * longest, heads, dim)
    return flat


def fits(batch: Batch, device: torch.device) -> bool:
    """Whether every tree of the batch is small enough, and continues nothing stored."""
    most = MOST_ROWS_CPU if device.type == "cpu" else MOST_ROWS
    return not batch.contexts and max(end - begin for begin, end in _trees(batch)) <= most


def plan_masked(batch: Batch, device: torch.device, dtype: torch.dtype) -> MaskedPlan:
    """The stacks of a batch that continues no stored prefix, for queries and keys of `dtype`."""
    assert not batch.contexts, "a stored prefix is not among the rows"
    sees = _sees(batch.segments)
    trees = sorted(_trees(batch), key=lambda tree: tree[0] - tree[1])  # the longest first
    stacks: list[Stack] = []
    rows: list[int] = []
    places = np.empty(batch.num_rows, dtype=np.int64)
    while trees:
        longest = trees[0][1] - trees[0][0]
        together = [tree for tree in trees if (tree[1] - tree[0]) * WASTE >= longest]
        trees = trees[len(together) :]
        hidden = np.ones((len(together), longest, longest), dtype=bool)
        hidden[..., 0] = False  # what fills a tree up must see something, or its softmax is nan
        for index, (begin, end) in enumerate(together):
            size = end - begin
            places[begin:end] = np.arange(len(rows), len(rows) + size)
            rows += [*range(begin, end), *[EMPTY] * (longest - size)]
            hidden[index, :size, :size] = ~_visible(batch.segments, sees, begin, end)
        stacks.append(Stack(len(together), longest, _kernel(hidden, device, dtype)))
    return MaskedPlan(tuple(stacks), _rows(np.array(rows), device), _rows(places, device))


def _kernel(
    hidden: np.ndarray, device: torch.device, dtype: torch.dtype
) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    if device.type == "cpu":
        return partial(blocked_attention, blocks=blocks_of(hidden, dtype))
    return partial(masked_attention, hidden=torch.from_numpy(hidden[:, None, None]).to(device))


def _rows(places: np.ndarray, device: torch.device) -> Rows:
    empty = np.flatnonzero(places == EMPTY)
    taken = np.where(places == EMPTY, 0, places)
    return Rows(torch.from_numpy(taken).to(device), torch.from_numpy(empty).to(device))


class _Gather(torch.autograd.Function):
    """Rows in another order, where no row is wanted twice: the way back is a gather too."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, rows: Rows, back: Rows) -> Tensor:
        ctx.back = back
        return rows.of(x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return ctx.back.of(grad), None, None


def _gather(x: Tensor, rows: Rows, back: Rows) -> Tensor:
    y: Tensor = _Gather.apply(x, rows, back)  # type: ignore[no-untyped-call]
    return y


def _trees(batch: Batch) -> list[tuple[int, int]]:
    """Rows [begin, end) of every tree."""
    begins = [segment.begin for segment in batch.segments if segment.parent == ROOT]
    return list(zip(begins, [*begins[1:], batch.num_rows], strict=True))


def _sees(segments: Sequence[Segment]) -> list[frozenset[int]]:
    """For each segment, the others that are wholly visible to it."""
    above: list[frozenset[int]] = []
    for segment in segments:
        parent = segment.parent
        above.append(frozenset() if parent == ROOT else above[parent] | {parent})
    return [one | set(segment.sees) for one, segment in zip(above, segments, strict=True)]


def _visible(
    segments: Sequence[Segment], sees: Sequence[frozenset[int]], begin: int, end: int
) -> np.ndarray:
    """Which rows of a tree see which, bool (rows, rows)."""
    visible = np.zeros((end - begin, end - begin), dtype=bool)
    for index, segment in enumerate(segments):
        if not begin <= segment.begin < end:
            continue
        rows = slice(segment.begin - begin, segment.end - begin)
        visible[rows, rows] = np.tri(segment.end - segment.begin, dtype=bool)
        for other in sees[index]:
            visible[rows, segments[other].begin - begin : segments[other].end - begin] = True
    return visible
