"""Recurrence over a tree of segments: every segment begins from the state its parent ended with.

What attention finds by looking back at keys, a recurrent layer must have carried along: the state
of its memory and the last columns before its convolution. A branch takes both over from its
parent, the root of a tree from the stored prefix it continues, or it begins with zeros. So the
segments are computed in *waves*: first those without a parent, then their children, and so on;
within a wave those of similar length, side by side. No prefix is computed for each of its branches
again, and none can be cut: of what came before, only the end is left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from steelyard.backbone.delta_rule import LONGEST, Chunks, cut, delta_rule
from steelyard.errors import CapabilityError
from steelyard.tokens.plan import ROOT, Batch

MOST_SEGMENTS = 64
"""Of a wave: each needs a state while it is computed, 2 MiB in a model of 4B."""


class Recurrent(NamedTuple):
    """What a prefix leaves behind in a recurrent layer, whatever its length.

    Attributes:
        state: (value_heads, key_dim, value_dim), float32 or better.
        tail: columns before the convolution of the last kernel - 1 tokens, (kernel - 1, channels).
    """

    state: Tensor
    tail: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Wave:
    """Segments that are computed side by side.

    Attributes:
        begins: for each, the place of the state that it begins from.
        ends: of those whose state is needed later, the index in the wave. States take their places
            in the order of the waves, after the zeros and the stored ones.
    """

    chunks: Chunks
    begins: tuple[int, ...]
    ends: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Recurrence:
    """How the rows of a batch follow each other, planned once for all recurrent layers.

    Attributes:
        taps: int64 (rows, kernel), the columns that each row's convolution sees, the oldest
            first, among: a column of zeros, the stored tails, the rows.
        order: int64 (rows,), where each row stands among what the waves return.
        captured: segment to be captured -> the place of its state, and the columns of its tail.
    """

    taps: Tensor
    waves: tuple[Wave, ...]
    order: Tensor
    captured: Mapping[int, tuple[int, Tensor]]

    def read(
        self,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        log_decay: Tensor,
        shares: Tensor,
        stored: Sequence[Tensor],
    ) -> tuple[Tensor, dict[int, Tensor]]:
        """What every row reads, (rows, value_heads, value_dim), and states of captured segments.

        Args:
            queries ... shares: of all rows, as in `delta_rule`.
            stored: the states after the stored prefixes.
        """
        exact = torch.promote_types(values.dtype, torch.float32)
        zeros = values.new_zeros((values.shape[1], keys.shape[2], values.shape[2]), dtype=exact)
        states, reads = [zeros, *stored], []
        for wave in self.waves:
            begin = torch.stack([states[place] for place in wave.begins])
            read, end = delta_rule(queries, keys, values, log_decay, shares, begin, wave.chunks)
            reads.append(read)
            states += [end[index] for index in wave.ends]
        captured = {segment: states[place] for segment, (place, _) in self.captured.items()}
        return torch.cat(reads)[self.order], captured


def plan_recurrence(batch: Batch, kernel: int, device: torch.device) -> Recurrence:
    """The waves and the taps of a batch.

    Raises:
        CapabilityError: a segment sees siblings; states of siblings cannot be joined.
    """
    for index, segment in enumerate(batch.segments):
        if segment.sees:
            raise CapabilityError(
                f"segment {index} joins its siblings; a model with recurrent layers reads one text "
                "after the other, so use a layout and a readout whose options are a list"
            )
    taps = _taps(batch, kernel)
    parents = {segment.parent for segment in batch.segments}
    places: dict[int, int] = {}
    waves: list[Wave] = []
    for group in _groups(batch):
        begins = tuple(
            1 + segment.context  # zeros stand before the stored states, where ROOT points
            if segment.parent == ROOT
            else places[segment.parent]
            for segment in (batch.segments[index] for index in group)
        )
        needed = [i for i, s in enumerate(group) if s in parents or batch.segments[s].capture]
        for index in needed:
            places[group[index]] = 1 + len(batch.contexts) + len(places)
        spans = [(batch.segments[index].begin, batch.segments[index].end) for index in group]
        waves.append(Wave(cut(spans, device), begins, tuple(needed)))
    order = torch.cat([wave.chunks.order for wave in waves]).argsort()
    captured = {
        index: (places[index], torch.from_numpy(taps[segment.end - 1, 1:]).to(device))
        for index, segment in enumerate(batch.segments)
        if segment.capture
    }
    return Recurrence(torch.from_numpy(taps).to(device), tuple(waves), order, captured)


def _groups(batch: Batch) -> list[list[int]]:
    """Segments that can be computed together, parents before children, the longest first.

    A chunk is as long as the longest segment of its wave, so short ones have waves of their own.
    """
    depths: list[int] = []
    groups: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for index, segment in enumerate(batch.segments):
        depths.append(0 if segment.parent == ROOT else depths[segment.parent] + 1)
        length = min(segment.end - segment.begin, LONGEST)
        groups[depths[-1], (length - 1).bit_length()].append(index)

    def length_of(index: int) -> int:
        return batch.segments[index].end - batch.segments[index].begin

    waves = []
    for _, group in sorted(groups.items()):
        group.sort(key=length_of, reverse=True)
        waves += [group[at : at + MOST_SEGMENTS] for at in range(0, len(group), MOST_SEGMENTS)]
    return waves


def _taps(batch: Batch, kernel: int) -> np.ndarray:
    """int64 (rows, kernel); see `Recurrence.taps`."""
    tail = kernel - 1
    first = 1 + len(batch.contexts) * tail
    # the column before each; before the zeros come zeros, and before a tail nobody looks
    before = np.maximum(np.arange(first + batch.num_rows) - 1, 0)
    for segment in batch.segments:
        if segment.parent != ROOT:
            before[first + segment.begin] = first + batch.segments[segment.parent].end - 1
        else:  # the end of the stored tail, or the zeros, where ROOT points
            before[first + segment.begin] = (1 + segment.context) * tail
    taps = [first + np.arange(batch.num_rows)]
    while len(taps) < kernel:
        taps.insert(0, before[taps[0]])
    return np.stack(taps, axis=1)
