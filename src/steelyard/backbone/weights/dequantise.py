"""Tensors of a GGUF file as arrays or torch tensors, read and dequantised piece by piece."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, dequantize

from steelyard.backbone.weights.gguf_header import GgufTensor
from steelyard.errors import ModelFileError, UnsupportedModelError

if TYPE_CHECKING:
    import torch

# Values per piece: a multiple of every block size (32 or 256), and few enough that the temporaries
# of gguf's numpy code stay small; whole tensors were slower and took twice their size.
PIECE_VALUES = 1 << 18


def check_kinds(kinds: Iterable[GGMLQuantizationType], path: Path) -> None:
    """Refuse, before anything is read, a file that the gguf package cannot dequantise.

    Raises:
        UnsupportedModelError: names the quantisation.
    """
    for kind in sorted(set(kinds)):
        _, block_bytes = GGML_QUANT_SIZES[kind]
        try:
            dequantize(np.zeros((1, block_bytes), np.uint8), kind)
        except NotImplementedError as error:
            raise UnsupportedModelError(
                f"{path}: the quantisation {kind.name} cannot be dequantised by the gguf package; "
                "the llama.cpp runtime may run it"
            ) from error


def read_array(handle: BufferedReader, tensor: GgufTensor) -> np.ndarray:
    """Read `tensor` from the open file and dequantise it into a new float32 array.

    Beside the result it needs a few megabytes, however large the tensor is.

    Raises:
        ModelFileError: the file has become shorter than its header was checked against.
    """
    values = np.empty(math.prod(tensor.shape), dtype=np.float32)
    for begin, piece in _pieces(handle, tensor):
        values[begin : begin + len(piece)] = piece
    return values.reshape(tensor.shape)


def read_tensor(
    handle: BufferedReader, tensor: GgufTensor, dtype: torch.dtype | None = None
) -> torch.Tensor:
    """The same as a tensor of `dtype`, None for float32."""
    import torch

    if dtype in (None, torch.float32):
        # Not through torch, whose threads wait for each other at every piece: on a busy machine
        # that took ten times as long as the work itself.
        return torch.from_numpy(read_array(handle, tensor))
    values = torch.empty(math.prod(tensor.shape), dtype=dtype)
    for begin, piece in _pieces(handle, tensor):
        values[begin : begin + len(piece)] = torch.from_numpy(piece)
    return values.view(tensor.shape)


def _pieces(handle: BufferedReader, tensor: GgufTensor) -> Iterator[tuple[int, np.ndarray]]:
    """Where each piece begins, and its float32 values."""
    block_size, block_bytes = GGML_QUANT_SIZES[tensor.kind]
    num_values = math.prod(tensor.shape)
    # One long row: gguf works on sixteen rows at a time, which is slow for short ones.
    buffer = np.empty((1, PIECE_VALUES // block_size * block_bytes), np.uint8)
    handle.seek(tensor.offset)
    for begin in range(0, num_values, PIECE_VALUES):
        end = min(begin + PIECE_VALUES, num_values)
        data = buffer[:, : (end - begin) // block_size * block_bytes]
        if handle.readinto(data.data) != data.size:
            raise ModelFileError(f"{handle.name}: the tensor {tensor.name!r} is cut short")
        yield begin, dequantize(data, tensor.kind).reshape(-1)
