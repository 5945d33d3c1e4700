"""Attention under a mask on a CPU, block by block, keeping no weights for the way back.

Rows are taken in blocks, and a block is computed on the keys that any of its rows sees: the rows
of a tree come after what they see, so about half of the square is never touched, and of many
parallel branches far more. Forward it is torch's flash kernel under the block's mask. Its backward
is slow for bfloat16 and for short blocks, so the weights are made again from the logsumexp and
multiplied out here: with S the scores of a block, l their logsumexp, o the output and g its
gradient (Dao et al. 2022, arXiv 2205.14135, algorithm 4),

    P = exp(S - l),   dV = P' g,   dS = P (g V' - sum(g o)),   dQ = dS K,   dK = dS' Q
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

ROWS = 128
"""Of a block; of 64, 128 and 256 the best compromise between trees of 128 and of 1,000 rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some rows of each of several trees of equal size.

    Attributes:
        rows: of every tree.
        keys: rows of the tree that any of `rows` sees in any of the trees.
        mask: (trees, 1, rows, keys) in the type of the products, -inf where a row does not see a
            key, else 0. Added rather than filled in: that is many times faster.
    """

    rows: slice
    keys: slice | Tensor
    mask: Tensor


def blocks_of(hidden: np.ndarray, dtype: torch.dtype) -> tuple[Block, ...]:
    """The blocks of trees under a mask.

    Args:
        hidden: bool (trees, longest, longest), True where a row does not see another; every row
            sees one at least.
        dtype: of queries, keys and values.
    """
    longest = hidden.shape[-1]
    blocks = []
    for begin in range(0, longest, ROWS):
        rows = slice(begin, min(begin + ROWS, longest))
        of_rows = hidden[:, rows]
        seen = np.flatnonzero(~of_rows.all(axis=(0, 1)))
        run = slice(int(seen[0]), int(seen[-1]) + 1)
        keys = run if len(seen) == run.stop - run.start else torch.from_numpy(seen)
        of_keys = torch.from_numpy(np.ascontiguousarray(of_rows[:, None, :, seen]))
        mask = torch.zeros(of_keys.shape, dtype=dtype).masked_fill_(of_keys, -torch.inf)
        blocks.append(Block(rows, keys, mask))
    return tuple(blocks)


def blocked_attention(
    queries: Tensor, keys: Tensor, values: Tensor, blocks: Sequence[Block]
) -> Tensor:
    """Attention within each of several trees of equal size, laid end to end.

    Args:
        queries: (trees * longest, heads, head_dim); keys, values: likewise with kv_heads.
    """
    read: Tensor = _Blocked.apply(queries, keys, values, blocks)  # type: ignore[no-untyped-call]
    return read


class _Blocked(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, queries: Tensor, keys: Tensor, values: Tensor, blocks: Sequence[Block]
    ) -> Tensor:
        trees = len(blocks[0].mask)
        q, k, v = (_by_tree(x, trees) for x in (queries, keys, values))
        out = torch.empty_like(queries)
        read = _by_tree(out, trees)
        lses = []
        for block in blocks:
            part, lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
                q[:, :, block.rows],
                k[:, :, block.keys],
                v[:, :, block.keys],
                0.0,
                False,
                attn_mask=block.mask,
            )
            read[:, :, block.rows] = part
            lses.append(lse)  # (trees, heads, rows)
        ctx.blocks = blocks
        ctx.save_for_backward(queries, keys, values, out, *lses)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        queries, keys, values, out, *lses = ctx.saved_tensors
        trees, (kv_heads, dim) = len(ctx.blocks[0].mask), keys.shape[1:]
        scale = dim**-0.5
        d_queries = torch.empty_like(queries)
        overlap = (grad * out).sum(dim=-1, dtype=lses[0].dtype).to(queries.dtype).unsqueeze(-1)
        q, g, go, dq = (
            _grouped(_by_tree(x, trees), kv_heads)
            for x in (queries * scale, grad, overlap, d_queries)
        )
        k, v = (_by_tree(x, trees) for x in (keys, values))
        dk, dv = (torch.zeros(x.shape, dtype=lses[0].dtype) for x in (k, v))
        for block, lse in zip(ctx.blocks, lses, strict=True):
            # heads that share keys stand below each other: (trees, kv_heads, group * rows, ...)
            block_q, block_g = (x[:, :, :, block.rows].flatten(2, 3) for x in (q, g))
            block_k, block_v = k[:, :, block.keys], v[:, :, block.keys]
            shape = (trees, kv_heads, q.shape[2], lse.shape[-1], block_k.shape[2])
            total = _grouped(lse.to(q.dtype).unsqueeze(-1), kv_heads)
            weights = (block_q @ block_k.mT).view(shape)
            weights.sub_(total).add_(block.mask.unsqueeze(2)).exp_()
            slopes = (block_g @ block_v.mT).view(shape).sub_(go[:, :, :, block.rows]).mul_(weights)
            weights, slopes = weights.flatten(2, 3), slopes.flatten(2, 3)
            dq[:, :, :, block.rows] = (slopes @ block_k).mul_(scale).view(*shape[:-1], dim)
            # no key occurs twice in a block, so adding in place loses nothing
            dk[:, :, block.keys] += slopes.mT @ block_q
            dv[:, :, block.keys] += weights.mT @ block_g
        d_keys, d_values = (
            part.transpose(1, 2).flatten(0, 1).to(whole.dtype)
            for part, whole in ((dk, keys), (dv, values))
        )
        return d_queries, d_keys, d_values, None


def _by_tree(x: Tensor, trees: int) -> Tensor:
    """(trees * n, heads, ...) as (trees, heads, n, ...), a view."""
    return x.view(trees, -1, *x.shape[1:]).transpose(1, 2)


def _grouped(x: Tensor, kv_heads: int) -> Tensor:
    """(trees, heads, n, d) as (trees, kv_heads, group, n, d), a view."""
    return x.view(len(x), kv_heads, -1, *x.shape[2:])
