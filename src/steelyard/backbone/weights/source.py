"""One door to models on disk, whatever their format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from steelyard.backbone.weights.gguf_file import open_gguf
from steelyard.backbone.weights.safetensors_folder import open_folder
from steelyard.backbone.weights.wanted import Wanted, everything
from steelyard.errors import UnknownModelError
from steelyard.tokens.tokenizer import Tokenizer

if TYPE_CHECKING:
    import torch


class Weights(Protocol):
    """A model on disk. Opening it reads headers only; the rest is read when asked for.

    Attributes:
        path: the folder or file.
        kind: "safetensors" or "gguf".
        config: the configuration in the words of Hugging Face's config.json.
        digest: sha256 over the weight files, hexadecimal; of a single file it is the file's own.
        files: name of each safetensors file -> the tensors in it; a GGUF is as one such file.
    """

    @property
    def path(self) -> Path: ...

    @property
    def kind(self) -> str: ...

    @property
    def config(self) -> Mapping[str, object]: ...

    @property
    def digest(self) -> str: ...

    @property
    def files(self) -> Mapping[str, Sequence[str]]: ...

    def tensors(self, dtype: torch.dtype | None = None) -> Iterator[tuple[str, torch.Tensor]]:
        """Hugging Face names and new CPU tensors of `dtype`, one at a time.

        None keeps what is stored; a GGUF is dequantised to float32.
        """
        ...

    def arrays(self, wanted: Wanted = everything) -> Iterator[tuple[str, np.ndarray]]:
        """Hugging Face names and new float32 arrays, one at a time; needs no torch."""
        ...

    def tokenizer(self) -> Tokenizer:
        """The tokenizer that comes with the weights."""
        ...


def open_weights(path: Path | str) -> Weights:
    """Open a Hugging Face folder, or a GGUF file.

    Raises:
        UnknownModelError: there is nothing at `path`.
        ModelFileError: a file is missing, cut short or corrupt.
        UnsupportedModelError: something in it cannot be run here.
    """
    path = Path(path)
    if path.is_dir():
        return open_folder(path)
    if not path.exists():
        raise UnknownModelError(f"{path}: no such folder or file")
    return open_gguf(path)
