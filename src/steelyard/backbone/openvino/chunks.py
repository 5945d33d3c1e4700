"""A batch cut into chunks of neighbouring rows, each computed by one call of a graph.

The rows of a chunk attend together, to what was computed before them (their *past*) and to each
other, and a mask says who sees whom. So a prefix is brought to a chunk of many branches once, not
to each of them. What is masked is computed in vain; a chunk therefore takes in what needs the same
past, and ends where that would change too much.

A few hundred rows make a graph as fast per row as it gets, so a chunk is not longer than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from steelyard.tokens.plan import ROOT, Batch

CHUNK_ROWS = 256
"""Most rows of a chunk; a segment that is longer is divided evenly. Twice as many make the linear
maps hardly faster, and each row attends to twice as many others in vain."""

WASTE = 50_000
"""Pairs of row and masked past key that are cheaper to compute than another chunk is to begin. A
chunk brings all weights from memory, which takes as long as to compute some 50 rows (SmolLM2)."""


@dataclass(frozen=True, slots=True)
class Source:
    """Part of a past: the first `rows` of a segment of the batch, or a whole stored link.

    Attributes:
        segment: its index, or ROOT for a link. link: its index where `segment` is ROOT.
    """

    segment: int
    link: int
    rows: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows [begin, end) of one segment, and what they see.

    Attributes:
        links: stored links, all of whose tokens are seen.
        segments: segments before this one, all of whose rows are seen.
    """

    segment: int
    begin: int
    end: int
    links: tuple[int, ...]
    segments: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows [begin, end) of a batch, with their past."""

    begin: int
    end: int
    pieces: tuple[Piece, ...]
    past: tuple[Source, ...]
    starts: tuple[int, ...] = field(repr=False)  # first row of each segment of the batch
    ends: tuple[int, ...] = field(repr=False)

    @property
    def past_rows(self) -> int:
        return sum(source.rows for source in self.past)

    def mask(self, spare: int = 0) -> np.ndarray:
        """float32 (rows, past + rows): 0 where a row sees, -inf where not.

        Args:
            spare: rows at the end that stand for nothing; each sees itself alone.
        """
        rows, past = self.end - self.begin + spare, self.past_rows
        mask = np.full((rows, past + rows), -np.inf, dtype=np.float32)
        mask[rows - spare :, past + rows - spare :][_DIAGONAL[:spare, :spare]] = 0
        columns: dict[tuple[int, int], tuple[int, int]] = {}
        at = 0
        for source in self.past:
            columns[source.segment, source.link] = (at, at + source.rows)
            at += source.rows
        for piece in self.pieces:
            block = mask[piece.begin - self.begin : piece.end - self.begin]
            for link in piece.links:
                block[:, slice(*columns[ROOT, link])] = 0
            for segment in (*piece.segments, piece.segment):
                if (segment, ROOT) in columns:
                    block[:, slice(*columns[segment, ROOT])] = 0
            for segment in piece.segments:
                if self.ends[segment] > self.begin:
                    begin = max(self.starts[segment], self.begin) - self.begin
                    block[:, past + begin : past + self.ends[segment] - self.begin] = 0
            own = past + piece.begin - self.begin
            length = piece.end - piece.begin
            block[:, own : own + length][_LOWER[:length, :length]] = 0
        return mask


_DIAGONAL = np.eye(64, dtype=bool)
_LOWER = np.tri(CHUNK_ROWS, dtype=bool)


def plan_chunks(
    batch: Batch, chains: Sequence[Sequence[int]], link_tokens: Sequence[int]
) -> list[Chunk]:
    """The chunks of a batch, to be computed in order.

    Args:
        chains: for each of batch.contexts, the indices of the links that it consists of.
        link_tokens: own tokens of each link.
    """
    starts = tuple(segment.begin for segment in batch.segments)
    ends = tuple(segment.end for segment in batch.segments)
    chunks: list[Chunk] = []
    growing: _Growing | None = None
    for piece in _pieces(batch, chains):
        if growing is None or not growing.takes(piece):
            if growing is not None:
                chunks.append(growing.chunk())
            growing = _Growing(piece, starts, ends, link_tokens)
        else:
            growing.add(piece)
    if growing is not None:
        chunks.append(growing.chunk())
    return chunks


class _Growing:
    """A chunk that still takes pieces."""

    def __init__(
        self,
        first: Piece,
        starts: tuple[int, ...],
        ends: tuple[int, ...],
        link_tokens: Sequence[int],
    ) -> None:
        self.begin, self.starts, self.ends, self.link_tokens = (
            first.begin,
            starts,
            ends,
            link_tokens,
        )
        self.pieces: list[Piece] = []
        self.past: dict[tuple[int, int], int] = {}  # (segment, link) -> rows
        self.past_rows = self.rows = self.needed = 0
        self.add(first)

    def takes(self, piece: Piece) -> bool:
        length = piece.end - piece.begin
        if self.rows + length > CHUNK_ROWS:
            return False
        needs = self._needs(piece)
        past_rows = self.past_rows + sum(n for key, n in needs.items() if key not in self.past)
        before = self.past_rows * self.rows - self.needed
        after = past_rows * (self.rows + length) - self.needed - length * sum(needs.values())
        return after - before <= WASTE

    def add(self, piece: Piece) -> None:
        needs = self._needs(piece)
        self.past |= needs
        self.past_rows = sum(self.past.values())
        length = piece.end - piece.begin
        self.rows += length
        self.needed += length * sum(needs.values())
        self.pieces.append(piece)

    def chunk(self) -> Chunk:
        past = tuple(Source(segment, link, n) for (segment, link), n in self.past.items())
        end = self.pieces[-1].end
        return Chunk(self.begin, end, tuple(self.pieces), past, self.starts, self.ends)

    def _needs(self, piece: Piece) -> dict[tuple[int, int], int]:
        """What the piece sees of what lies before the chunk."""
        needs = {(ROOT, link): self.link_tokens[link] for link in piece.links}
        for segment in (*piece.segments, piece.segment):
            rows = min(self.ends[segment], self.begin) - self.starts[segment]
            if rows > 0:
                needs[segment, ROOT] = rows
        return needs


def _pieces(batch: Batch, chains: Sequence[Sequence[int]]) -> list[Piece]:
    pieces = []
    lineages: list[tuple[int, ...]] = []
    links: list[tuple[int, ...]] = []
    for index, segment in enumerate(batch.segments):
        if segment.parent == ROOT:
            lineages.append(())
            links.append(() if segment.context == ROOT else tuple(chains[segment.context]))
        else:
            lineages.append((*lineages[segment.parent], segment.parent))
            links.append(links[segment.parent])
        assert all(seen < index for seen in segment.sees), f"segment {index} sees a later one"
        assert not set(segment.sees) & set(lineages[index]), f"segment {index} sees one twice"
        seen = (*lineages[index], *segment.sees)
        length = segment.end - segment.begin
        parts = -(-length // CHUNK_ROWS)
        cuts = [segment.begin + length * part // parts for part in range(parts + 1)]
        pieces += [Piece(index, begin, end, links[index], seen) for begin, end in pairwise(cuts)]
    return pieces
