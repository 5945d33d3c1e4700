"""What a run has learned, merged into whole weights in the layout of the checkpoint they came from.

Names and files of the tensors stay, and so does whatever else makes the folder a model: tokenizer,
chat template, how images are prepared. Parts that are not trained because we do not run them (a
vision tower) are passed on as they are stored, bit by bit.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor

from steelyard.backbone.weights.names import text_name
from steelyard.backbone.weights.write import write_weights
from steelyard.training.loop import Run
from steelyard.training.lora import FullLinear, adapted

COMPANIONS = (
    "tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.json", "merges.txt",
    "vocab.txt", "added_tokens.json", "special_tokens_map.json", "chat_template.jinja",
    "chat_template.json", "generation_config.json", "preprocessor_config.json",
    "video_preprocessor_config.json", "processor_config.json", "LICENSE", "NOTICE",
)  # fmt: skip
"""Files beside the weights of a checkpoint that belong to the model."""


def write_merged(run: Run, folder: Path, dtype: torch.dtype) -> None:
    """Write the run's weights as they are now, so that transformers loads them too.

    Args:
        dtype: of the matrices of the decoder; vectors, such as norms, keep the type that they are
            stored in.
    """
    weights = run.weights
    write_weights(folder, weights.config, weights.files, _tensors(run, dtype), dtype)
    if weights.kind != "safetensors":
        run.asker.tokenizer.save(folder)
        return
    for name in COMPANIONS:
        if (weights.path / name).is_file():
            shutil.copyfile(weights.path / name, folder / name)


def _tensors(run: Run, dtype: torch.dtype) -> Iterator[tuple[str, Tensor]]:
    """The base's tensors, those that were trained in their place."""
    decoder = run.trainee.decoder
    trained = {f"model.{path}": module for path, module in adapted(decoder)}
    for name, stored in run.weights.tensors():
        if name.startswith(decoder.config.foreign):
            yield name, stored
            continue
        path, _, leaf = text_name(name).rpartition(".")
        module = trained.get(path)
        if module is not None and leaf == "weight":
            stored = module.exact().cpu()
        elif isinstance(module, FullLinear) and module.bias is not None:
            stored = module.bias.detach().cpu()
        yield name, stored.to(dtype) if stored.ndim == 2 else stored
