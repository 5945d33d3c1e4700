"""Rotary position embedding: tables for the positions of a batch, and the rotation itself."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from steelyard.backbone.config import DecoderConfig, LinearScaling, Llama3Scaling, YarnScaling


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
    scaling = config.rope_scaling
    frequencies = _frequencies(config).to(positions.device)
    angles = positions.to(torch.float32)[:, None, None] * frequencies  # (rows, 1, rotary_dim / 2)
    gain = scaling.attention_factor if isinstance(scaling, YarnScaling) else 1.0
    exact = angles.double()
    return Rotary((exact.cos() * gain).float(), (exact.sin() * gain).float())


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


def _frequencies(config: DecoderConfig) -> Tensor:
    """Angle per position of each pair, float32 (rotary_dim / 2,), after scaling."""
    dim, scaling = config.rotary_dim, config.rope_scaling
    wavelengths = config.rope_theta ** (torch.arange(0, dim, 2).to(torch.float32) / dim)
    plain = 1.0 / wavelengths
    match scaling:
        case None:
            return plain
        case LinearScaling(factor):
            return plain / factor
        case Llama3Scaling():
            return _llama3(plain, scaling)
        case YarnScaling(factor=factor):
            keep = _yarn_keep(config, scaling)
            return (1 - keep) / (factor * wavelengths) + keep * plain


def _llama3(plain: Tensor, scaling: Llama3Scaling) -> Tensor:
    low, high = scaling.low_frequency_factor, scaling.high_frequency_factor
    turns = scaling.original_positions / (2 * math.pi / plain)  # over the original context
    smooth = ((turns - low) / (high - low)).clamp(0, 1)
    return (1 - smooth) * plain / scaling.factor + smooth * plain


def _yarn_keep(config: DecoderConfig, scaling: YarnScaling) -> Tensor:
    """How much of each frequency is left as it was: 1 for the fastest, 0 for the slowest."""
    dim, positions = config.rotary_dim, scaling.original_positions

    def pair_that_turns(times: float) -> float:
        return dim * math.log(positions / (times * 2 * math.pi)) / (2 * math.log(config.rope_theta))

    low, high = pair_that_turns(scaling.beta_fast), pair_that_turns(scaling.beta_slow)
    if scaling.truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dim - 1)
    width = max(high - low, 0.001)  # a ramp of no width is a step
    return 1 - ((torch.arange(dim // 2, dtype=torch.float32) - low) / width).clamp(0, 1)
