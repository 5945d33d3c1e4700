"""Dense attention that also returns the logsumexp of its scores, and its backward.

Shapes: queries (batch, heads, n, head_dim); keys, values (batch, kv_heads, m, head_dim), each
serving heads / kv_heads query heads; logsumexp (batch, heads, n), float32 or better. `causal`
needs n == m.

On a CPU these are torch's flash kernels, which keep no n x m matrix and read strided views. On
other devices, and as the reference in tests, plain matrix products over blocks of queries.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

SCORES_PER_BLOCK = 1 << 26  # of the matmul path: 256 MiB in float32


def forward(
    queries: Tensor, keys: Tensor, values: Tensor, *, causal: bool
) -> tuple[Tensor, Tensor]:
    """Output, like `queries`, and logsumexp."""
    if queries.device.type == "cpu":
        return flash_forward(queries, keys, values, causal=causal)
    return matmul_forward(queries, keys, values, causal=causal)


def backward(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    grad: Tensor,
    out: Tensor,
    lse: Tensor,
    *,
    causal: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of queries, keys and values.

    `out` and `lse` may come from a larger key set than `keys`; the gradients are then this key
    set's share.
    """
    if queries.device.type == "cpu":
        # the kernel assumes that grad has the strides of out
        g, o = grad.contiguous(), out.contiguous()
        dq, dk, dv = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(
            g, queries, keys, values, o, lse, 0.0, causal
        )
        return dq, dk, dv
    return matmul_backward(queries, keys, values, grad, out, lse, causal=causal)


def flash_forward(
    queries: Tensor, keys: Tensor, values: Tensor, *, causal: bool
) -> tuple[Tensor, Tensor]:
    num = queries.shape[2]
    if not causal and num % 16:
        # The kernel cuts queries into blocks of 32, 64 or 256 rows. A last block of a few rows
        # takes another matrix kernel, whose bits differ: a row's result would depend on how many
        # rows happen to stand beside it. A self job needs no padding: its length is its own.
        queries = F.pad(queries, (0, 0, 0, -num % 16))
    out, lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        queries, keys, values, 0.0, causal
    )
    return out[:, :, :num], lse[:, :, :num]


def matmul_forward(
    queries: Tensor, keys: Tensor, values: Tensor, *, causal: bool
) -> tuple[Tensor, Tensor]:
    q, k, v = _exact(queries, keys, values)
    outs, lses = [], []
    for begin, end in _blocks(queries, keys):
        scores = _scores(q[..., begin:end, :], k, begin if causal else None)
        lses.append(scores.logsumexp(dim=-1))
        outs.append((scores - lses[-1].unsqueeze(-1)).exp_() @ v)
    out, lse = torch.cat(outs, dim=3), torch.cat(lses, dim=3)
    return out.flatten(1, 2).to(queries.dtype), lse.flatten(1, 2)


def matmul_backward(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    grad: Tensor,
    out: Tensor,
    lse: Tensor,
    *,
    causal: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    q, k, v = _exact(queries, keys, values)
    g, o, log_total = (_grouped(x.to(q.dtype), k) for x in (grad, out, lse.unsqueeze(-1)))
    delta = (g * o).sum(dim=-1, keepdim=True)
    dq, dk, dv = torch.empty_like(q), torch.zeros_like(k), torch.zeros_like(v)
    for begin, end in _blocks(queries, keys):
        block = (..., slice(begin, end), slice(None))
        scores = _scores(q[block], k, begin if causal else None)
        p = (scores - log_total[block]).exp_()
        ds = p * (g[block] @ v.mT - delta[block]) * q.shape[-1] ** -0.5
        dq[block] = ds @ k
        dk += (ds.mT @ q[block]).sum(dim=2, keepdim=True)
        dv += (p.mT @ g[block]).sum(dim=2, keepdim=True)
    return dq.flatten(1, 2), dk.squeeze(2), dv.squeeze(2)


def _exact(queries: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """In float32 or better; queries (batch, kv_heads, group, n, d), the others with group 1."""
    exact = torch.promote_types(queries.dtype, torch.float32)
    k, v = keys.to(exact).unsqueeze(2), values.to(exact).unsqueeze(2)
    return _grouped(queries.to(exact), k), k, v


def _grouped(x: Tensor, keys: Tensor) -> Tensor:
    """(batch, heads, n, d) as (batch, kv_heads, group, n, d)."""
    batch, heads, num, dim = x.shape
    return x.reshape(batch, keys.shape[1], heads // keys.shape[1], num, dim)


def _scores(queries: Tensor, keys: Tensor, causal_from: int | None) -> Tensor:
    """(batch, kv_heads, group, n, m); row i sees the keys up to causal_from + i, or all."""
    scores: Tensor = queries @ keys.mT * queries.shape[-1] ** -0.5
    if causal_from is not None:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
        scores = scores.masked_fill(later.triu(causal_from + 1), -torch.inf)
    return scores


def _blocks(queries: Tensor, keys: Tensor) -> list[tuple[int, int]]:
    batch, heads, num, _ = queries.shape
    size = max(1, SCORES_PER_BLOCK // (batch * heads * keys.shape[2]))
    return [(begin, min(begin + size, num)) for begin in range(0, num, size)]
