"""The options that choose, load and read a model, shared by every command that decides."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from steelyard import Engine

_PANEL = "Model"

Model = Annotated[
    str,
    typer.Option(
        "--model",
        "-m",
        metavar="NAME",
        help="A named model, a Hugging Face id, a model folder or a GGUF file.",
        rich_help_panel=_PANEL,
    ),
]
Runtime = Annotated[
    str,
    typer.Option(help="auto, torch, openvino, transformers or llamacpp.", rich_help_panel=_PANEL),
]
Device = Annotated[str, typer.Option(help="cpu, cuda or cuda:N.", rich_help_panel=_PANEL)]
Dtype = Annotated[str, typer.Option(help="float32 or bfloat16.", rich_help_panel=_PANEL)]
Threads = Annotated[
    int | None, typer.Option(min=1, help="CPU threads; all by default.", rich_help_panel=_PANEL)
]
Readout = Annotated[
    str | None,
    typer.Option(
        help="How options are read: letters, continuation, pairwise, and with a trained head "
        "pointer or pointer-set; the model's own by default.",
        rich_help_panel=_PANEL,
    ),
]
Layout = Annotated[
    str | None,
    typer.Option(
        help="How the prompt is laid out: isolated-v1, sandwich-v1 or sandwich-shared-v1; the "
        "model's own by default.",
        rich_help_panel=_PANEL,
    ),
]
Rotations = Annotated[
    int,
    typer.Option(
        min=1, help="Average over this many cyclic orders of the options.", rich_help_panel=_PANEL
    ),
]
RereadBelow = Annotated[
    float,
    typer.Option(
        min=0.0,
        max=1.0,
        help="Read again with reversed options where the margin is below this.",
        rich_help_panel=_PANEL,
    ),
]
Depth = Annotated[
    str,
    typer.Option(
        help="full; adaptive: stop at the first of the model's exits that is sure; or the layer of "
        "one of them.",
        rich_help_panel=_PANEL,
    ),
]
Calibration = Annotated[
    Path | None,
    typer.Option(
        "--calibration",
        "-c",
        metavar="FOLDER",
        help="What `steelyard calibrate` wrote, in place of the model's own.",
        rich_help_panel=_PANEL,
    ),
]
Digits = Annotated[int | None, typer.Option(min=0, max=17, help="Decimals of the numbers.")]


def load_engine(
    model: str,
    *,
    runtime: str,
    device: str,
    dtype: str,
    threads: int | None,
    readout: str | None,
    layout: str | None,
    depth: str = "full",
    calibrated: bool = True,
    calibration: Path | None = None,
) -> Engine:
    """Load a model as `steelyard.load` does; torch is imported only now."""
    import steelyard

    return steelyard.load(
        model,
        runtime=runtime,
        device=device,
        dtype=dtype,
        threads=threads,
        readout=readout,
        layout=layout,
        depth=depth_of(depth),
        calibrated=calibrated,
        calibration=calibration,
    )


def depth_of(text: str) -> str | int:
    """The depth that the option names: a word, or a layer."""
    return int(text) if text.isascii() and text.isdigit() else text
