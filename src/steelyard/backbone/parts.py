"""What is known of a batch without a network: which rows a part of it needs, or a prefix keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.errors import CapabilityError
from steelyard.tokens.plan import ROOT, Batch, Segment


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A batch cut down to some of its segments.

    Attributes:
        rows: the old batch's rows that are in this one, ascending.
        new_rows: old row -> new row, -1 for those that are gone.
        segments: old segment -> new segment. contexts: the old contexts that are left.
    """

    batch: Batch
    rows: np.ndarray
    new_rows: np.ndarray
    segments: Mapping[int, int]
    contexts: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CapturedRows:
    """The rows of a prefix that ends with `segment`.

    Attributes:
        segments: the segments that these rows are, in order.
        after: the captured segment whose prefix this one continues, or ROOT.
        context: where there is none, the batch's context that it continues, or ROOT.
    """

    segment: int
    segments: tuple[int, ...]
    after: int
    context: int
    rows: np.ndarray


def read_rows(batch: Batch) -> np.ndarray:
    """The rows that are read, each once, ascending."""
    return np.unique(np.array([read.row for read in batch.reads], dtype=np.int64))


def narrow(old: Batch, segments: Sequence[int], captured: Iterable[int]) -> Part:
    """Without the rows that neither `segments` nor the segments to be captured need.

    What a segment needs is itself, its ancestors and the segments that these see. Only the reads
    of `segments` stay.
    """
    needed = _needed(old.segments, {*segments, *captured})
    spans = [np.arange(old.segments[s].begin, old.segments[s].end) for s in needed]
    rows = np.concatenate([np.empty(0, dtype=np.int64), *spans])
    new_segment = {s: i for i, s in enumerate(needed)}
    new_row = np.full(old.num_rows, -1)
    new_row[rows] = np.arange(len(rows))
    used = sorted({old.segments[s].context for s in needed} - {ROOT})
    kept = set(segments)
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
            if read.segment in kept
        ),
        contexts=tuple(old.contexts[c] for c in used),
    )
    return Part(batch, rows, new_row, new_segment, tuple(used))


def captured_rows(batch: Batch) -> list[CapturedRows]:
    """For each segment to be captured, the rows of its prefix; parents before what continues them.

    Raises:
        CapabilityError: a segment that sees its siblings cannot be part of a prefix.
    """
    found: dict[int, CapturedRows] = {}
    for index, segment in enumerate(batch.segments):
        if not segment.capture:
            continue
        path: list[int] = []
        root, at = ROOT, index
        while at != ROOT and (at == index or at not in found):
            if batch.segments[at].sees:
                raise CapabilityError(f"segment {index} joins its siblings and cannot be a prefix")
            path.insert(0, at)
            root, at = at, batch.segments[at].parent
        context = batch.segments[root].context if at == ROOT else ROOT
        rows = np.concatenate(
            [np.arange(batch.segments[s].begin, batch.segments[s].end) for s in path]
        )
        found[index] = CapturedRows(index, tuple(path), at, context, rows)
    return list(found.values())


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
