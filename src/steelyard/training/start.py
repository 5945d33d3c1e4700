"""Going on from a model that was trained before: its adapter, head and exits become the start.

The scale of an exit (see lenses.py), which a model directory does not hold, begins at 1 again.
"""

from __future__ import annotations

from pathlib import Path

import torch

from steelyard.backbone.lens import read_lenses
from steelyard.backbone.weights.adapter import read_adapter
from steelyard.backbone.weights.source import Weights
from steelyard.errors import ModelFileError, RequestError
from steelyard.models.directory import EXITS, HEAD
from steelyard.models.manifest import FILE_NAME, read_manifest
from steelyard.readout.pointer_head import read_pointer_head
from steelyard.training.config import ModelConfig
from steelyard.training.lora import LoraLinear, adapted
from steelyard.training.readouts import Pointing
from steelyard.training.trainee import Trainee


@torch.no_grad()
def continue_from(folder: Path, weights: Weights, trainee: Trainee, config: ModelConfig) -> None:
    """Give a new trainee what `folder`, an exported model on the same base, has learned.

    Raises:
        ModelFileError: a part is missing, corrupt or of another model.
        RequestError: the configuration trains another readout, other exits, or with another rank.
    """
    if not folder.is_dir():
        raise ModelFileError(f"there is no folder {folder}", field="model.start")
    manifest = read_manifest(folder)
    if manifest.base_digest != weights.digest:
        raise ModelFileError(
            f"the model continues weights with the sha256 {manifest.base_digest}; "
            f"the base has {weights.digest}",
            field=f"{folder / FILE_NAME}: base_digest",
        )
    if manifest.readout != config.readout:
        raise RequestError(
            f"{config.readout!r}; the model to start from reads by {manifest.readout!r}",
            field="model.readout",
        )
    width = trainee.decoder.config.width
    adapter = read_adapter(folder, trainee.decoder.config)
    if config.method != "lora" or (adapter.rank, adapter.alpha) != (config.rank, config.alpha):
        raise RequestError(
            f"{config.method}, rank {config.rank}, alpha {config.alpha}; the model to start from "
            f"has lora, rank {adapter.rank}, alpha {adapter.alpha}",
            field="model",
        )
    for name, module in adapted(trainee.decoder):
        assert isinstance(module, LoraLinear)
        factors = adapter.pairs[f"model.{name}.weight"]
        for parameter, value in zip((module.lora_A, module.lora_B), factors, strict=True):
            parameter.copy_(torch.from_numpy(value))
    if isinstance(trainee.readout, Pointing):
        head = read_pointer_head(folder / HEAD, width=width)
        for name, part in trainee.readout.parameters().items():
            part.copy_(torch.from_numpy(head.tensors()[name]))
    if trainee.lenses:
        kept = read_lenses(folder / EXITS, layers=tuple(trainee.lenses), width=width)
        for layer, lens in trainee.lenses.items():
            lens.weight.copy_(kept[layer].weight)
            lens.bias.copy_(kept[layer].bias)
    trainee.merge()
