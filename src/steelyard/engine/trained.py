"""What training adds to a model's weights: an adapter, a pointer head, lenses, temperatures.

Each part is checked against the weights it stands on: a part that is missing, cut short or made for
another model is an error that names its file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.calibration.exit_temperature import ExitTemperature
from steelyard.calibration.stored import Calibration
from steelyard.engine.exits import ExitPolicy
from steelyard.engine.model import Fit, LoadedModel
from steelyard.errors import ModelFileError
from steelyard.models.directory import (
    ADAPTER,
    ADAPTER_CONFIG,
    EXITS,
    HEAD,
    file_digest,
    parts_of,
)
from steelyard.models.locate import LocatedModel
from steelyard.models.manifest import FILE_NAME
from steelyard.prompt.chat import ChatFrame
from steelyard.prompt.layout import LAYOUTS, layout_digest
from steelyard.readout.pointer_head import PointerHead, read_pointer_head
from steelyard.readout.registry import POINTING

if TYPE_CHECKING:
    from steelyard.backbone.lens_map import LensMap
    from steelyard.backbone.weights.source import Weights


def trained_weights(located: LocatedModel) -> Weights:
    """The model's weights, with the directory's adapter merged in while they are read.

    Raises:
        ModelFileError: a file of weights or adapter is missing, cut short or of another model.
        UnsupportedModelError: they are of a kind that cannot be run.
    """
    from steelyard.backbone.config import from_hf
    from steelyard.backbone.weights.adapter import AdaptedWeights, read_adapter
    from steelyard.backbone.weights.source import open_weights

    _check_parts(located)
    weights, manifest = open_weights(located.path), located.manifest
    if manifest.base_digest not in (None, weights.digest):
        raise ModelFileError(
            f"the base {weights.path} has the sha256 {weights.digest}; "
            f"the model continues {manifest.base_digest}",
            field=f"{_folder(located) / FILE_NAME}: base_digest",
        )
    folder = located.folder
    if folder is None or not any((folder / name).exists() for name in (ADAPTER, ADAPTER_CONFIG)):
        return weights
    return AdaptedWeights(weights, read_adapter(folder, from_hf(weights.config)))


def pointer_head(located: LocatedModel, weights: Weights) -> PointerHead | None:
    """The directory's pointer head, which is there at least where its own readout needs one."""
    path = None if located.folder is None else located.folder / HEAD
    if path is None or (located.manifest.readout not in POINTING and not path.exists()):
        return None
    return read_pointer_head(path, width=_size(weights, "hidden_size"))


def lenses(located: LocatedModel, weights: Weights) -> dict[int, LensMap]:
    """The directory's lenses, one for each exit of its manifest."""
    from steelyard.backbone.lens_map import read_lens_maps

    exits = located.manifest.exits
    layers = () if exits is None else exits.layers
    path = None if located.folder is None else located.folder / EXITS
    if path is None or not (layers or path.exists()):
        return {}
    _check_layers(located, layers, _size(weights, "num_hidden_layers"))
    return read_lens_maps(path, layers=layers, width=_size(weights, "hidden_size"))


def fit(located: LocatedModel, num_layers: int) -> Fit | None:
    """The directory's temperatures and exit rule."""
    manifest = located.manifest
    if manifest.exits is None:
        return None
    assert manifest.readout is not None and manifest.layout is not None, "checked when it was read"
    exits = manifest.exits
    _check_layers(located, exits.layers, num_layers)
    needed = {*exits.layers, num_layers}
    if set(exits.temperatures) != needed:
        raise ModelFileError(
            f"got layers {', '.join(map(str, sorted(exits.temperatures))) or 'none'}; needed: "
            f"{', '.join(map(str, sorted(needed)))}, the exits and the last layer",
            field=f"{_folder(located) / FILE_NAME}: exits.temperatures",
        )
    return Fit(
        readout=manifest.readout,
        layout=manifest.layout,
        calibrator=ExitTemperature(exits.temperatures),
        exits=ExitPolicy(exits.layers, exits.threshold),
    )


def brought_fit(calibration: Calibration, model: LoadedModel) -> Fit:
    """The caller's calibration, for answers read as the model is asked by default.

    Raises:
        CapabilityError: it was fitted on another model, layout or readout.
    """
    calibration.card.check(
        model=model.runtime.digest,
        layout=layout_digest(LAYOUTS[model.layout], model.chat),
        readout=model.readout,
    )
    return Fit(
        readout=model.readout,
        layout=model.layout,
        calibrator=calibration.calibrator,
        calibration=calibration,
    )


def check_wording(located: LocatedModel, chat: ChatFrame) -> None:
    """Refuse a model that was trained on another wording of its layout, or chat template."""
    manifest = located.manifest
    if manifest.wording is None or manifest.layout is None:
        return
    if manifest.layout not in LAYOUTS:
        raise ModelFileError(
            f"got {manifest.layout!r}; allowed: {', '.join(LAYOUTS)}",
            field=f"{_folder(located) / FILE_NAME}: layout",
        )
    now = layout_digest(LAYOUTS[manifest.layout], chat)
    if manifest.wording != now:
        raise ModelFileError(
            f"the layout {manifest.layout} has the digest {now}; the model was trained on "
            f"{manifest.wording}, another wording or chat template",
            field=f"{_folder(located) / FILE_NAME}: wording",
        )


def _check_parts(located: LocatedModel) -> None:
    """Refuse a directory that lacks a part, has one more, or has another than was counted."""
    if located.folder is None or located.manifest.parts is None:
        return
    counted = dict(located.manifest.parts)
    found = {path.name: file_digest(path) for path in parts_of(located.folder)}
    for name in sorted(counted.keys() | found.keys()):
        if counted.get(name) != found.get(name):
            raise ModelFileError(
                f"sha256 {found.get(name, 'of no file')}; counted when the model was made: "
                f"{counted.get(name, 'no such file')}",
                field=f"{located.folder / name}",
            )


def _check_layers(located: LocatedModel, layers: tuple[int, ...], num_layers: int) -> None:
    if layers and layers[-1] >= num_layers:
        raise ModelFileError(
            f"got {layers[-1]}; the model has {num_layers} layers, and exits lie below the last",
            field=f"{_folder(located) / FILE_NAME}: exits.layers",
        )


def _size(weights: Weights, key: str) -> int:
    text = weights.config.get("text_config", weights.config)  # models that also see
    size = text.get(key) if isinstance(text, Mapping) else None
    if type(size) is not int:
        raise ModelFileError(f"got {size!r}; allowed: an integer", field=f"config.json: {key}")
    return size


def _folder(located: LocatedModel) -> Path:
    assert located.folder is not None, "only a directory's manifest says this"
    return located.folder
