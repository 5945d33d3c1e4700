"""A trained run as a model directory: adapter or merged weights, head, exits, `steelyard.json`.

Temperatures and the exit rule are fitted here, on all of the run's validation file. A draw of it
chose the weights and none of it trained them, so what it says of the rule is a little optimistic.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from steelyard.backbone.lens import Lens, write_lenses
from steelyard.backbone.weights.adapter import Adapter, write_adapter
from steelyard.calibration.exit_temperature import (
    ExitTemperature,
    Labelled,
    fit_exit_temperature,
)
from steelyard.errors import OutputError, RequestError
from steelyard.models import hub
from steelyard.models.catalog import CATALOG
from steelyard.models.directory import EXITS, HEAD, file_digest, parts_of
from steelyard.models.manifest import FittedExits, Manifest, write_manifest
from steelyard.prompt.layout import LAYOUTS, layout_digest
from steelyard.readout.pointer_head import write_pointer_head
from steelyard.training.loop import Run, held_out, restore_best
from steelyard.training.lora import LoraLinear, adapted
from steelyard.training.merged import write_merged
from steelyard.training.readouts import Pointing
from steelyard.training.targets import targets_of
from steelyard.training.trainee import Trainee
from steelyard.types.question import KINDS, kind_of

MOST_LOSS = 0.005
"""Accuracy that adaptive depth may lose on validation (Trutina report, 5.2: about half a point)."""


@dataclass(frozen=True, slots=True)
class ExitRule:
    """The threshold chosen, and what it does on the data it was chosen on.

    Attributes:
        threshold: a question leaves where its largest probability is at least this.
        accuracy, full_accuracy: with the rule, and at full depth.
        mean_layers: that a question needs with the rule.
    """

    threshold: float
    accuracy: float
    full_accuracy: float
    mean_layers: float


def export(
    run: Run,
    out: Path,
    *,
    name: str,
    merged: torch.dtype | None = None,
    warnings: Sequence[str] = (),
) -> ExitRule | None:
    """Write the run's best weights as a model directory.

    Args:
        out: a new folder; it appears when it is complete.
        name: what the model calls itself.
        merged: write whole weights of this type, which need no base and load with transformers;
            None writes the adapter, which continues its base.
        warnings: sentences that accompany every answer.
    Returns:
        The exit rule, or None for a model without exits.
    Raises:
        OutputError: `out` exists.
        InputFileError: the run has no weights yet, or they are of another configuration.
        RequestError: an adapter is wanted of weights that were trained as a whole, or on a base
            that is not known by a name.
    """
    if out.exists():
        raise OutputError(f"{out} exists already")
    model = run.config.model
    if merged is None and model.method != "lora":
        raise RequestError(
            f"{model.method!r} trains no adapter; write merged weights", field="model.method"
        )
    named = model.base in CATALOG or (hub.is_id(model.base) and not Path(model.base).exists())
    if merged is None and not named:
        raise RequestError(
            f"{model.base!r} is no name of a model, by which an adapter could find it again; "
            "write merged weights",
            field="model.base",
        )
    restore_best(run)
    readings = _readings(run)
    temperatures = fit_exit_temperature(readings)
    rule = choose_threshold(readings, temperatures) if model.exits else None

    out.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    try:
        if merged is None:
            write_adapter(_adapter(run), made, base=model.base)
        else:
            write_merged(run, made, merged)
        _write_parts(run.trainee, made)
        threshold = 1.0 if rule is None else rule.threshold
        manifest = _manifest(run, name, temperatures, threshold, tuple(warnings))
        if merged is not None:
            manifest = replace(manifest, base=None, base_digest=None)
        parts = {path.name: file_digest(path) for path in parts_of(made)}
        write_manifest(replace(manifest, parts=parts), made)
        made.chmod(0o755)  # private so far, as temporary folders are, and safetensors' files
        for path in made.iterdir():
            path.chmod(0o644)
        made.replace(out)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return rule


def choose_threshold(
    readings: dict[int, list[Labelled]],
    temperatures: ExitTemperature,
    most_loss: float = MOST_LOSS,
) -> ExitRule:
    """The lowest threshold, from 0.30 in steps of 0.01, that loses at most `most_loss` of accuracy.

    Where none does, it is 1: all questions go to full depth.

    Args:
        readings: exit or last layer -> the same questions, in the same order.
    """
    layers = sorted(readings)
    sure, right = (np.empty((len(layers), len(readings[layers[0]]))) for _ in range(2))
    for row, layer in enumerate(layers):
        for column, one in enumerate(readings[layer]):
            p = temperatures.apply(one.scores, kind=one.kind, exit_layer=layer)
            sure[row, column] = p.max()
            right[row, column] = p.argmax() == one.target.argmax()
    full = float(right[-1].mean())
    for threshold in np.arange(0.30, 1.0, 0.01):
        leaves = sure >= threshold
        leaves[-1] = True
        at = leaves.argmax(axis=0)
        accuracy = float(right[at, np.arange(len(at))].mean())
        if accuracy >= full - most_loss:
            return ExitRule(
                float(round(threshold, 2)), accuracy, full, float(np.array(layers)[at].mean())
            )
    return ExitRule(1.0, full, full, float(layers[-1]))


@torch.no_grad()
def _readings(run: Run) -> dict[int, list[Labelled]]:
    """Scores of the validation questions after every exit and the last layer."""
    asked = held_out(run, run.config.data.valid)
    found: defaultdict[int, list[Labelled]] = defaultdict(list)
    for micro in run.asker.micro_batches(asked, run.config.optim.batch_tokens):
        targets = targets_of(micro.examples, run.trainee.decoder.device)
        for layer, scores in run.trainee.scores(micro).items():
            lens = run.trainee.lenses.get(layer)
            if lens is not None:  # the engine reads an exit without its scale
                scores = scores / lens.log_scale.exp()
            for example, row, share in zip(micro.examples, scores, targets.shares, strict=True):
                size = len(example.target)
                found[layer].append(
                    Labelled(
                        kind_of(example.question),
                        row[:size].double().cpu().numpy(),
                        share[:size].double().cpu().numpy(),
                    )
                )
    return dict(found)


def _adapter(run: Run) -> Adapter:
    factors = {}
    for path, module in adapted(run.trainee.decoder):
        assert isinstance(module, LoraLinear)
        factors[f"model.{path}.weight"] = (
            module.lora_A.detach().float().cpu().numpy(),
            module.lora_B.detach().float().cpu().numpy(),
        )
    return Adapter(run.config.model.alpha, factors)


def _write_parts(trainee: Trainee, folder: Path) -> None:
    if isinstance(trainee.readout, Pointing):
        write_pointer_head(trainee.readout.head(), folder / HEAD)
    if trainee.lenses:
        lenses = {layer: Lens(one.weight, one.bias) for layer, one in trainee.lenses.items()}
        write_lenses(lenses, folder / EXITS)


def _manifest(
    run: Run,
    name: str,
    temperatures: ExitTemperature,
    threshold: float,
    warnings: tuple[str, ...],
) -> Manifest:
    model = run.config.model
    layout = next(iter(run.config.data.layouts))
    return Manifest(
        name=name,
        readout=model.readout,
        layout=layout,
        wording=layout_digest(LAYOUTS[layout], run.asker.chat),
        base=model.base,
        base_digest=run.weights.digest,
        exits=FittedExits(
            layers=model.exits,
            threshold=threshold,
            temperatures={
                # a kind that validation does not have keeps its scores as they are
                layer: {kind: kinds.get(kind, 1.0) for kind in KINDS}
                for layer, kinds in temperatures.temperatures.items()
            },
        ),
        fitted_on="the validation file of the training run",
        warnings=warnings,
    )
