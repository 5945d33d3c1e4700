"""Adapters and lenses for the tiny decoder."""

from __future__ import annotations

import torch

from steelyard.backbone.lens import Lens
from steelyard.backbone.weights.adapter import Adapter

MODULES = {
    "self_attn.q_proj": (32, 32),
    "self_attn.v_proj": (16, 32),
    "mlp.up_proj": (48, 32),
    "mlp.down_proj": (32, 48),
}


def tiny_adapter(*, layers: int = 3, rank: int = 4, seed: int = 0) -> Adapter:
    """Random updates of some linear maps in every layer, large enough to change every answer."""
    generator = torch.Generator().manual_seed(seed)
    return Adapter(
        2.0 * rank,
        {
            f"model.layers.{layer}.{module}.weight": (
                0.2 * torch.randn(rank, inputs, generator=generator).numpy(),
                0.2 * torch.randn(outputs, rank, generator=generator).numpy(),
            )
            for layer in range(layers)
            for module, (outputs, inputs) in MODULES.items()
        },
    )


def tiny_lens(seed: int, *, width: int = 32) -> Lens:
    """A random lens that moves what it sees clearly."""
    generator = torch.Generator().manual_seed(seed)
    weight = 0.1 * torch.randn(width, width, generator=generator)
    return Lens(weight, torch.randn(width, generator=generator))
