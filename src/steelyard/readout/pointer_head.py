"""The pointer head: two trained projections whose product says how well an option answers.

A query is read off the hidden state at the cue and a key off the hidden state at each option's last
token (pointer networks, Vinyals et al. 2015, arXiv 1506.03134, with the scaled dot product of
attention).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from steelyard.errors import ModelFileError, ShapeError

POINTER_WIDTH = 256
"""Width of queries and keys unless training chooses another."""


@dataclass(frozen=True, slots=True, eq=False)
class PointerHead:
    """The projections of the query and of the keys, float32.

    Attributes:
        query_weight, key_weight: (pointer width, model width).
        query_bias, key_bias: (pointer width,).
    Raises:
        ShapeError: shapes that do not fit together, another type, numbers that are not finite.
    """

    query_weight: np.ndarray
    query_bias: np.ndarray
    key_weight: np.ndarray
    key_bias: np.ndarray

    def __post_init__(self) -> None:
        if self.query_weight.ndim != 2 or 0 in self.query_weight.shape:
            raise ShapeError(
                f"query.weight has the shape {self.query_weight.shape}; allowed: two dimensions"
            )
        rows = self.query_weight.shape[0]
        shapes = {
            "query.weight": self.query_weight.shape,
            "query.bias": (rows,),
            "key.weight": self.query_weight.shape,
            "key.bias": (rows,),
        }
        for name, array in self.tensors().items():
            if array.shape != shapes[name]:
                raise ShapeError(f"{name} has the shape {array.shape}; needed: {shapes[name]}")
            if array.dtype != np.float32:
                raise ShapeError(f"{name} is {array.dtype}; allowed: float32")
            if not np.isfinite(array).all():
                raise ShapeError(f"{name} holds numbers that are not finite")

    @property
    def width(self) -> int:
        """Of the hidden states that it reads."""
        return int(self.query_weight.shape[1])

    def tensors(self) -> dict[str, np.ndarray]:
        """The arrays under their names in the file."""
        return {
            "query.weight": self.query_weight,
            "query.bias": self.query_bias,
            "key.weight": self.key_weight,
            "key.bias": self.key_bias,
        }

    def scores(self, cue: np.ndarray, options: np.ndarray) -> np.ndarray:
        """(Wq cue + bq) . (Wk option + bk) / sqrt(pointer width), float64 (options,).

        Args:
            cue: hidden state (width,) after the final norm.
            options: hidden states (options, width) after the final norm.
        """
        query = self.query_weight.astype(np.float64) @ cue.astype(np.float64) + self.query_bias
        # q . (Wk h + bk) = (q Wk) . h + q . bk: one product for all options instead of one each.
        direction = query @ self.key_weight.astype(np.float64)
        products = options.astype(np.float64) @ direction + query @ self.key_bias
        return np.asarray(products / np.sqrt(len(query)))


def write_pointer_head(head: PointerHead, path: Path) -> None:
    """Write `pointer.safetensors`."""
    save_file({name: np.ascontiguousarray(x) for name, x in head.tensors().items()}, path)


def read_pointer_head(path: Path, *, width: int) -> PointerHead:
    """Read `pointer.safetensors` for a model whose hidden states have `width` numbers.

    Raises:
        ModelFileError: missing, cut short, other tensors than a head's, or for another width.
    """
    try:
        found = load_file(path)
    except FileNotFoundError as error:
        raise ModelFileError(f"{path}: no such file") from error
    except (OSError, SafetensorError, KeyError, AttributeError, TypeError) as error:
        raise ModelFileError(f"{path}: cut short or corrupt: {error}") from error
    names = ("query.weight", "query.bias", "key.weight", "key.bias")
    if set(found) != set(names):
        raise ModelFileError(
            f"{path} holds {', '.join(sorted(found)) or 'nothing'}; needed: {', '.join(names)}"
        )
    try:
        head = PointerHead(*(found[name] for name in names))
    except ShapeError as error:
        raise ModelFileError(f"{path}: {error}") from error
    if head.width != width:
        raise ModelFileError(f"{path} is for hidden states of {head.width}; the model has {width}")
    return head
