"""A model in one GGUF file, dequantised tensor by tensor."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch

from steelyard.backbone.weights.dequantise import check_kinds, read_tensor
from steelyard.backbone.weights.gguf_family import (
    ROPE_FACTORS,
    config_of,
    hugging_face_name,
    interleaved_heads,
    rotary_halves,
)
from steelyard.backbone.weights.gguf_header import GgufHeader, read_header
from steelyard.errors import UnsupportedModelError
from steelyard.tokens.gguf_vocab import read_vocabulary
from steelyard.tokens.tokenizer import Tokenizer


@dataclass(frozen=True)
class GgufWeights:
    """A GGUF of the Llama family.

    Attributes:
        config: as a Hugging Face config.json would give it.
        names: GGUF name -> Hugging Face name of every tensor that is a weight.
    """

    path: Path
    header: GgufHeader
    config: Mapping[str, object]
    names: Mapping[str, str]

    kind = "gguf"

    @cached_property
    def digest(self) -> str:
        """sha256 of the file, hexadecimal; computed when first asked for."""
        with self.path.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()

    def tensors(self, dtype: torch.dtype | None = None) -> Iterator[tuple[str, torch.Tensor]]:
        """Hugging Face names and new tensors of `dtype` (None: float32), in file order.

        Holds one tensor at a time, and nothing of the file stays mapped.

        Raises:
            ModelFileError: the file has become shorter since it was opened.
        """
        with self.path.open("rb") as handle:
            for name, wanted in self.names.items():
                values = read_tensor(handle, self.header.tensors[name], dtype or torch.float32)
                num_heads = interleaved_heads(self.header.metadata, name)
                yield wanted, values if num_heads is None else rotary_halves(values, num_heads)

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


def open_gguf(path: Path) -> GgufWeights:
    """Read the header of `path` and check that every tensor can be read and has a place.

    Raises:
        ModelFileError: missing, cut short or corrupt.
        UnsupportedModelError: an architecture, quantisation, tensor or setting that cannot be run
            here.
    """
    header = read_header(path)
    check_kinds((tensor.kind for tensor in header.tensors.values()), path)
    factors = None
    if ROPE_FACTORS in header.tensors:
        with path.open("rb") as handle:
            factors = read_tensor(handle, header.tensors[ROPE_FACTORS]).double().numpy()
    config = config_of(header, factors)
    names: dict[str, str] = {}
    for name in header.tensors:
        if name == ROPE_FACTORS:
            continue  # it is in the configuration now
        wanted = hugging_face_name(name)
        if wanted is None:
            raise UnsupportedModelError(
                f"{path}: the tensor {name!r} has no place in a {config['model_type']} model here; "
                "the llama.cpp runtime may run it"
            )
        names[name] = wanted
    return GgufWeights(path, header, config, names)
