"""Rotary position embedding: tables for the positions of a batch, and the rotation itself."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from steelyard.backbone.config import DecoderConfig
from steelyard.backbone.frequencies import frequencies, gain


@dataclass(frozen=True, slots=True)
class Rotary:
    """Cosines and sines of a batch's angles, float32 (rows, 1, rotary_dim / 2) each."""

    cos: Tensor
    sin: Tensor

    def at(self, rows: Tensor) -> Rotary:
        return Rotary(self.cos[rows], self.sin[rows])


def rotary(config: DecoderConfig, positions: Tensor) -> Rotary:
    """The tables for `positions`, int64 (rows,).

    Angles are float32, as the models were trained; their cosines are rounded from float64, so that
    they are the same wherever a position stands in its batch.
    """
    each = torch.from_numpy(frequencies(config)).to(positions.device)
    exact = (positions.to(torch.float32)[:, None, None] * each).double()  # (rows, 1, pairs)
    factor = gain(config)
    return Rotary((exact.cos() * factor).float(), (exact.sin() * factor).float())


def rotate(x: Tensor, table: Rotary) -> Tensor:
    """Turn the pairs (i, i + rotary_dim / 2) of x, (rows, heads, head_dim), by their angles.

    What is left of a head after the pairs stays as it is. Computed in float32 or better, and
    returned so.
    """
    pairs = table.cos.shape[-1]
    first, second, rest = x.tensor_split((pairs, 2 * pairs), dim=-1)
    return torch.cat(
        (
            first * table.cos - second * table.sin,
            second * table.cos + first * table.sin,
            rest.to(torch.promote_types(x.dtype, torch.float32)),
        ),
        dim=-1,
    )
