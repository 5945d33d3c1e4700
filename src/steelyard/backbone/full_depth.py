"""What the runtimes without exits share: checks, the walk over a batch's trees, values of reads.

Such a runtime computes a batch segment by segment in depth-first order, each from a copy of what
its parent left behind, all layers at once. What a segment sees is then exactly its own path, so
its values are the same alone and in any company.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.backbone.runtime import Context, Runtime, State
from steelyard.errors import CapabilityError, TooLongError
from steelyard.tokens.plan import ROOT, Batch, HiddenRead, LogitRead, LogProbRead, NodeRead


@dataclass(frozen=True, slots=True)
class FullDepthState:
    """A batch before the first layer (`layer` 0, no measures) or after the last one.

    Attributes:
        measures: the value of every read of the batch, in order.
    """

    batch: Batch
    layer: int = 0
    measures: tuple[np.ndarray, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One segment to compute.

    Attributes:
        ids: (tokens,) int64.
        start: position of the first token.
        depth: number of ancestors; the parent is the latest step of depth - 1.
        last: no later step continues the same parent.
        offsets: the tokens at which something is read, ascending.
        reads: indices into batch.reads of what is read at each of them.
    """

    ids: np.ndarray
    start: int
    depth: int
    last: bool
    offsets: tuple[int, ...]
    reads: tuple[tuple[int, ...], ...]


def begin(runtime: Runtime, batch: Batch, contexts: Sequence[Context]) -> FullDepthState:
    """The state before the first layer.

    Raises:
        CapabilityError: the batch has stored prefixes, joins or reads of hidden states.
        TooLongError: a position beyond the model's context.
    """
    if contexts or batch.contexts or any(segment.capture for segment in batch.segments):
        raise _lacking(runtime, "stores no prefixes")
    if any(segment.sees for segment in batch.segments):
        raise _lacking(runtime, "has no segments that see their siblings")
    if any(isinstance(placed.read, HiddenRead) for placed in batch.reads):
        raise _lacking(runtime, "shows no hidden states")
    longest = int(batch.positions.max(initial=-1)) + 1
    if longest > runtime.context_tokens:
        raise TooLongError(
            f"{longest:,} tokens; the model was made for {runtime.context_tokens:,} at most"
        )
    return FullDepthState(batch)


def finish(
    runtime: Runtime,
    state: State,
    to_layer: int,
    compute: Callable[[Batch], tuple[np.ndarray, ...]],
) -> FullDepthState:
    """The state after the last layer.

    Args:
        compute: the value of every read of a batch, in order.
    Raises:
        CapabilityError: `to_layer` is not the last layer.
    """
    state = _own(state)
    if to_layer != runtime.num_layers:
        raise _lacking(
            runtime, f"cannot stop at layer {to_layer}, only at the last one, {runtime.num_layers}"
        )
    if state.layer == to_layer:
        return state
    return FullDepthState(state.batch, to_layer, compute(state.batch))


def measured(runtime: Runtime, state: State) -> tuple[np.ndarray, ...]:
    """The values of the reads.

    Raises:
        CapabilityError: the state is not after the last layer.
    """
    state = _own(state)
    if state.layer == 0:
        raise _lacking(runtime, f"cannot measure before layer {runtime.num_layers}, the last one")
    return state.measures


def _lacking(runtime: Runtime, what: str) -> CapabilityError:
    return CapabilityError(f"the {runtime.name} runtime {what}; the torch runtime can")


def narrow(state: State, segments: Sequence[int]) -> FullDepthState:
    """The state with the reads of `segments` only; what no read needs is then not computed."""
    state = _own(state)
    wanted = set(segments)
    kept = [i for i, placed in enumerate(state.batch.reads) if placed.segment in wanted]
    return replace(
        state,
        batch=replace(state.batch, reads=tuple(state.batch.reads[i] for i in kept)),
        measures=tuple(state.measures[i] for i in kept) if state.layer else (),
    )


def walk(batch: Batch) -> Iterator[Step]:
    """The segments that reads need, parents before children, every subtree contiguous."""
    segments = batch.segments
    reads: list[dict[int, list[int]]] = [{} for _ in segments]  # offset -> indices
    for index, placed in enumerate(batch.reads):
        offset = placed.row - segments[placed.segment].begin
        reads[placed.segment].setdefault(offset, []).append(index)

    needed = [bool(own_reads) for own_reads in reads]
    children = [0] * len(segments)
    for index in reversed(range(len(segments))):
        parent = segments[index].parent
        if needed[index] and parent != ROOT:
            needed[parent] = True
            children[parent] += 1

    depths: list[int] = []
    for index, segment in enumerate(segments):
        root = segment.parent == ROOT
        depths.append(0 if root else depths[segment.parent] + 1)
        if not needed[index]:
            continue
        start = 0 if root else int(batch.positions[segments[segment.parent].end - 1]) + 1
        assert batch.positions[segment.begin] == start, "a gap between a segment and its parent"
        if not root:
            children[segment.parent] -= 1
        offsets = tuple(sorted(reads[index]))
        yield Step(
            ids=batch.ids[segment.begin : segment.end],
            start=start,
            depth=depths[index],
            last=root or children[segment.parent] == 0,
            offsets=offsets,
            reads=tuple(tuple(reads[index][offset]) for offset in offsets),
        )


def values(batch: Batch, compute: Callable[[Step], np.ndarray]) -> tuple[np.ndarray, ...]:
    """The values of all reads.

    Args:
        compute: computes a step; returns the next-token logits at its offsets, float32
            (offsets, vocabulary).
    """
    found: dict[int, np.ndarray] = {}
    for step in walk(batch):
        for indices, logits in zip(step.reads, compute(step), strict=True):
            for index in indices:
                found[index] = _value(batch.reads[index].read, logits)
    return tuple(found[index] for index in range(len(batch.reads)))


def _value(read: NodeRead, logits: np.ndarray) -> np.ndarray:
    """The value of a read, from the next-token logits at its token.

    Args:
        logits: float32 (vocabulary,).
    Returns:
        float64; see `Runtime.measure`.
    """
    match read:
        case LogitRead(targets=targets):
            return logits[list(targets)].astype(np.float64)
        case LogProbRead(target=target):
            shifted = logits.astype(np.float64) - logits.max()
            return np.asarray(shifted[target] - np.log(np.exp(shifted).sum()))
        case HiddenRead():
            raise AssertionError("hidden states are refused at the start")


def _own(state: State) -> FullDepthState:
    assert isinstance(state, FullDepthState), "a state of another runtime"
    return state
