"""Angle per position of each pair of a head that is rotated, after the model's scaling.

Angles are float32, as the models were trained.
"""

from __future__ import annotations

import math

import numpy as np

from steelyard.backbone.config import DecoderConfig, LinearScaling, Llama3Scaling, YarnScaling


def frequencies(config: DecoderConfig) -> np.ndarray:
    """Radians per position, float32 (rotary_dim / 2,)."""
    dim, scaling = config.rotary_dim, config.rope_scaling
    exponents = np.arange(0, dim, 2, dtype=np.float32) / np.float32(dim)
    # rounded from float64: float32 powers differ in the last place from library to library
    wavelengths = (config.rope_theta ** exponents.astype(np.float64)).astype(np.float32)
    plain = np.float32(1) / wavelengths
    match scaling:
        case None:
            found = plain
        case LinearScaling(factor):
            found = plain / factor
        case Llama3Scaling():
            found = _llama3(plain, scaling)
        case YarnScaling(factor=factor):
            keep = _yarn_keep(config, scaling)
            found = (1 - keep) / (factor * wavelengths) + keep * plain
    return np.asarray(found, dtype=np.float32)


def gain(config: DecoderConfig) -> float:
    """What multiplies cosines and sines."""
    scaling = config.rope_scaling
    return scaling.attention_factor if isinstance(scaling, YarnScaling) else 1.0


def rotary_table(config: DecoderConfig, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cosines and sines of int64 (rows,) positions, float32 (rows, rotary_dim / 2) each."""
    angles = (positions.astype(np.float32)[:, None] * frequencies(config)).astype(np.float64)
    factor = gain(config)
    return (np.cos(angles) * factor).astype(np.float32), (np.sin(angles) * factor).astype(
        np.float32
    )


def _llama3(plain: np.ndarray, scaling: Llama3Scaling) -> np.ndarray:
    low, high = scaling.low_frequency_factor, scaling.high_frequency_factor
    turns = scaling.original_positions / (2 * math.pi / plain)  # over the original context
    smooth = ((turns - low) / (high - low)).clip(0, 1)
    return np.asarray((1 - smooth) * plain / scaling.factor + smooth * plain)


def _yarn_keep(config: DecoderConfig, scaling: YarnScaling) -> np.ndarray:
    """How much of each frequency is left as it was: 1 for the fastest, 0 for the slowest."""
    dim, positions = config.rotary_dim, scaling.original_positions

    def pair_that_turns(times: float) -> float:
        return dim * math.log(positions / (times * 2 * math.pi)) / (2 * math.log(config.rope_theta))

    low, high = pair_that_turns(scaling.beta_fast), pair_that_turns(scaling.beta_slow)
    if scaling.truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dim - 1)
    width = max(high - low, 0.001)  # a ramp of no width is a step
    ramp = (np.arange(dim // 2, dtype=np.float32) - np.float32(low)) / np.float32(width)
    return np.asarray(1 - ramp.clip(0, 1))
