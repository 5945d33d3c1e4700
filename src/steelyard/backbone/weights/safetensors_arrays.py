"""Floating-point tensors of a safetensors file as float32 arrays, bfloat16 among them.

safetensors gives numpy no bfloat16, and needs torch to read it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open

from steelyard.backbone.bfloat16 import widened
from steelyard.errors import ModelFileError

FLOATS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
"""What can be computed with, and the type of its bytes."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Where a tensor lies: type in the words of the format, shape, first byte and their number."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    num_bytes: int


def stored_tensors(path: Path) -> dict[str, Stored]:
    """What a file holds.

    Raises:
        ModelFileError: missing, cut short or corrupt.
    """
    try:
        with safe_open(path, framework="np"):
            pass  # checks header and length
        with path.open("rb") as handle:
            length = int.from_bytes(handle.read(8), "little")
            header = json.loads(handle.read(length))
    except FileNotFoundError as error:
        raise ModelFileError(f"{path}: no such file") from error
    except (OSError, ValueError, SafetensorError) as error:
        raise ModelFileError(f"{path}: cut short or corrupt: {error}") from error
    found = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            shape = tuple(entry["shape"])
            found[name] = Stored(entry["dtype"], shape, 8 + length + begin, end - begin)
    return found


def read_array(path: Path, stored: Stored) -> np.ndarray:
    """A tensor whose type is one of FLOATS, as a new float32 array.

    Raises:
        ModelFileError: the file has become shorter than its header says.
    """
    type_ = np.dtype(FLOATS[stored.dtype])
    count = stored.num_bytes // type_.itemsize
    try:
        values = np.fromfile(path, dtype=type_, count=count, offset=stored.offset)
    except OSError as error:
        raise ModelFileError(f"{path}: cut short or corrupt: {error}") from error
    if len(values) != count:
        raise ModelFileError(f"{path}: cut short or corrupt: a tensor ends too early")
    exact = widened(values) if stored.dtype == "BF16" else values.astype(np.float32, copy=False)
    return exact.reshape(stored.shape)
