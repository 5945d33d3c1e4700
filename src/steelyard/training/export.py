"""A trained run as a model directory: adapter or merged weights, head, exits, `steelyard.json`.

Temperatures and the exit rule are fitted here on the run's validation file, which chose the weights
and trained none of them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
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
from steelyard.data.dataset import read_examples
from steelyard.errors import OutputError, RequestError
from steelyard.models.directory import EXITS, HEAD
from steelyard.models.manifest import FittedExits, Manifest, write_manifest
from steelyard.prompt.layout import LAYOUTS, layout_digest
from steelyard.readout.pointer_head import write_pointer_head
from steelyard.training.bundles import bundled
from steelyard.training.checkpoint import load
from steelyard.training.loop import BEST, Run
from steelyard.training.lora import LoraLinear, adapted
from steelyard.training.readouts import Pointing
from steelyard.training.targets import targets_of
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


def export(run: Run, out: Path, *, name: str, warnings: Sequence[str] = ()) -> ExitRule | None:
    """Write the run's best weights as a model directory that continues its base.

    Args:
        out: a new folder; it appears when it is complete.
        name: what the model calls itself.
    Returns:
        The exit rule, or None for a model without exits.
    Raises:
        OutputError: `out` exists.
        InputFileError: the run has no weights yet.
        RequestError: weights that were trained as a whole are no adapter.
    """
    if out.exists():
        raise OutputError(f"{out} exists already")
    config = run.config
    if config.model.method != "lora":
        raise RequestError("only low-rank adapters are exported so far", field="model.method")
    _, tensors = load(run.folder / BEST)
    with torch.no_grad():
        for key, parameter in run.trainee.named_parameters():
            parameter.copy_(tensors[key])
    run.trainee.merge()
    labelled = _readings(run)
    temperatures = fit_exit_temperature(labelled)
    rule = choose_threshold(labelled, temperatures) if config.model.exits else None

    out.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    try:
        _write(run, made, name, tuple(warnings), temperatures, rule)
        os.chmod(made, 0o755)
        os.replace(made, out)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return rule


def choose_threshold(
    readings: dict[int, list[Labelled]],
    temperatures: ExitTemperature,
    most_loss: float = MOST_LOSS,
) -> ExitRule:
    """The lowest threshold whose accuracy is at most `most_loss` below full depth's.

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
    layout = next(iter(run.config.data.layouts))
    bundles = bundled(read_examples(run.path(run.config.data.valid)), layout)
    asked = map(run.asker.ask, bundles)
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


def _write(
    run: Run,
    folder: Path,
    name: str,
    warnings: tuple[str, ...],
    temperatures: ExitTemperature,
    rule: ExitRule | None,
) -> None:
    config, trainee = run.config, run.trainee
    layout = next(iter(config.data.layouts))
    factors = {}
    for path, module in adapted(trainee.decoder):
        assert isinstance(module, LoraLinear)
        factors[f"model.{path}.weight"] = (module.lora_A.detach(), module.lora_B.detach())
    write_adapter(Adapter(config.model.alpha, factors), folder, base=config.model.base)
    if isinstance(trainee.readout, Pointing):
        write_pointer_head(trainee.readout.head(), folder / HEAD)
    if trainee.lenses:
        write_lenses(
            {at: Lens(x.weight, x.bias) for at, x in trainee.lenses.items()}, folder / EXITS
        )
    fitted: dict[int, dict[str, float]] = {
        layer: {kind: kinds.get(kind, 1.0) for kind in KINDS}
        for layer, kinds in temperatures.temperatures.items()
    }
    write_manifest(
        Manifest(
            name=name,
            readout=config.model.readout,
            layout=layout,
            wording=layout_digest(LAYOUTS[layout], run.asker.chat),
            base=config.model.base,
            base_digest=run.weights_digest,
            exits=FittedExits(
                layers=config.model.exits,
                threshold=1.0 if rule is None else rule.threshold,
                temperatures=fitted,
            ),
            fitted_on="held-out documents of the training corpora and generators",
            warnings=warnings,
        ),
        folder,
    )
