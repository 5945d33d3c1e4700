"""Lenses as arrays, and their file; what a lens is says `backbone/lens.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from steelyard.backbone.weights.safetensors_arrays import FLOATS, read_array, stored_tensors
from steelyard.errors import ModelFileError

MOST = 1e6
"""Largest absolute number in a lens; beyond, hidden states leave the numbers of float32."""


@dataclass(frozen=True, slots=True, eq=False)
class LensMap:
    """The affine map of one exit, float32: weight (width, width), bias (width,)."""

    weight: np.ndarray
    bias: np.ndarray

    def __call__(self, hidden: np.ndarray) -> np.ndarray:
        """h + W h + b for float32 (rows, width), computed in float64, in float32."""
        x = hidden.astype(np.float64)
        moved = x + x @ self.weight.astype(np.float64).T + self.bias
        return np.asarray(moved, dtype=np.float32)


def read_lens_maps(path: Path, *, layers: Sequence[int], width: int) -> dict[int, LensMap]:
    """Read the lenses of exactly these exit layers for a model of this width.

    Raises:
        ModelFileError: missing, cut short, of other layers or another width, or not finite floats.
    """
    found = stored_tensors(path)
    shapes: dict[str, tuple[int, ...]] = {}
    for layer in layers:
        shapes |= {f"{layer}.weight": (width, width), f"{layer}.bias": (width,)}
    if missing := sorted(set(shapes) - set(found)):
        raise ModelFileError(f"{path}: the tensor {missing[0]!r} of an exit is missing")
    if extra := sorted(set(found) - set(shapes)):
        exits = ", ".join(map(str, layers)) or "none"
        raise ModelFileError(
            f"{path}: {extra[0]!r} belongs to none of the exits, which are {exits}"
        )
    arrays: dict[str, np.ndarray] = {}
    for name, shape in shapes.items():
        stored = found[name]
        if stored.shape != shape:
            raise ModelFileError(f"{path}: {name} is {stored.shape}; the model needs {shape}")
        array = read_array(path, stored) if stored.dtype in FLOATS else None
        if array is None or not bool((np.abs(array) <= MOST).all()):
            raise ModelFileError(
                f"{path}: {name} holds what are no finite numbers, or larger ones than {MOST:g}"
            )
        arrays[name] = array
    return {layer: LensMap(arrays[f"{layer}.weight"], arrays[f"{layer}.bias"]) for layer in layers}
