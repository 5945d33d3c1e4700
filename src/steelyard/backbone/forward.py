"""Walking a decoder: start a batch, advance it, keep a part of it.

These are pure functions of a decoder and a state, used by the runtime without gradients and by
training with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from steelyard.backbone.attention import Attention, KeysValues, plan_attention
from steelyard.backbone.decoder import Decoder, Memory, Walk
from steelyard.backbone.recurrence import Recurrent, plan_recurrence
from steelyard.backbone.rotary import rotary
from steelyard.backbone.state import Capture, ForwardState, Prefix
from steelyard.errors import CapabilityError
from steelyard.tokens.plan import ROOT, Batch, Segment


def start(
    decoder: Decoder,
    batch: Batch,
    contexts: Sequence[Prefix] = (),
    plan: Attention | None = None,
) -> ForwardState:
    """Embed a batch that continues `contexts`, in the order of batch.contexts.

    Args:
        plan: of the batch's attention, in place of the one that shares what can be shared.
    """
    assert tuple(c.num_tokens for c in contexts) == tuple(batch.contexts), "other contexts"
    return _state(decoder, batch, tuple(contexts), _captures(batch, contexts), plan=plan)


def advance(decoder: Decoder, state: ForwardState, to_layer: int) -> ForwardState:
    """The state after `to_layer` layers; contexts that are shallower come along."""
    depth = decoder.config.layers
    assert state.layer <= to_layer <= depth, f"from layer {state.layer} to {to_layer} of {depth}"
    for context in state.contexts:
        extend(decoder, context, to_layer)
    hidden, device = state.hidden, decoder.device
    reads = torch.from_numpy(read_rows(state.batch)).to(device)
    growing = [
        _Growth(capture, segment, state.layer, to_layer, decoder)
        for segment, capture in state.captures.items()
        if capture.prefix.layer == state.layer < to_layer
    ]
    for index in range(state.layer, to_layer):
        stored = state.contexts if decoder.config.is_recurrent(index) else state.links
        hidden, left = decoder.layers[index](
            hidden,
            state.walk,
            [prefix.layers[index] for prefix in stored],
            only=reads if index + 1 == depth else None,
        )
        for growth in growing:
            growth.add(left)
    for growth in growing:
        growth.finish(None if to_layer == depth else hidden)
    return replace(state, layer=to_layer, hidden=hidden)


class _Growth:
    """The layers that a prefix gains in one walk, in a few blocks of memory.

    A block each for keys and values of every layer would lie scattered between short-lived arrays,
    and the allocator could not give their memory back. The prefix changes only when the walk is
    done: one that is interrupted leaves a stored prefix as it was.
    """

    def __init__(
        self, capture: Capture, segment: int, from_layer: int, to_layer: int, decoder: Decoder
    ) -> None:
        self.prefix, self.segment = capture.prefix, segment
        self.rows = torch.from_numpy(capture.rows).to(decoder.device)
        self.layers: list[Memory] = []
        self.free = iter(_room(decoder, range(from_layer, to_layer), len(self.rows)))

    def add(self, left: KeysValues | Mapping[int, Recurrent]) -> None:
        kept = next(self.free)
        if isinstance(left, Mapping):
            new: Memory = left[self.segment]
        else:
            keys, values = left
            new = keys[self.rows], values[self.rows]
        for place, x in zip(kept, new, strict=True):
            place.copy_(x.detach())
        self.layers.append(kept)

    def finish(self, hidden: Tensor | None) -> None:
        """Give the prefix its layers and the hidden states after them, `hidden` of all rows."""
        self.prefix.layers.extend(self.layers)
        self.prefix.hidden = None if hidden is None else hidden[self.rows]


def _room(decoder: Decoder, layers: range, num_tokens: int) -> list[Memory]:
    """Memory, as yet unwritten, for what so many tokens leave behind in each of these layers."""
    config, recurrent = decoder.config, decoder.config.recurrent
    ends = sum(config.is_recurrent(layer) for layer in layers)

    def block(*shape: int, dtype: torch.dtype = decoder.dtype) -> Iterator[Tensor]:
        return iter(torch.empty(shape, dtype=dtype, device=decoder.device))

    pairs = block(len(layers) - ends, 2, num_tokens, config.kv_heads, config.head_dim)
    if recurrent is None:
        return [(keys, values) for keys, values in pairs]
    heads, dims = recurrent.value_heads, (recurrent.key_dim, recurrent.value_dim)
    states = block(ends, heads, *dims, dtype=torch.float32)
    tails = block(ends, recurrent.kernel - 1, recurrent.channels)
    room: list[Memory] = []
    for layer in layers:
        if config.is_recurrent(layer):
            room.append(Recurrent(next(states), next(tails)))
        else:
            keys, values = next(pairs)
            room.append((keys, values))
    return room


def extend(decoder: Decoder, prefix: Prefix, to_layer: int) -> None:
    """Deepen a prefix in place, and those that it continues, up to `to_layer`."""
    if prefix.layer >= to_layer:
        return
    assert prefix.hidden is not None, "only a prefix at full depth is without hidden states"
    parents = () if prefix.parent is None else (prefix.parent,)
    rows = np.arange(len(prefix.own_ids))
    begin = prefix.num_tokens - len(rows)
    context = 0 if parents else ROOT
    batch = Batch(
        ids=np.array(prefix.own_ids, dtype=np.int64),
        positions=rows + begin,
        segments=(Segment(0, 0, 0, len(rows), ROOT, context=context, capture=True),),
        reads=(),
        contexts=tuple(parent.num_tokens for parent in parents),
    )
    state = _state(decoder, batch, parents, {0: Capture(prefix, rows)}, prefix.hidden, prefix.layer)
    advance(decoder, state, to_layer)


def keep(decoder: Decoder, state: ForwardState, segments: Sequence[int]) -> ForwardState:
    """Drop the rows that neither `segments` nor the segments to be captured need.

    What a segment needs is itself, its ancestors and the segments that these see. Only the reads
    of `segments` stay.
    """
    old = state.batch
    needed = _needed(old.segments, {*segments, *state.captures})
    spans = [np.arange(old.segments[s].begin, old.segments[s].end) for s in needed]
    rows = np.concatenate([np.empty(0, dtype=np.int64), *spans])
    new_segment = {s: i for i, s in enumerate(needed)}
    new_row = np.full(old.num_rows, -1)
    new_row[rows] = np.arange(len(rows))
    used = sorted({old.segments[s].context for s in needed} - {ROOT})
    batch = Batch(
        ids=old.ids[rows],
        positions=old.positions[rows],
        segments=tuple(
            replace(
                segment,
                begin=int(new_row[segment.begin]),
                end=int(new_row[segment.end - 1]) + 1,
                parent=new_segment.get(segment.parent, ROOT),
                context=ROOT if segment.context == ROOT else used.index(segment.context),
                sees=tuple(new_segment[s] for s in segment.sees),
            )
            for segment in (old.segments[s] for s in needed)
        ),
        reads=tuple(
            replace(read, segment=new_segment[read.segment], row=int(new_row[read.row]))
            for read in old.reads
            if read.segment in set(segments)
        ),
        contexts=tuple(old.contexts[c] for c in used),
    )
    captures = {
        new_segment[s]: replace(capture, rows=new_row[capture.rows])
        for s, capture in state.captures.items()
    }
    if state.layer == decoder.config.layers:
        old_rows = read_rows(old)
        rows = np.searchsorted(old_rows, rows[read_rows(batch)])
    hidden = state.hidden[torch.from_numpy(rows).to(decoder.device)]
    contexts = tuple(state.contexts[c] for c in used)
    return _state(decoder, batch, contexts, captures, hidden, state.layer)


def at_reads(decoder: Decoder, state: ForwardState) -> Tensor:
    """Hidden states of the read rows, in ascending order of row, float32 (read rows, width)."""
    if state.layer == decoder.config.layers:
        return state.hidden
    return state.hidden[torch.from_numpy(read_rows(state.batch)).to(decoder.device)]


def read_rows(batch: Batch) -> np.ndarray:
    """The rows that are read, each once, ascending."""
    return np.unique(np.array([read.row for read in batch.reads], dtype=np.int64))


def _state(
    decoder: Decoder,
    batch: Batch,
    contexts: tuple[Prefix, ...],
    captures: dict[int, Capture],
    hidden: Tensor | None = None,
    layer: int = 0,
    plan: Attention | None = None,
) -> ForwardState:
    device = decoder.device
    chains = [context.chain() for context in contexts]
    links = tuple(dict.fromkeys(link for chain in chains for link in chain))
    if plan is None:
        plan = plan_attention(batch, [[links.index(x) for x in chain] for chain in chains], device)
    recurrent = decoder.config.recurrent
    recurrence = None if recurrent is None else plan_recurrence(batch, recurrent.kernel, device)
    if hidden is None:
        hidden = decoder.embed(torch.from_numpy(batch.ids).to(device))
        for capture in captures.values():
            capture.prefix.hidden = hidden[torch.from_numpy(capture.rows).to(device)]
    table = rotary(decoder.config, torch.from_numpy(batch.positions).to(device))
    walk = Walk(table, plan, recurrence)
    return ForwardState(batch, layer, hidden, walk, contexts, links, captures)


def _captures(batch: Batch, contexts: Sequence[Prefix]) -> dict[int, Capture]:
    """An empty prefix for each segment to be captured."""
    captures: dict[int, Capture] = {}
    for index, segment in enumerate(batch.segments):
        if not segment.capture:
            continue
        spans: list[tuple[int, int]] = []
        parent, at = None, index
        while at != ROOT and (at == index or at not in captures):
            if batch.segments[at].sees:
                raise CapabilityError(f"segment {index} joins its siblings and cannot be a prefix")
            spans.insert(0, (batch.segments[at].begin, batch.segments[at].end))
            root, at = at, batch.segments[at].parent
        if at != ROOT:
            parent = captures[at].prefix
        elif batch.segments[root].context != ROOT:
            parent = contexts[batch.segments[root].context]
        rows = np.concatenate([np.arange(begin, end) for begin, end in spans])
        before = () if parent is None else parent.ids
        ids = (*before, *batch.ids[rows].tolist())
        captures[index] = Capture(Prefix(ids, parent), rows)
    return captures


def _needed(segments: Sequence[Segment], wanted: set[int]) -> list[int]:
    """`wanted` and all that they see, ascending."""
    needed, left = set[int](), list(wanted)
    while left:
        index = left.pop()
        if index not in needed:
            needed.add(index)
            parent = segments[index].parent
            left += [*segments[index].sees, *([] if parent == ROOT else [parent])]
    return sorted(needed)
