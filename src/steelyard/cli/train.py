"""`steelyard train` and `steelyard export`: a configuration to a run, and a run to a model."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from steelyard.backbone.installed import need

Config = Annotated[
    Path, typer.Argument(metavar="CONFIG", help="A TOML file; see docs/training.md.")
]


class Dtype(StrEnum):
    """Types that merged weights can be written in."""

    float32 = "float32"
    bfloat16 = "bfloat16"


def train(
    config: Config,
    out: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="RUN", help="Folder of the run; made if not there."),
    ],
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the last checkpoint, if there is one.")
    ] = False,
) -> None:
    """Train adapters, a readout head and exits.

    Writes best.safetensors (the weights with the lowest validation loss so far),
    checkpoint.safetensors (all that going on needs) and log.jsonl. Every line of the log is shown
    on stderr.
    """
    need("torch")
    from steelyard.training.config import read_config
    from steelyard.training.loop import train as train_run
    from steelyard.training.setup import set_up

    settings = read_config(config)
    run = set_up(settings, root=config.parent, folder=out)
    progress = train_run(run, resume=resume, report=_show)
    typer.echo(
        f"{out}: validation loss {progress.best_loss:.4f} at step {progress.best_step} "
        f"of {progress.step}"
    )


def export(
    config: Config,
    run_folder: Annotated[Path, typer.Argument(metavar="RUN", help="What `train` wrote.")],
    out: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="A new model folder.")
    ],
    name: Annotated[str, typer.Option(help="What the model calls itself.")],
    merged: Annotated[
        Dtype | None,
        typer.Option(help="Write whole weights, which need no base.", show_default="the adapter"),
    ] = None,
) -> None:
    """Make a model folder of a run's best weights, with temperatures and the exit rule.

    The folder holds the adapter in peft's format and names its base, or with --merged whole weights
    that load with transformers too. `steelyard decide --model MODEL` takes either.
    """
    need("torch")
    import torch

    from steelyard.training.config import read_config
    from steelyard.training.export import export as export_run
    from steelyard.training.setup import set_up

    settings = read_config(config)
    run = set_up(settings, root=config.parent, folder=run_folder)
    dtype = None if merged is None else getattr(torch, merged.value)
    rule = export_run(run, out, name=name, merged=dtype)
    typer.echo(f"{out}: {name}")
    if rule is not None:
        typer.echo(
            f"adaptive depth on validation: accuracy {rule.accuracy:.4f} with "
            f"{rule.mean_layers:.1f} layers, {rule.full_accuracy:.4f} at full depth; "
            f"threshold {rule.threshold}"
        )


def _show(line: Mapping[str, object]) -> None:
    typer.echo("  ".join(f"{name} {_short(value)}" for name, value in line.items()), err=True)


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):  # a measured file: layer -> kind -> [loss, accuracy, questions]
        return " ".join(
            f"{layer}:{kinds['all'][0]:.3f}/{kinds['all'][1]:.3f}" for layer, kinds in value.items()
        )
    return str(value)
