"""The gated delta rule: a matrix as memory, corrected token by token (Yang 2024, arXiv 2412.06464).

Per value head the state S (key_dim, value_dim) decays by a = e^g, g <= 0, and what it recalls for
the key k is moved towards the value v by a share b in [0, 1]; then it is read by the query q:

    S' = a S + b k (v - a S' k)',   o = S' q        (on the right, S' k and S' q mean S transposed)

`step` is that. `delta_rule` computes whole chunks at once in the WY/UT form (Yang 2024, arXiv
2406.06484, with decay): with G the running sum of g within the chunk, D_ij = e^(G_i - G_j) for
i >= j and else 0, S the state before the chunk and T the last token,

    A = strictly lower part of (b K K') * D
    U, W = (I + A)^-1 (b V),  (I + A)^-1 (b e^G K)
    R = U - W S
    O = (e^G Q) S + (Q K' * D) R
    S_next = e^(G_T) S + (e^(G_T - G) K)' R

so that only the last three lines go from chunk to chunk. The inverse is a triangular solve. The
product (I - A)(I + A^2)(I + A^4)... is exact on paper and gives noise as soon as a key is repeated:
the powers of A grow to 1e13 before they cancel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

LONGEST = 64
"""Most tokens of a chunk: the usual compromise between the chunk's square and the scan."""

MOST_CHUNKS = 64
"""Chunks solved together, unless more of them begin at once; the squares of all would need much
memory, and one by one they would be slow."""


@dataclass(frozen=True, slots=True, eq=False)
class Chunks:
    """Sequences cut into chunks of one size, for `delta_rule`.

    The chunks come step by step: the first of every sequence, the second of those that have one,
    and so on; within a step in the order of the sequences, of which none is longer than the one
    before. The last chunk of a sequence is filled up with tokens that change nothing.

    Attributes:
        rows: int64 (chunks, size), where the tokens stand; of those filled in, some valid row.
        real: bool (chunks, size), False where filled in.
        active: how many sequences each step has.
        order: int64 (tokens,), the rows in the order in which `delta_rule` returns them.
    """

    rows: Tensor
    real: Tensor
    active: tuple[int, ...]
    order: Tensor


def cut(spans: Sequence[tuple[int, int]], device: torch.device) -> Chunks:
    """Chunks of the sequences that stand at rows [begin, end), the longest first."""
    lengths = [end - begin for begin, end in spans]
    assert lengths == sorted(lengths, reverse=True), "a sequence is longer than the one before"
    assert lengths and lengths[-1] > 0, "there is nothing to cut, or a sequence is empty"
    size = min(LONGEST, lengths[0])
    rows, real, active = [], [], []
    for offset in range(0, lengths[0], size):
        begun = [(begin + offset, end) for begin, end in spans if begin + offset < end]
        at = np.array([begin for begin, _ in begun])[:, None] + np.arange(size)
        ends = np.array([end for _, end in begun])[:, None]
        rows.append(np.minimum(at, ends - 1))
        real.append(at < ends)
        active.append(len(begun))
    all_rows, all_real = np.concatenate(rows), np.concatenate(real)
    return Chunks(
        torch.from_numpy(all_rows).to(device),
        torch.from_numpy(all_real).to(device),
        tuple(active),
        torch.from_numpy(all_rows[all_real]).to(device),
    )


def step(
    query: Tensor, key: Tensor, value: Tensor, log_decay: Tensor, share: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    """One token: what is read, and the state after it.

    Args:
        query, key: (..., heads, key_dim); value: (..., heads, value_dim).
        log_decay, share: g <= 0 and b in [0, 1], (..., heads).
        state: (..., heads, key_dim, value_dim).
    """
    state = state * log_decay.exp()[..., None, None]
    recalled = (state * key[..., None]).sum(dim=-2)
    state = state + key[..., None] * (share[..., None] * (value - recalled))[..., None, :]
    return (state * query[..., None]).sum(dim=-2), state


def delta_rule(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    log_decay: Tensor,
    shares: Tensor,
    states: Tensor,
    chunks: Chunks,
) -> tuple[Tensor, Tensor]:
    """All tokens of several sequences. Differentiable; in float32 or, if given so, in float64.

    Args:
        queries, keys: (rows, key_heads, key_dim); each serves value_heads / key_heads value heads.
        values: (rows, value_heads, value_dim).
        log_decay, shares: g <= 0 and b in [0, 1], (rows, value_heads).
        states: of the sequences before their first token, (sequences, value_heads, key_dim,
            value_dim).
        chunks: where the sequences stand among the rows.
    Returns:
        What is read, (tokens, value_heads, value_dim), at the rows of `chunks.order`; and the
        states after the last tokens, like `states`.
    """
    exact = torch.promote_types(values.dtype, torch.float32)
    state, ended, reads = states.to(exact), [], []
    for first, last in _blocks(chunks.active):
        begin, end = sum(chunks.active[:first]), sum(chunks.active[:last])
        rows, real = chunks.rows[begin:end], chunks.real[begin:end]
        solved = _Solved.of(
            *(x[rows].transpose(1, 2).to(exact) for x in (queries, keys, values)),
            # neither decay nor correction: the state passes unchanged
            *((x[rows] * real[..., None]).transpose(1, 2).to(exact) for x in (log_decay, shares)),
        )
        for active, chunk in zip(
            chunks.active[first:last], solved.split(chunks.active[first:last]), strict=True
        ):
            if active < len(state):
                ended.append(state[active:])
                state = state[:active]
            read, state = chunk.advance(state)
            reads.append(read.transpose(1, 2))  # (active, size, value_heads, value_dim)
    return torch.cat(reads)[chunks.real], torch.cat([state, *reversed(ended)])


def _blocks(active: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Steps [first, last) whose chunks are solved together."""
    first, num_chunks = 0, 0
    for index, count in enumerate(active):
        if index > first and num_chunks + count > MOST_CHUNKS:
            yield first, index
            first, num_chunks = index, 0
        num_chunks += count
    yield first, len(active)


@dataclass(frozen=True, slots=True, eq=False)
class _Solved:
    """What chunks do to any state, (chunks, value_heads, ...) each.

    Attributes:
        targets, recalls: U (size, value_dim) and W (size, key_dim).
        decayed_queries: e^G Q; weights: Q K' * D; written: e^(G_T - G) K; kept: e^(G_T).
    """

    targets: Tensor
    recalls: Tensor
    decayed_queries: Tensor
    weights: Tensor
    written: Tensor
    kept: Tensor

    @classmethod
    def of(cls, q: Tensor, k: Tensor, v: Tensor, g: Tensor, b: Tensor) -> _Solved:
        group, size = v.shape[1] // k.shape[1], v.shape[2]
        # In float64: after a strong decay, a sum in float32 has lost the digits of a weak one.
        total = g.double().cumsum(dim=-1)
        later = torch.ones(size, size, dtype=torch.bool, device=v.device).triu(1)
        gaps = (total[..., :, None] - total[..., None, :]).to(v.dtype)
        decay = gaps.masked_fill(later, -torch.inf).exp()
        likeness, weights = (
            (x @ k.mT).repeat_interleave(group, dim=1) * decay  # (chunks, value_heads, size, size)
            for x in (k, q)
        )
        q, k = (x.repeat_interleave(group, dim=1) for x in (q, k))
        since, until = total.to(v.dtype), (total[..., -1:] - total).to(v.dtype)
        b, since, until = (x[..., None] for x in (b, since.exp(), until.exp()))
        right = b * torch.cat([v, since * k], dim=-1)
        solution = torch.linalg.solve_triangular(
            b * likeness, right, upper=False, unitriangular=True
        )
        targets, recalls = solution.split([v.shape[-1], k.shape[-1]], dim=-1)
        return cls(targets, recalls, since * q, weights, until * k, since[..., -1:, :])

    def split(self, counts: Sequence[int]) -> Iterator[_Solved]:
        """The chunks of each step."""
        ends = np.cumsum([0, *counts]).tolist()
        for begin, end in pairwise(ends):
            yield _Solved(
                self.targets[begin:end],
                self.recalls[begin:end],
                self.decayed_queries[begin:end],
                self.weights[begin:end],
                self.written[begin:end],
                self.kept[begin:end],
            )

    def advance(self, state: Tensor) -> tuple[Tensor, Tensor]:
        """What one step's chunks read, and the states after them."""
        corrections = self.targets - self.recalls @ state
        read = self.decayed_queries @ state + self.weights @ corrections
        return read, self.kept * state + self.written.mT @ corrections
