"""Reads of a batch as numbers: label logits, token log-probabilities, hidden states.

At whatever layer a state stands, its hidden states go through the layer's lens, if there is one,
the final norm and the head. Label logits multiply the labels' rows of the head only, in float64;
log-probabilities need the whole head, which is multiplied in float32, block by block.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from steelyard.backbone.decoder import Decoder
from steelyard.backbone.forward import at_reads
from steelyard.backbone.lens import Lens
from steelyard.backbone.parts import read_rows
from steelyard.backbone.state import ForwardState
from steelyard.tokens.plan import HiddenRead, LogitRead, LogProbRead

ROWS_PER_BLOCK = 1024
VOCAB_PER_BLOCK = 2048
MIN_ROWS = 16  # below, a matrix kernel with other bits is used: results would depend on company


def measure(
    decoder: Decoder, state: ForwardState, lenses: Mapping[int, Lens] | None = None
) -> list[np.ndarray]:
    """The value of every read of state.batch, in order; see `Runtime.measure`.

    Args:
        lenses: layer -> the lens through which it is seen.
    """
    reads = state.batch.reads
    places = np.searchsorted(read_rows(state.batch), [read.row for read in reads])
    hidden = at_reads(decoder, state)
    if lenses and state.layer in lenses:
        hidden = lenses[state.layer](hidden)
    normed = decoder.norm(hidden)
    values: list[np.ndarray | None] = [None] * len(reads)

    labels: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    tokens: dict[int, int] = {}
    for index, placed in enumerate(reads):
        match placed.read:
            case LogitRead(targets=targets):
                labels[targets].append(index)
            case LogProbRead(target=target):
                tokens[index] = target
            case HiddenRead():
                values[index] = normed[places[index]].cpu().numpy()

    for targets, indices in labels.items():
        logits = _logits(decoder, normed[places[indices]], targets)
        for index, row in zip(indices, logits, strict=True):
            values[index] = row

    if tokens:
        rows, inverse = np.unique(places[list(tokens)], return_inverse=True)
        scored = _log_probs(decoder, normed[rows], inverse, list(tokens.values()))
        for index, value in zip(tokens, scored, strict=True):
            values[index] = np.asarray(value)

    assert all(value is not None for value in values)
    return [value for value in values if value is not None]


def _logits(decoder: Decoder, normed: Tensor, targets: Sequence[int]) -> np.ndarray:
    """float64 (rows, targets)."""
    labels = decoder.head[torch.tensor(targets, device=decoder.device)]
    return (normed.double() @ labels.double().T).cpu().numpy()


def _log_probs(
    decoder: Decoder, normed: Tensor, rows: np.ndarray, targets: Sequence[int]
) -> np.ndarray:
    """log p(targets[i]) at normed[rows[i]], float64 (targets,), none above 0."""
    if len(normed) < MIN_ROWS:
        normed = F.pad(normed, (0, 0, 0, MIN_ROWS - len(normed)))
    blocks = normed.tensor_split(-(-len(normed) // ROWS_PER_BLOCK))  # none shorter than MIN_ROWS
    lse = torch.cat([_normaliser(decoder, block) for block in blocks])
    at = torch.from_numpy(rows).to(decoder.device)
    labels = decoder.head[torch.tensor(targets, device=decoder.device)]
    chosen = (normed[at].double() * labels.double()).sum(dim=-1)
    # the target's logit is rounded less than the normaliser, which may come out a hair below it
    return (chosen - lse[at].double()).clamp(max=0).cpu().numpy()


def _normaliser(decoder: Decoder, normed: Tensor) -> Tensor:
    """logsumexp over the vocabulary of the logits, float32 (rows,)."""
    lse = normed.new_full((len(normed),), -torch.inf)
    for begin in range(0, len(decoder.head), VOCAB_PER_BLOCK):
        logits = F.linear(normed, decoder.head[begin : begin + VOCAB_PER_BLOCK].float())
        lse = torch.logaddexp(lse, logits.logsumexp(dim=-1))
    return lse
