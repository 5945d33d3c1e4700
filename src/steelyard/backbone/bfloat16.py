"""bfloat16 where numpy has none: the upper half of a float32, kept as uint16."""

from __future__ import annotations

import numpy as np


def rounded(x: np.ndarray) -> np.ndarray:
    """The bits of the nearest bfloat16 of each finite float32, ties to even, as torch rounds."""
    bits = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    return ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype(np.uint16)


def widened(bits: np.ndarray) -> np.ndarray:
    """The float32 that these bits of bfloat16 are, exactly."""
    return (bits.astype(np.uint32) << 16).view(np.float32)
