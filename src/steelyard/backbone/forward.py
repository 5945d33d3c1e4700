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
from steelyard.backbone.parts import captured_rows, narrow, read_rows
from steelyard.backbone.recurrence import Recurrent, plan_recurrence
from steelyard.backbone.rotary import rotary
from steelyard.backbone.state import Capture, ForwardState, Prefix
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
    part = narrow(state.batch, segments, state.captures)
    captures = {
        part.segments[s]: replace(capture, rows=part.new_rows[capture.rows])
        for s, capture in state.captures.items()
    }
    rows = part.rows
    if state.layer == decoder.config.layers:
        rows = np.searchsorted(read_rows(state.batch), rows[read_rows(part.batch)])
    hidden = state.hidden[torch.from_numpy(rows).to(decoder.device)]
    contexts = tuple(state.contexts[c] for c in part.contexts)
    return _state(decoder, part.batch, contexts, captures, hidden, state.layer)


def at_reads(decoder: Decoder, state: ForwardState) -> Tensor:
    """Hidden states of the read rows, in ascending order of row, float32 (read rows, width)."""
    if state.layer == decoder.config.layers:
        return state.hidden
    return state.hidden[torch.from_numpy(read_rows(state.batch)).to(decoder.device)]


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
    for one in captured_rows(batch):
        parent = None
        if one.after != ROOT:
            parent = captures[one.after].prefix
        elif one.context != ROOT:
            parent = contexts[one.context]
        ids = (*(() if parent is None else parent.ids), *batch.ids[one.rows].tolist())
        captures[one.segment] = Capture(Prefix(ids, parent), one.rows)
    return captures
