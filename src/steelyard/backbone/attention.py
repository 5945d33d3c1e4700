"""Attention over a tree of segments: no prefix is copied for its branches, no row is padded.

What a row may see is a handful of key sets: its own segment up to itself, each ancestor whole, the
siblings that its segment joins, the stored prefix that its root continues. So a batch is planned
once as a short list of *jobs*, each one dense attention of some rows on some keys:

    self    segments of equal length, stacked; causal
    cross   all descendants of a segment, which lie side by side, on that segment's keys
    join    a segment on the siblings it sees
    stored  the rows of a tree on the keys of the prefix it continues

and the partial results of a row are merged by their logsumexp (Hydragen, Juravsky 2024,
arXiv 2402.05099): with o_i the output and l_i the logsumexp of the scores over key set i,

    l = log(e^l1 + e^l2),   o = e^(l1 - l) o_1 + e^(l2 - l) o_2

The gradient needs no merging: dense attention's backward, given the *merged* o and l, yields the
exact share of each key set.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

import numpy as np
import torch
from torch import Tensor

from steelyard.backbone import dense
from steelyard.tokens.plan import ROOT, Batch, Segment

Rows: TypeAlias = slice | Tensor
"""Rows of a flat array: a run of them (then nothing is copied), or their indices."""

KeysValues: TypeAlias = tuple[Tensor, Tensor]
"""Keys and values of one layer, (tokens, kv_heads, head_dim) each."""


@dataclass(frozen=True, slots=True)
class Job:
    """Dense attention of `queries` on `keys`.

    Attributes:
        queries: rows of the batch, `stack` equal blocks one after the other.
        keys: rows of the batch, stacked likewise, or None for a whole stored prefix.
        stored: which stored prefix, where keys is None.
        causal: a self job, the first of its rows.
    """

    queries: Rows
    keys: Rows | None
    stored: int = 0
    stack: int = 1
    causal: bool = False


class Attention(Protocol):
    """How the rows of a batch read from what they may see, planned once for all layers."""

    def attend(
        self,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        stored: Sequence[KeysValues] = (),
    ) -> Tensor:
        """What every row reads from what it may see. Differentiable.

        Args:
            queries: (rows, heads, head_dim); keys, values: (rows, kv_heads, head_dim).
            stored: keys and values of the stored prefixes; no gradient flows into them.
        Returns:
            (rows, heads, head_dim), in the type of the queries.
        """
        ...


@dataclass(frozen=True, slots=True)
class AttentionPlan:
    """The jobs of a batch: the self jobs, which cover every row once, then the others."""

    jobs: tuple[Job, ...]

    def attend(
        self,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        stored: Sequence[KeysValues] = (),
    ) -> Tensor:
        out: Tensor = _TreeAttention.apply(  # type: ignore[no-untyped-call]
            self, tuple(stored), queries, keys, values
        )
        return out


def plan_attention(
    batch: Batch, chains: Sequence[Sequence[int]], device: torch.device
) -> AttentionPlan:
    """The jobs of a batch.

    Args:
        chains: for each of batch.contexts, the indices of the stored key sets that it consists of.
    """
    ends = _subtree_ends(batch.segments)
    jobs = _self_jobs(batch.segments, device)
    for index, segment in enumerate(batch.segments):
        if segment.parent == ROOT and segment.context != ROOT:
            tree = slice(segment.begin, ends[index])
            jobs += [Job(tree, None, stored=link) for link in chains[segment.context]]
        if ends[index] > segment.end:
            descendants = slice(segment.end, ends[index])
            jobs.append(Job(descendants, slice(segment.begin, segment.end)))
        if segment.sees:
            seen = _seen_rows(batch.segments, index, device)
            jobs.append(Job(slice(segment.begin, segment.end), seen))
    return AttentionPlan(tuple(jobs))


class _TreeAttention(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        plan: AttentionPlan,
        stored: tuple[KeysValues, ...],
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
    ) -> Tensor:
        exact = torch.promote_types(queries.dtype, torch.float32)
        out = torch.empty(queries.shape, dtype=exact, device=queries.device)
        lse = torch.empty(queries.shape[:2], dtype=torch.float64, device=queries.device)
        for job in plan.jobs:
            q, k, v = _operands(job, stored, queries, keys, values)
            part, part_lse = dense.forward(q, k, v, causal=job.causal)
            part, part_lse = _flat(part), _flat(part_lse)
            if job.causal:
                out[job.queries], lse[job.queries] = part.to(exact), part_lse.double()
            else:
                assert isinstance(job.queries, slice), "only self jobs gather their rows"
                _merge(out[job.queries], lse[job.queries], part, part_lse)
        out = out.to(queries.dtype)
        ctx.plan, ctx.stored = plan, stored
        ctx.save_for_backward(queries, keys, values, out, lse)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        queries, keys, values, out, lse = ctx.saved_tensors
        exact = torch.promote_types(queries.dtype, torch.float32)
        lse = lse.to(exact)
        grads = tuple(
            torch.zeros(x.shape, dtype=exact, device=x.device) for x in (queries, keys, values)
        )
        for job in ctx.plan.jobs:
            q, k, v = _operands(job, ctx.stored, queries, keys, values)
            rows = [_stacked(x[job.queries], job.stack) for x in (grad, out, lse)]
            parts = dense.backward(q, k, v, *rows, causal=job.causal)
            for total, part, where in zip(
                grads, parts, (job.queries, job.keys, job.keys), strict=True
            ):
                if where is not None:
                    # no row occurs twice in a job, so adding in place loses nothing
                    total[where] += _flat(part)
        return None, None, *(x.to(queries.dtype) for x in grads)


def _operands(
    job: Job, stored: Sequence[KeysValues], queries: Tensor, keys: Tensor, values: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    q = _stacked(queries[job.queries], job.stack)
    if job.keys is None:
        k, v = stored[job.stored]
    else:
        k, v = keys[job.keys], values[job.keys]
    return q, _stacked(k, job.stack), _stacked(v, job.stack)


def _stacked(x: Tensor, stack: int) -> Tensor:
    """(stack * n, heads, ...) as (stack, heads, n, ...), a view."""
    return x.view(stack, -1, *x.shape[1:]).transpose(1, 2)


def _flat(x: Tensor) -> Tensor:
    """(stack, heads, n, ...) as (stack * n, heads, ...)."""
    return x.transpose(1, 2).flatten(0, 1)


def _merge(out: Tensor, lse: Tensor, part: Tensor, part_lse: Tensor) -> None:
    """Fold a partial result into `out`, `lse`, in place.

    The weights are computed in float64. In float32 their last bit would depend on where a row
    stands in its batch, because torch rounds the last few elements of an array otherwise than the
    rest; after thirty layers that is 1e-6 in a probability.
    """
    part_lse = part_lse.double()
    total = torch.logaddexp(lse, part_lse)
    out.mul_((lse - total).exp_().to(out.dtype).unsqueeze(-1))
    out.addcmul_(part.to(out.dtype), (part_lse - total).exp_().to(out.dtype).unsqueeze(-1))
    lse.copy_(total)


def _self_jobs(segments: Sequence[Segment], device: torch.device) -> list[Job]:
    """One job for each length that occurs."""
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for segment in segments:
        by_length[segment.end - segment.begin].append(segment.begin)
    jobs = []
    for length, begins in by_length.items():
        rows = _rows([(begin, begin + length) for begin in begins], device)
        jobs.append(Job(rows, rows, stack=len(begins), causal=True))
    return jobs


def _seen_rows(segments: Sequence[Segment], index: int, device: torch.device) -> Rows:
    segment, lineage, ancestor = segments[index], {index}, segments[index].parent
    while ancestor != ROOT:
        lineage.add(ancestor)
        ancestor = segments[ancestor].parent
    assert lineage.isdisjoint(segment.sees), f"segment {index} would see its ancestors twice"
    assert len(set(segment.sees)) == len(segment.sees), f"segment {index} sees a sibling twice"
    return _rows([(segments[s].begin, segments[s].end) for s in sorted(segment.sees)], device)


def _rows(runs: Sequence[tuple[int, int]], device: torch.device) -> Rows:
    """The rows of several runs; a slice if they touch."""
    if all(run[1] == following[0] for run, following in pairwise(runs)):
        return slice(runs[0][0], runs[-1][1])
    indices = np.concatenate([np.arange(begin, end) for begin, end in runs])
    return torch.from_numpy(indices).to(device)


def _subtree_ends(segments: Sequence[Segment]) -> list[int]:
    """The row after the last descendant of each segment, or after itself."""
    ends = [segment.end for segment in segments]
    for index in reversed(range(len(segments))):
        if segments[index].parent != ROOT:
            parent = segments[index].parent
            ends[parent] = max(ends[parent], ends[index])
    return ends
