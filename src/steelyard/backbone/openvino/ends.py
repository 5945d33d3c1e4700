"""What stands before the first layer and after the last one: embedding, norm and head, in numpy.

Label logits multiply the labels' rows of the head only, in float64; log-probabilities need the
whole head, which is multiplied in float32, block by block.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.backbone.bfloat16 import widened
from steelyard.backbone.lens_map import LensMap
from steelyard.backbone.parts import read_rows
from steelyard.tokens.plan import Batch, HiddenRead, LogitRead, LogProbRead

ROWS_PER_BLOCK = 1024
VOCAB_PER_BLOCK = 2048


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """The tables of a decoder, (vocab, width) in float32 or the bits of bfloat16; norm (width,).

    They may be mapped from a file: then only the rows that are used come into memory.

    Attributes:
        head: the embedding itself where they are tied.
    """

    embedding: np.ndarray
    norm: np.ndarray
    head: np.ndarray
    norm_eps: float

    def embed(self, ids: np.ndarray) -> np.ndarray:
        """Hidden states before the first layer, float32 (rows, width)."""
        return _exact(self.embedding[ids])

    def measure(self, batch: Batch, hidden: np.ndarray, lens: LensMap | None) -> list[np.ndarray]:
        """The value of every read of a batch, in order; see `Runtime.measure`.

        Args:
            hidden: of the read rows, ascending, float32 (read rows, width).
            lens: what it is seen through.
        """
        reads = batch.reads
        places = np.searchsorted(read_rows(batch), [read.row for read in reads])
        normed = self._normed(hidden if lens is None else lens(hidden))
        values: dict[int, np.ndarray] = {}
        labels: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        tokens: dict[int, int] = {}
        for index, placed in enumerate(reads):
            match placed.read:
                case LogitRead(targets=targets):
                    labels[targets].append(index)
                case LogProbRead(target=target):
                    tokens[index] = target
                case HiddenRead():
                    values[index] = normed[places[index]]
        for targets, indices in labels.items():
            rows = _exact(self.head[list(targets)]).astype(np.float64)
            values |= zip(indices, normed[places[indices]].astype(np.float64) @ rows.T, strict=True)
        if tokens:
            values |= self._log_probs(normed, places, tokens)
        return [values[index] for index in range(len(reads))]

    def _normed(self, hidden: np.ndarray) -> np.ndarray:
        """After the final norm, computed in float64, float32."""
        x = hidden.astype(np.float64)
        root = np.sqrt((x**2).mean(axis=-1, keepdims=True) + self.norm_eps)
        return np.asarray(x / root * self.norm, dtype=np.float32)

    def _log_probs(
        self, normed: np.ndarray, places: np.ndarray, tokens: Mapping[int, int]
    ) -> dict[int, np.ndarray]:
        """Read -> log-probability of its token, none above 0."""
        rows, inverse = np.unique(places[list(tokens)], return_inverse=True)
        normed = normed[rows]
        lse = np.concatenate([self._normaliser(block) for block in _blocks(normed)])
        labels = _exact(self.head[list(tokens.values())]).astype(np.float64)
        chosen = (normed[inverse].astype(np.float64) * labels).sum(axis=-1)
        # the target's logit is rounded less than the normaliser, which may be a hair below it
        found = np.minimum(chosen - lse[inverse], 0.0)
        return {index: np.asarray(value) for index, value in zip(tokens, found, strict=True)}

    def _normaliser(self, normed: np.ndarray) -> np.ndarray:
        """logsumexp over the vocabulary of the logits, float64 (rows,)."""
        lse = np.full(len(normed), -np.inf)
        for begin in range(0, len(self.head), VOCAB_PER_BLOCK):
            logits = normed @ _exact(self.head[begin : begin + VOCAB_PER_BLOCK]).T
            highest = logits.max(axis=-1)
            total = np.exp(logits - highest[:, None]).sum(axis=-1, dtype=np.float64)
            lse = np.logaddexp(lse, highest + np.log(total))
        return lse


def _blocks(rows: np.ndarray) -> Sequence[np.ndarray]:
    return np.array_split(rows, -(-len(rows) // ROWS_PER_BLOCK))


def _exact(rows: np.ndarray) -> np.ndarray:
    """float32, whatever the rows are kept in."""
    return widened(rows) if rows.dtype == np.uint16 else np.asarray(rows)
