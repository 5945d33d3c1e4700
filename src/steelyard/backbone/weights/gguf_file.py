"""A model in one GGUF file, dequantised tensor by tensor."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from steelyard.backbone.weights.dequantise import check_kinds, read_array, read_tensor
from steelyard.backbone.weights.gguf_family import (
    ARCHITECTURES,
    ROPE_FACTORS,
    architecture_of,
    config_of,
    hugging_face_name,
    interleaved_heads,
    rotary_halves,
    unsupported,
)
from steelyard.backbone.weights.gguf_header import GgufHeader, read_header
from steelyard.backbone.weights.safetensors_folder import SINGLE
from steelyard.backbone.weights.wanted import Wanted, everything
from steelyard.tokens.gguf_vocab import read_vocabulary
from steelyard.tokens.tokenizer import Tokenizer

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class GgufWeights:
    """A GGUF file. Any can be opened and may have its tokenizer read (llama.cpp runs them all);
    configuration and tensors are to be had of the Llama family alone.
    """

    path: Path
    header: GgufHeader

    kind = "gguf"

    @cached_property
    def config(self) -> Mapping[str, object]:
        """As a Hugging Face config.json would give it; of another architecture its name alone.

        Raises:
            ModelFileError: a key is missing, of the wrong type, or contradicts a tensor.
            UnsupportedModelError: a Llama family model with arithmetic of its own.
        """
        architecture = architecture_of(self.header)
        if architecture not in ARCHITECTURES:
            return {"model_type": architecture}
        factors = None
        if ROPE_FACTORS in self.header.tensors:
            with self.path.open("rb") as handle:
                factors = read_array(handle, self.header.tensors[ROPE_FACTORS]).astype(np.float64)
        return config_of(self.header, factors)

    @cached_property
    def digest(self) -> str:
        """sha256 of the file, hexadecimal; computed when first asked for."""
        with self.path.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()

    @property
    def files(self) -> Mapping[str, tuple[str, ...]]:
        return {SINGLE: tuple(self._names().values())}

    def tensors(self, dtype: torch.dtype | None = None) -> Iterator[tuple[str, torch.Tensor]]:
        """Hugging Face names and new tensors of `dtype` (None: float32), in file order.

        Holds one tensor at a time, and nothing of the file stays mapped. That every tensor has a
        place and a quantisation that can be undone is checked before the first is read.

        Raises:
            ModelFileError: the file has become shorter since it was opened, or as for `config`.
            UnsupportedModelError: an architecture, tensor or quantisation that is not read here.
        """
        names = self._names()
        check_kinds((tensor.kind for tensor in self.header.tensors.values()), self.path)
        with self.path.open("rb") as handle:
            for name, ours in names.items():
                values = read_tensor(handle, self.header.tensors[name], dtype)
                num_heads = interleaved_heads(self.header.metadata, name)
                yield ours, values if num_heads is None else rotary_halves(values, num_heads)

    def arrays(self, wanted: Wanted = everything) -> Iterator[tuple[str, np.ndarray]]:
        """The same as float32 arrays, of those names only that are wanted."""
        names = self._names()
        check_kinds((tensor.kind for tensor in self.header.tensors.values()), self.path)
        with self.path.open("rb") as handle:
            for name, ours in names.items():
                if wanted(ours):
                    values = read_array(handle, self.header.tensors[name])
                    num_heads = interleaved_heads(self.header.metadata, name)
                    yield ours, values if num_heads is None else rotary_halves(values, num_heads)

    def tokenizer(self) -> Tokenizer:
        """The tokenizer that the metadata describes.

        Raises:
            ModelFileError: its vocabulary is missing or corrupt.
            UnsupportedModelError: a kind of tokenizer that is not read here.
        """
        files = read_vocabulary(self.header.metadata)
        return Tokenizer(
            files.tokenizer,
            chat_template=files.chat_template,
            special_tokens=files.special_tokens,
            bos=files.bos,
            eos=files.eos,
        )

    def _names(self) -> dict[str, str]:
        """GGUF name -> Hugging Face name of every tensor that is a weight."""
        architecture = self.config["model_type"]  # asking for it also checks the arithmetic
        if architecture not in ARCHITECTURES:
            raise unsupported(
                self.header,
                f"the architecture {architecture!r} (here are {', '.join(ARCHITECTURES)})",
            )
        names: dict[str, str] = {}
        for name in self.header.tensors:
            if name == ROPE_FACTORS:
                continue  # part of the configuration
            wanted = hugging_face_name(name)
            if wanted is None:
                raise unsupported(self.header, f"{architecture} with a tensor {name!r}")
            names[name] = wanted
        return names


def open_gguf(path: Path) -> GgufWeights:
    """Read the header of `path`.

    Raises:
        ModelFileError: missing, cut short or corrupt.
        UnsupportedModelError: big-endian, another version, or one part of several.
    """
    return GgufWeights(path, read_header(path))
