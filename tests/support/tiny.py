"""Decoders of a few thousand weights, seeded, for tests that need a network but no model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from steelyard.backbone.config import DecoderConfig, RecurrentConfig
from steelyard.backbone.decoder import Decoder
from steelyard.backbone.torch_runtime import TorchRuntime


def tiny_config(**changes: Any) -> DecoderConfig:
    """A Llama of three layers; name the fields that shall differ."""
    shape: dict[str, Any] = {
        "vocab": 320,
        "width": 32,
        "mlp_width": 48,
        "layers": 3,
        "heads": 4,
        "kv_heads": 2,
        "head_dim": 8,
        "max_positions": 4096,
        "tied": True,
    }
    return DecoderConfig(**(shape | changes))


def hybrid_config(**changes: Any) -> DecoderConfig:
    """A Qwen3.5 of five layers, the third one of attention."""
    recurrent = RecurrentConfig(
        frozenset({0, 1, 3, 4}), key_heads=2, value_heads=4, key_dim=8, value_dim=6, kernel=4
    )
    shape: dict[str, Any] = {
        "layers": 5,
        "rotary_share": 0.5,
        "qk_norm": True,
        "gated": True,
        "centred_norms": True,
        "recurrent": recurrent,
        "foreign": ("model.visual.", "mtp."),
    }
    return tiny_config(**(shape | changes))


def tiny_weights(config: DecoderConfig, seed: int = 0) -> Iterator[tuple[str, Tensor]]:
    """Random weights under their Hugging Face names, large enough that every part matters."""
    generator = torch.Generator().manual_seed(seed)
    with torch.device("meta"):
        shapes = {name: p.shape for name, p in Decoder(config).named_parameters()}
    for name, shape in shapes.items():
        value = torch.randn(shape, generator=generator)
        if name.endswith("norm.weight"):
            is_centred = config.centred_norms and "linear_attn" not in name
            value = 0.2 * value + (0 if is_centred else 1)
        elif name.endswith("A_log"):
            value = 2 * value - 3  # heads that forget within a few tokens, and in hundreds
        elif name.endswith("bias"):
            value = 0.2 * value
        elif name != "embed_tokens.weight":
            value = value * shape[-1] ** -0.5
        yield (name if name.startswith("lm_head") else f"model.{name}"), value


def tiny_decoder(
    config: DecoderConfig | None = None, *, seed: int = 0, dtype: torch.dtype = torch.float32
) -> Decoder:
    config = config or tiny_config()
    return Decoder.from_weights(config, tiny_weights(config, seed), dtype=dtype)


def tiny_runtime(config: DecoderConfig | None = None, *, seed: int = 0) -> TorchRuntime:
    """A packed float32 runtime on random weights."""
    return TorchRuntime(tiny_decoder(config, seed=seed).pack(), digest=f"{seed:064x}")
