"""The same networks in transformers, as an independent oracle of every forward pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from transformers import (
    AutoModelForCausalLM,
    LlamaConfig,
    Qwen2Config,
    Qwen3_5TextConfig,
    Qwen3Config,
)

FAMILIES = {
    "llama": LlamaConfig,
    "qwen2": Qwen2Config,
    "qwen3": Qwen3Config,
    "qwen3_5_text": Qwen3_5TextConfig,
}

SHAPE = {
    "vocab_size": 320,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "tie_word_embeddings": True,
}


def reference_model(family: str, seed: int = 0, **changes: Any) -> nn.Module:
    """A tiny random model of transformers, in float32."""
    config = FAMILIES[family](**(SHAPE | changes))
    model: nn.Module = AutoModelForCausalLM.from_config(config, attn_implementation="eager")
    return filled(model, family, seed)


def filled(model: nn.Module, family: str, seed: int = 0) -> nn.Module:
    """The model with random weights, large enough that every part matters."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if name.endswith("norm.weight"):
                # Qwen3.5 adds 1 itself, but for the norm of its recurrent layers
                is_centred = family.startswith("qwen3_5") and "linear_attn" not in name
                parameter.copy_(0.3 * noise + (0 if is_centred else 1))
            elif name.endswith("A_log"):
                parameter.copy_(2 * noise - 3)  # heads that forget soon, and late
            else:
                parameter.copy_(0.2 * noise)
    return model.eval()


@torch.no_grad()
def reference_forward(
    model: nn.Module,
    ids: np.ndarray,
    positions: np.ndarray | None = None,
    mask: np.ndarray | None = None,
) -> tuple[list[Tensor], Tensor]:
    """Hidden states before the first and after every layer, each normed, and the logits.

    Args:
        mask: bool (rows, rows), which row may see which; causal if None.
    """
    rows = len(ids)
    if mask is None:
        mask = np.tril(np.ones((rows, rows), dtype=bool))
    bias = torch.zeros(1, 1, rows, rows).masked_fill(~torch.from_numpy(mask), -torch.inf)
    out, hidden = _observed(
        model,
        torch.from_numpy(ids)[None],
        attention_mask=bias,
        position_ids=torch.from_numpy(np.arange(rows) if positions is None else positions)[None],
        use_cache=False,
    )
    return hidden, out.logits[0]


@torch.no_grad()
def reference_text(model: nn.Module, ids: np.ndarray) -> tuple[list[Tensor], Tensor, Any]:
    """The same of a text from its beginning, and the cache that it leaves."""
    out, hidden = _observed(model, torch.from_numpy(ids)[None], use_cache=True)
    return hidden, out.logits[0], out.cache


def _observed(model: nn.Module, ids: Tensor, **arguments: Any) -> tuple[Any, list[Tensor]]:
    hidden: list[Tensor] = []
    hooks = [
        layer.register_forward_pre_hook(lambda _, args: hidden.append(args[0][0]))
        for layer in [*model.model.layers, model.model.norm]
    ]
    out = model(ids, **arguments)
    for hook in hooks:
        hook.remove()
    return out, [model.model.norm(x) for x in hidden]
