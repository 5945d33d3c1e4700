"""Checkpoints: all that a run needs to go on as if it had not been stopped, in one file.

The file is written beside its name and moved into place, so a run that is killed while writing
leaves the checkpoint before it whole.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from steelyard.errors import InputFileError, OutputError
from steelyard.training.stream import Cursor


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Attributes:
        step: steps done.
        cursor: where the next step's examples begin.
        best_loss: lowest validation loss so far; best_step: the step that had it.
        run: of which run it is, see `loop.identity_of`.
    """

    step: int
    cursor: Cursor
    best_loss: float
    best_step: int
    run: str


def save(path: Path, progress: Progress, tensors: Mapping[str, Tensor]) -> None:
    """Write a checkpoint; what stood at `path` is replaced at once and whole.

    Raises:
        OutputError: it cannot be written; what stood there is left.
    """
    beside = path.with_name(path.name + ".part")
    metadata = {"progress": json.dumps(asdict(progress))}
    try:
        save_file({k: v.detach().contiguous() for k, v in tensors.items()}, beside, metadata)
        os.replace(beside, path)
    except (OSError, SafetensorError) as error:
        beside.unlink(missing_ok=True)
        raise OutputError(f"{path} cannot be written: {error}") from error


def load(path: Path) -> tuple[Progress, dict[str, Tensor]]:
    """Read a checkpoint.

    Raises:
        InputFileError: it is missing, cut short or no checkpoint of ours.
    """
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        known = json.loads(metadata["progress"])
        cursor = Cursor(**known.pop("cursor"))
        return Progress(cursor=cursor, **known), tensors
    except (OSError, SafetensorError, KeyError, ValueError, TypeError) as error:
        raise InputFileError(f"{path} is no checkpoint: {error}") from error


def optimizer_tensors(
    optimizer: torch.optim.Optimizer, names: Mapping[int, str]
) -> dict[str, Tensor]:
    """The optimiser's memory by the parameters' names; `names` maps id(parameter) to name."""
    return {
        f"optimizer.{names[id(parameter)]}.{key}": value
        for parameter, state in optimizer.state.items()
        for key, value in state.items()
    }


def restore_optimizer(
    optimizer: torch.optim.Optimizer, names: Mapping[int, str], tensors: Mapping[str, Tensor]
) -> None:
    """Give an optimiser the memory that `optimizer_tensors` saved."""
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            prefix = f"optimizer.{names[id(parameter)]}."
            optimizer.state[parameter] = {
                name.removeprefix(prefix): value.to(parameter.device)
                if name.endswith(("exp_avg", "exp_avg_sq"))
                else value
                for name, value in tensors.items()
                if name.startswith(prefix)
            }
