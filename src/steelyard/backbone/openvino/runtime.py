"""The CPU runtime without torch: graphs of OpenVINO between two exits, numpy at their ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from steelyard.backbone.config import DecoderConfig
from steelyard.backbone.frequencies import rotary_table
from steelyard.backbone.lens_map import LensMap
from steelyard.backbone.openvino.chunks import Chunk, plan_chunks
from steelyard.backbone.openvino.ends import Ends
from steelyard.backbone.openvino.memory import Memory
from steelyard.backbone.openvino.network import ROWS_STEP, Network, Stretch, filled
from steelyard.backbone.openvino.state import ArrayCapture, ArrayPrefix, ArrayState
from steelyard.backbone.parts import captured_rows, narrow, read_rows
from steelyard.backbone.runtime import CONTEXTS, EXITS, HIDDEN, JOINS, Context, State
from steelyard.tokens.plan import ROOT, Batch, Segment


class OpenVinoRuntime:
    """A decoder of attention layers behind the `Runtime` protocol, on a CPU.

    Args:
        digest: sha256 over the weights and lenses, hexadecimal.
        lenses: layer below the last -> the lens through which it is measured there.
    """

    name = "openvino"
    capabilities = frozenset({EXITS, CONTEXTS, HIDDEN, JOINS})

    def __init__(
        self,
        network: Network,
        ends: Ends,
        *,
        dtype: str,
        digest: str,
        lenses: Mapping[int, LensMap] | None = None,
    ) -> None:
        self.network, self.ends = network, ends
        self.config: DecoderConfig = network.config
        self.num_layers = self.config.layers
        self.context_tokens = self.config.max_positions
        self.dtype, self.digest = dtype, digest
        self.lenses = dict(lenses or {})
        assert all(0 < layer < self.num_layers for layer in self.lenses), "a lens at no exit"

    def start(self, batch: Batch, contexts: Sequence[Context] = ()) -> ArrayState:
        prefixes = tuple(context for context in contexts if isinstance(context, ArrayPrefix))
        assert len(prefixes) == len(contexts), "contexts of another runtime"
        assert tuple(c.num_tokens for c in prefixes) == tuple(batch.contexts), "other contexts"
        hidden = self.ends.embed(batch.ids)
        captures: dict[int, ArrayCapture] = {}
        for one in captured_rows(batch):
            parent = None
            if one.after != ROOT:
                parent = captures[one.after].prefix
            elif one.context != ROOT:
                parent = prefixes[one.context]
            ids = (*(() if parent is None else parent.ids), *batch.ids[one.rows].tolist())
            prefix = ArrayPrefix(ids, parent, hidden=hidden[one.rows])
            captures[one.segment] = ArrayCapture(prefix, one.rows, one.segments)
        return ArrayState(batch, 0, hidden, prefixes, captures)

    def advance(self, state: State, to_layer: int) -> ArrayState:
        state = _own(state)
        depth = self.num_layers
        assert state.layer <= to_layer <= depth, (
            f"from layer {state.layer} to {to_layer} of {depth}"
        )
        if state.layer == to_layer:
            return state
        for context in state.contexts:
            self._extend(context, to_layer)
        chains = [context.chain() for context in state.contexts]
        links = list(dict.fromkeys(link for chain in chains for link in chain))
        chunks = plan_chunks(
            state.batch,
            [[links.index(link) for link in chain] for chain in chains],
            [len(link.own_ids) for link in links],
        )
        growing = [c for c in state.captures.values() if c.prefix.layer == state.layer]
        memory = Memory(
            self.config,
            range(state.layer, to_layer),
            state.batch,
            chunks,
            links,
            [segment for capture in growing for segment in capture.segments],
        )
        stretches = self.network.between(state.layer, to_layer)
        hidden = [self._chunk(state, chunk, stretches, memory) for chunk in chunks]
        after = np.concatenate([state.hidden[:0], *hidden])
        # Only now: a walk that is interrupted leaves a stored prefix as it was.
        for capture in growing:
            capture.prefix.layers.extend(memory.prefix_layers(capture.segments))
            capture.prefix.hidden = None if to_layer == depth else after[capture.rows]
        return replace(state, layer=to_layer, hidden=after)

    def keep(self, state: State, segments: Sequence[int]) -> ArrayState:
        state = _own(state)
        part = narrow(state.batch, segments, state.captures)
        rows = part.rows
        if state.layer == self.num_layers:
            rows = np.searchsorted(read_rows(state.batch), rows[read_rows(part.batch)])
        return ArrayState(
            part.batch,
            state.layer,
            state.hidden[rows],
            tuple(state.contexts[c] for c in part.contexts),
            {
                part.segments[s]: ArrayCapture(
                    capture.prefix,
                    part.new_rows[capture.rows],
                    tuple(part.segments[one] for one in capture.segments),
                )
                for s, capture in state.captures.items()
            },
        )

    def measure(self, state: State) -> Sequence[np.ndarray]:
        state = _own(state)
        hidden = state.hidden
        if state.layer < self.num_layers:
            hidden = hidden[read_rows(state.batch)]
        return self.ends.measure(state.batch, hidden, self.lenses.get(state.layer))

    def captured(self, state: State) -> Mapping[int, ArrayPrefix]:
        return {segment: capture.prefix for segment, capture in _own(state).captures.items()}

    def _chunk(
        self, state: ArrayState, chunk: Chunk, stretches: Sequence[Stretch], memory: Memory
    ) -> np.ndarray:
        """Hidden states of a chunk's rows after these graphs; what they leave is remembered."""
        rows = slice(chunk.begin, chunk.end)
        spare = -(chunk.end - chunk.begin) % ROWS_STEP
        cos, sin = rotary_table(self.config, state.batch.positions[rows])
        table = filled(cos, spare), filled(sin, spare)
        mask = chunk.mask(spare)
        reads = read_rows(state.batch)
        reads = reads[(reads >= chunk.begin) & (reads < chunk.end)] - chunk.begin
        hidden = filled(state.hidden[rows], spare)
        for stretch in stretches:
            past = [memory.past(chunk, layer) for layer in stretch.layers]
            wanted = reads if len(reads) else np.zeros(1, dtype=np.int64)
            hidden, own = stretch.run(hidden, table, mask, past, wanted)
            for layer, pair in zip(stretch.layers, own, strict=True):
                memory.keep(chunk, layer, pair)
        ends = stretches[-1].layers.stop == self.num_layers
        return hidden[: len(reads) if ends else chunk.end - chunk.begin].copy()

    def _extend(self, prefix: ArrayPrefix, to_layer: int) -> None:
        """Deepen a prefix in place, and those that it continues, up to `to_layer`."""
        if prefix.layer >= to_layer:
            return
        assert prefix.hidden is not None, "only a prefix at full depth is without hidden states"
        parents = () if prefix.parent is None else (prefix.parent,)
        rows = np.arange(len(prefix.own_ids))
        context = 0 if parents else ROOT
        batch = Batch(
            ids=np.array(prefix.own_ids, dtype=np.int64),
            positions=rows + prefix.num_tokens - len(rows),
            segments=(Segment(0, 0, 0, len(rows), ROOT, context=context, capture=True),),
            reads=(),
            contexts=tuple(parent.num_tokens for parent in parents),
        )
        captures = {0: ArrayCapture(prefix, rows, (0,))}
        self.advance(ArrayState(batch, prefix.layer, prefix.hidden, parents, captures), to_layer)


def _own(state: State) -> ArrayState:
    assert isinstance(state, ArrayState), "a state of another runtime"
    return state
