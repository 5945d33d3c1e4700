"""Keys and values of the rows that later chunks of a walk, or a prefix, will need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from steelyard.backbone.config import DecoderConfig
from steelyard.backbone.openvino.chunks import Chunk
from steelyard.backbone.openvino.state import ArrayPrefix, KeysValues
from steelyard.tokens.plan import ROOT, Batch


class Memory:
    """What one walk through some layers remembers, segment by segment.

    The rows of all other segments are forgotten when their chunk is done, so a batch of many
    branches needs no more memory than its roots.
    """

    def __init__(
        self,
        config: DecoderConfig,
        layers: range,
        batch: Batch,
        chunks: Sequence[Chunk],
        links: Sequence[ArrayPrefix],
        captured: Iterable[int],
    ) -> None:
        self.layers, self.links = layers, links
        self.none = np.empty((0, config.kv_heads, config.head_dim), dtype=np.float32)
        self.begins: dict[int, int] = {}
        self.blocks: dict[int, np.ndarray] = {}
        used = {source.segment for chunk in chunks for source in chunk.past} - {ROOT}
        for index in sorted({*used, *captured}):
            segment = batch.segments[index]
            self.begins[index] = segment.begin
            # One block: many small ones would lie scattered among arrays that live shortly.
            self.blocks[index] = np.empty(
                (len(layers), 2, segment.end - segment.begin, config.kv_heads, config.head_dim),
                dtype=np.float32,
            )

    def past(self, chunk: Chunk, layer: int) -> KeysValues:
        """Keys and values of a chunk's past; nothing is copied where they lie in one piece."""
        parts = [
            self.links[source.link].layers[layer]
            if source.segment == ROOT
            else self._pair(source.segment, layer, source.rows)
            for source in chunk.past
        ]
        if not parts:
            return self.none, self.none
        if len(parts) == 1:
            return parts[0]
        keys, values = (np.concatenate(several) for several in zip(*parts, strict=True))
        return keys, values

    def keep(self, chunk: Chunk, layer: int, own: KeysValues) -> None:
        """Remember of a chunk's keys and values those that will be needed."""
        for piece in chunk.pieces:
            if piece.segment in self.blocks:
                begin = self.begins[piece.segment]
                block = self.blocks[piece.segment][layer - self.layers.start]
                for place, x in zip(block, own, strict=True):
                    rows = x[piece.begin - chunk.begin : piece.end - chunk.begin]
                    place[piece.begin - begin : piece.end - begin] = rows

    def prefix_layers(self, segments: Sequence[int]) -> list[KeysValues]:
        """Layer by layer what these segments leave behind, one after the other."""
        blocks = [self.blocks[segment] for segment in segments]
        whole = blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=2)
        return [(keys, values) for keys, values in whole]

    def _pair(self, segment: int, layer: int, rows: int) -> KeysValues:
        keys, values = self.blocks[segment][layer - self.layers.start]
        return keys[:rows], values[:rows]
