"""Writing weights as a Hugging Face folder: config.json, and safetensors in files as before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from steelyard.backbone.weights.safetensors_folder import INDEX

ARCHITECTURES = {
    "llama": "LlamaForCausalLM",
    "qwen2": "Qwen2ForCausalLM",
    "qwen3": "Qwen3ForCausalLM",
}
"""Of families whose weights may come from a GGUF file, which names none."""

PARTS = ("text_config",)
"""Of a configuration: those whose weights are written in the type asked for."""


def write_weights(
    folder: Path,
    config: Mapping[str, object],
    files: Mapping[str, Sequence[str]],
    tensors: Iterable[tuple[str, Tensor]],
    dtype: torch.dtype,
) -> None:
    """Write a model's weights so that `open_weights` and transformers read them.

    One file is held in memory at a time, if the tensors come file by file.

    Args:
        config: in the words of config.json.
        files: name of each safetensors file -> the tensors in it.
        tensors: by their Hugging Face names, each as it shall be written.
        dtype: the model's type, for config.json.
    """
    file_of = {name: file for file, names in files.items() for name in names}
    held: dict[str, dict[str, Tensor]] = {file: {} for file in files}
    num_bytes = 0
    for name, tensor in tensors:
        file = file_of[name]
        held[file][name] = tensor.contiguous()
        num_bytes += tensor.nbytes
        if len(held[file]) == len(files[file]):
            save_file(held.pop(file), folder / file, metadata={"format": "pt"})
    assert not held, f"tensors are missing of {', '.join(held)}"
    if len(files) > 1:
        index = {"metadata": {"total_size": num_bytes}, "weight_map": file_of}
        _write(folder / INDEX, index)
    _write(folder / "config.json", _typed(config, str(dtype).removeprefix("torch.")))


def _typed(config: Mapping[str, object], dtype: str) -> dict[str, object]:
    """The configuration with this type of weights, whichever of its names it uses."""
    body = dict(config)
    body["dtype" if "dtype" in body else "torch_dtype"] = dtype
    for part in PARTS:
        inner = body.get(part)
        if isinstance(inner, Mapping):
            body[part] = _typed(inner, dtype)
    architecture = ARCHITECTURES.get(str(config.get("model_type")))
    if architecture is not None:
        body["architectures"] = [architecture]
    return body


def _write(path: Path, body: Mapping[str, object]) -> None:
    path.write_text(json.dumps(body, indent=2, sort_keys=True) + "\n", encoding="utf-8")
