"""From a configuration to a run that can start."""

from __future__ import annotations

from pathlib import Path

import torch

from steelyard.backbone.device import device_of
from steelyard.backbone.weights.source import open_weights
from steelyard.errors import RequestError
from steelyard.models.locate import locate_base
from steelyard.prompt.layout import LAYOUTS, SYSTEM
from steelyard.training.config import TrainConfig
from steelyard.training.loop import Run, identity_of
from steelyard.training.micro_batch import Asker
from steelyard.training.start import continue_from
from steelyard.training.trainee import new_trainee


def set_up(config: TrainConfig, *, root: Path, folder: Path) -> Run:
    """Load what is trained and prepare what trains it.

    Args:
        root: where relative data paths begin.
        folder: for checkpoint, best weights and log.
    Raises:
        RequestError: a value of the configuration that does not fit the model, or an unknown
            layout.
        UnknownModelError, ModelFileError, UnsupportedModelError: as `steelyard.load`.
        InputFileError: a data file cannot be read.
    """
    for name in config.data.layouts:
        if name not in LAYOUTS:
            raise RequestError(f"{name!r}; allowed: {', '.join(LAYOUTS)}", field="data.layouts")
    if config.threads is not None:
        torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    weights = open_weights(locate_base(config.model.base))
    tokenizer = weights.tokenizer()
    chat = tokenizer.chat_frame(SYSTEM)
    device = device_of(config.model.device)
    trainee = new_trainee(weights, config.model, device)
    if config.model.start is not None:
        continue_from(root / config.model.start, weights, trainee, config.model)
    return Run(
        config=config,
        trainee=trainee,
        asker=Asker(tokenizer, chat, trainee.readout, join=device.type == "cpu"),
        folder=folder,
        root=root,
        weights=weights,
        identity=identity_of(config, root, weights.digest),
    )
