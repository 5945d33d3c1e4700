"""The training loop.

A step adds up the gradients of several micro-batches, each a forward and a backward pass over whole
states with all their questions. Kept are the weights with the lowest validation loss, and those of
step 0 compete too. What is watched is measured at the same steps and chooses nothing.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from steelyard.backbone.weights.source import Weights
from steelyard.data.dataset import read_examples
from steelyard.errors import DivergedError, InputFileError, OutputError, RequestError
from steelyard.files import lock
from steelyard.models.directory import file_digest, parts_of
from steelyard.training.bundles import Epoch, drawn, epoch
from steelyard.training.checkpoint import (
    Progress,
    load,
    optimizer_tensors,
    restore_optimizer,
    save,
)
from steelyard.training.config import DataConfig, OptimConfig, TrainConfig
from steelyard.training.loss import LossWeights, decision_losses, divergences
from steelyard.training.micro_batch import Asked, Asker, MicroBatch
from steelyard.training.schedule import rate
from steelyard.training.shelf import Bundle, Shelf, shelved
from steelyard.training.stream import Cursor, steps
from steelyard.training.targets import targets_of
from steelyard.training.trainee import Trainee
from steelyard.training.validate import shown, validate

logger = logging.getLogger(__name__)

CHECKPOINT, BEST, LOG = "checkpoint.safetensors", "best.safetensors", "log.jsonl"

NOTHING = -1
"""The step that a run without a checkpoint has reached: its log begins anew."""

Report = Callable[[Mapping[str, object]], None]
"""Is shown every line of the log as it is written."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run that is set up.

    Attributes:
        folder: where checkpoint, best weights and log are written.
        root: where relative data paths begin.
        weights: the base, as it was opened.
        identity: see `identity_of`; a checkpoint of another run is refused.
    """

    config: TrainConfig
    trainee: Trainee
    asker: Asker
    folder: Path
    root: Path
    weights: Weights
    identity: str

    def path(self, name: str) -> Path:
        return self.root / name


def train(run: Run, *, resume: bool = False, report: Report = lambda line: None) -> Progress:
    """Train to the last step.

    Args:
        resume: go on from the folder's checkpoint if there is one.
    Raises:
        OutputError: the folder holds a run, and `resume` is False; or another process trains in it.
        InputFileError: a data file cannot be read, or the checkpoint is of another run.
    """
    run.folder.mkdir(parents=True, exist_ok=True)
    with _alone(run.folder):
        return _train(run, resume, report)


def _train(run: Run, resume: bool, report: Report) -> Progress:
    config, optim = run.config, run.config.optim
    names = dict(run.trainee.named_parameters())
    optimizer = new_optimizer(run.trainee, optim)
    progress = _begin(run, optimizer, names, resume)
    begun = (run.folder / CHECKPOINT).exists()
    log = _Log(run.folder / LOG, progress.step if begun else NOTHING, report)
    most = config.data.measured_questions
    measured = {name: held_out(run, path, most) for name, path in _measured_files(config).items()}

    if progress.step == 0:
        progress = _measure(run, progress, measured, names, log)
    saved = time.monotonic()
    for asked, cursor in training_steps(run, progress.cursor):
        if progress.step == optim.steps:
            break
        step = progress.step + 1
        began = time.perf_counter()
        share = rate(step, warmup_steps=optim.warmup_steps, steps=optim.steps)
        line = learn(run, asked, optimizer, share)
        progress = replace(progress, step=step, cursor=cursor)
        seconds = time.perf_counter() - began
        log.add({"step": step, "epoch": cursor.epoch, **line, "seconds": round(seconds, 3)})
        last = step == optim.steps
        if last or step % config.validate_every == 0:
            progress = _measure(run, progress, measured, names, log)
        if last or time.monotonic() - saved >= 60 * config.checkpoint_minutes:
            _save(run, progress, optimizer, names)
            saved = time.monotonic()
    return progress


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder against other processes."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        lock(handle, f"another process trains in {folder}")
        yield
    finally:
        os.close(handle)


def learn(
    run: Run, asked: Sequence[Asked], optimizer: torch.optim.Optimizer, share: float
) -> dict[str, float]:
    """One step; returns what the log says of it."""
    optim, trainee = run.config.optim, run.trainee
    for group in optimizer.param_groups:
        group["lr"] = group["full_lr"] * share
    optimizer.zero_grad(set_to_none=True)
    total_weight = sum(one.weight for each in asked for one in each.bundle.examples)
    sums = {"loss": 0.0, "hits": 0.0, "questions": 0.0, "tokens": 0.0}
    for micro in run.asker.micro_batches(asked, optim.batch_tokens):
        loss, parts = losses(trainee, micro, optim)
        (loss / total_weight).backward()  # type: ignore[no-untyped-call]
        for name, value in parts.items():
            sums[name] = sums.get(name, 0.0) + value
        sums["tokens"] += micro.batch.num_rows
    parameters = trainee.parts()
    norms = {
        "norm": [*parameters["decoder"].values(), *parameters["head"].values()],
        "exit_norm": [*parameters["exits"].values()],
    }
    line = {
        name: float(torch.nn.utils.clip_grad_norm_(those, optim.clip))
        for name, those in norms.items()
        if those
    }
    optimizer.step()
    trainee.merge()
    means = {
        name: value / total_weight for name, value in sums.items() if name not in ("tokens", "hits")
    }
    return {
        **means,
        "questions": sums["questions"],
        "accuracy": sums["hits"] / sums["questions"],
        "tokens": sums["tokens"],
        "rate": share,
        **line,
    }


def losses(
    trainee: Trainee, micro: MicroBatch, optim: OptimConfig
) -> tuple[Tensor, dict[str, float]]:
    """What one micro-batch adds to the step's loss, and to the sums in the log."""
    targets = targets_of(micro.examples, trainee.decoder.device)
    scores = trainee.scores(micro)
    final = scores.pop(trainee.decoder.config.layers)
    weights = LossWeights(brier=optim.brier, rps=optim.rps)
    loss = decision_losses(final, targets.shares, targets.ordered, weights) @ targets.weights
    hits = final.argmax(dim=-1) == targets.shares.argmax(dim=-1)
    parts = {
        "loss": loss.item(),
        "hits": float(hits.sum()),
        "questions": float(len(micro.examples)),
    }
    taught = final.detach().softmax(dim=-1)
    for layer, early in scores.items():
        distance = divergences(early.log_softmax(dim=-1), taught) @ targets.weights
        parts[f"exit_{layer}"] = distance.item()
        loss = loss + distance
    return loss, parts


def _measure(
    run: Run,
    progress: Progress,
    measured: Mapping[str, Sequence[Asked]],
    names: Mapping[str, Tensor],
    log: _Log,
) -> Progress:
    """Validate and watch; keep the weights if none before had a lower validation loss."""
    began = time.perf_counter()
    found = {}
    for name, asked in measured.items():
        micros = list(run.asker.micro_batches(asked, run.config.optim.batch_tokens))
        found[name] = validate(run.trainee, micros)
    loss = found["valid"][run.trainee.decoder.config.layers]["all"].loss
    if not math.isfinite(loss):
        raise DivergedError(f"the validation loss is {loss} at step {progress.step}")
    if loss < progress.best_loss:
        progress = replace(progress, best_loss=loss, best_step=progress.step)
        save(run.folder / BEST, progress, names)
    log.add(
        {
            "step": progress.step,
            **{name: shown(quality) for name, quality in found.items()},
            "best_step": progress.best_step,
            "seconds": round(time.perf_counter() - began, 3),
        }
    )
    return progress


def _begin(
    run: Run, optimizer: torch.optim.Optimizer, names: Mapping[str, Tensor], resume: bool
) -> Progress:
    """The state to start from: the checkpoint's, or the beginning."""
    path = run.folder / CHECKPOINT
    if (path.exists() or (run.folder / LOG).exists()) and not resume:
        raise OutputError(f"{run.folder} holds a run already; go on with it by --resume")
    if not path.exists():
        run.trainee.merge()
        return Progress(0, Cursor(), math.inf, 0, run.identity)
    progress, tensors = _restore(run, path)
    restore_optimizer(optimizer, {id(p): name for name, p in names.items()}, tensors)
    logger.info("event=resumed step=%d", progress.step)
    return progress


def restore_best(run: Run) -> Progress:
    """Give the trainee the weights with the lowest validation loss, and say when it had them.

    Raises:
        InputFileError: the run has no weights yet, or they are of another configuration.
    """
    return _restore(run, run.folder / BEST)[0]


def _restore(run: Run, path: Path) -> tuple[Progress, dict[str, Tensor]]:
    progress, tensors = load(path)
    if progress.run != run.identity:
        raise InputFileError(f"{path} is of a run with another configuration, data or model")
    with torch.no_grad():
        for name, parameter in run.trainee.named_parameters():
            parameter.copy_(tensors[name])
    run.trainee.merge()
    return progress, tensors


def _save(
    run: Run,
    progress: Progress,
    optimizer: torch.optim.Optimizer,
    names: Mapping[str, Tensor],
) -> None:
    memory = optimizer_tensors(optimizer, {id(p): name for name, p in names.items()})
    save(run.folder / CHECKPOINT, progress, {**names, **memory})


def new_optimizer(trainee: Trainee, optim: OptimConfig) -> torch.optim.AdamW:
    rates = {"decoder": optim.lr, "head": optim.head_lr, "exits": optim.exit_lr}
    groups = [
        {"params": list(parameters.values()), "full_lr": rates[part], "lr": rates[part]}
        for part, parameters in trainee.parts().items()
        if parameters
    ]
    return torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=optim.weight_decay)


def training_steps(run: Run, start: Cursor) -> Iterator[tuple[list[Asked], Cursor]]:
    data, first = run.config.data, next(iter(run.config.data.layouts))
    files: dict[str, Shelf] = {}

    def bundles_of(number: int) -> Epoch:
        name = data.train[number % len(data.train)]
        if name not in files:
            files.clear()  # one build at a time in memory
            files[name] = shelved(read_examples(run.path(name)), first)
            _check_mix(data, set(files[name].sources), name)
        shown = epoch(
            files[name],
            seed=run.config.seed,
            number=number,
            bare_share=data.bare_share,
            layouts=data.layouts,
            mix=data.mix,
            most_options=run.asker.readout.most_options,
        )
        if not shown:
            raise RequestError(f"nothing of {name} is left for epoch {number}", field="data.mix")
        return shown

    return steps(bundles_of, run.asker.ask, run.config.optim.step_tokens, start)


def _check_mix(data: DataConfig, sources: set[str], name: str) -> None:
    if not sources:
        raise InputFileError(f"{name} holds no examples")
    for source in data.mix:
        if source not in sources:
            raise RequestError(
                f"{name} has no such source; it has {', '.join(sorted(sources))}",
                field=f"data.mix.{source}",
            )


def held_out(run: Run, name: str, most_questions: int | None = None) -> list[Asked]:
    """A held-out file's questions, short states first; what is drawn from it is always the same.

    Args:
        most_questions: of whole states that are drawn from it; None takes all.
    """
    layout, readout = next(iter(run.config.data.layouts)), run.asker.readout
    shelf = shelved(read_examples(run.path(name)), layout)
    if not shelf:
        raise InputFileError(f"{run.path(name)} holds no examples")
    if most_questions is not None:
        shelf = drawn(shelf, most_questions)
    bundles: Sequence[Bundle] = shelf
    if readout.most_options is not None:
        bundles = epoch(
            shelf,
            seed=0,
            number=0,
            bare_share=0.0,
            layouts={layout: 1.0},
            most_options=readout.most_options,
        )
    return sorted(map(run.asker.ask, bundles), key=lambda asked: asked.num_tokens)


def _measured_files(config: TrainConfig) -> dict[str, str]:
    return {"valid": config.data.valid, **config.data.watch}


def identity_of(config: TrainConfig, root: Path, weights: str) -> str:
    """sha256 over what makes two runs the same: settings, training and validation files, the base.

    How often a run validates and saves, its threads, and whether layers are recomputed do not
    count. Watched files count by their names only.

    Args:
        weights: digest of the base.
    """
    settings = asdict(replace(config, validate_every=1, checkpoint_minutes=0, threads=None))
    del settings["model"]["recompute"]
    hashed = hashlib.sha256(json.dumps([settings, weights], sort_keys=True).encode())
    paths = [root / name for name in (*config.data.train, config.data.valid)]
    if config.model.start is not None:
        paths += parts_of(root / config.model.start)
    for path in paths:
        try:
            hashed.update(file_digest(path).encode())
        except OSError as error:
            raise InputFileError(f"{path} cannot be read: {error}") from error
    return hashed.hexdigest()


class _Log:
    """The run's log, a JSON object a line; lines after the step resumed from are dropped."""

    def __init__(self, path: Path, step: int, report: Report) -> None:
        self.path, self.report = path, report
        if path.exists():
            lines = path.read_bytes().splitlines(keepends=True)
            whole = [line for line in lines if line.endswith(b"\n")]
            kept = [
                line for number, line in enumerate(whole, 1) if _step_of(line, path, number) <= step
            ]
            beside = path.with_name(path.name + ".part")
            beside.write_bytes(b"".join(kept))
            beside.replace(path)

    def add(self, line: Mapping[str, object]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(_rounded(line)) + "\n")
        self.report(line)


def _step_of(line: bytes, path: Path, number: int) -> int:
    try:
        step = json.loads(line)["step"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputFileError(f"{path}:{number} is no line of a log: {error}") from error
    if not isinstance(step, int):
        raise InputFileError(f"{path}:{number} is no line of a log: its step is {step!r}")
    return step


def _rounded(line: Mapping[str, object]) -> dict[str, object]:
    return {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in line.items()}
