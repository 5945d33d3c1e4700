"""Writing weights as a Hugging Face folder: config.json and model.safetensors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

ARCHITECTURES = {
    "llama": "LlamaForCausalLM",
    "qwen2": "Qwen2ForCausalLM",
    "qwen3": "Qwen3ForCausalLM",
}


def write_weights(
    folder: Path,
    config: Mapping[str, object],
    tensors: Iterable[tuple[str, Tensor]],
    dtype: torch.dtype,
) -> None:
    """Write a model's weights so that `open_weights` and transformers read them.

    Args:
        config: in the words of config.json.
        tensors: by their Hugging Face names.
        dtype: that they are written in.
    """
    kept = {name: tensor.to(dtype).contiguous() for name, tensor in tensors}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    body = dict(config) | {"torch_dtype": str(dtype).removeprefix("torch.")}
    architecture = ARCHITECTURES.get(str(config.get("model_type")))
    if architecture is not None:
        body["architectures"] = [architecture]
    text = json.dumps(body, indent=2, sort_keys=True) + "\n"
    (folder / "config.json").write_text(text, encoding="utf-8")
