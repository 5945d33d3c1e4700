"""What a training run is told, read from TOML.

Every table of the file is one of these values; a key that is not a field is an error, and so is a
value of another type.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from steelyard.errors import InputFileError, RequestError

T = TypeVar("T")

MOST_THREADS = 4096
RESERVED = ("valid", "step", "best_step", "seconds")
"""What the lines of a run's log hold beside the files that are watched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """What is trained."""

    base: str
    """A model's name, folder or GGUF file, as `steelyard.load` takes it; of a named model the
    weights alone."""
    start: str | None = None
    """Folder of a trained model on the same base, whose adapter, head and exits are trained
    further. A relative path begins at the folder of the configuration."""
    method: Literal["lora", "full"] = "lora"
    """Low-rank terms on all linear maps of the layers, or all weights of these maps; embeddings and
    norms stay as they are."""
    rank: int = 16
    """Of the low-rank terms."""
    alpha: float = 32.0
    """The low-rank term is multiplied by alpha / rank."""
    readout: Literal["pointer", "pointer-set", "letters", "continuation"] = "pointer-set"
    dtype: Literal["float32", "bfloat16"] = "bfloat16"
    """Of the matrix products; what is trained is always float32."""
    device: str = "cpu"
    compile: bool = False
    """Compile the layers with torch.compile: needs a C++ compiler and a minute or two at the start,
    and steps on a CPU are faster afterwards."""
    recompute: bool = False
    """Keep between forward and backward pass only what enters each layer, and compute the rest
    again: much less memory for a token, for one more forward pass."""
    exits: tuple[int, ...] = ()
    """Layers after which an exit is trained."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataConfig:
    """What it is trained on."""

    train: tuple[str, ...]
    """Example files; epoch e reads file e modulo their number, so that files of several builds
    word every row anew. Relative paths begin at the folder of the configuration."""
    valid: str
    """Example file whose loss chooses the weights; temperatures and exit rule are fitted on it."""
    watch: Mapping[str, str] = field(default_factory=dict)
    """Further example files, by name: measured, never used to choose."""
    mix: Mapping[str, float] = field(default_factory=dict)
    """Source -> share of its states that an epoch takes, drawn anew in each; 1 where none is
    given."""
    measured_questions: int = 1000
    """Most questions of `valid` and of each file in `watch` that are measured while training; a
    fixed draw of whole states."""
    layouts: Mapping[str, float] = field(default_factory=lambda: {"isolated-v1": 1.0})
    """Layout -> share of the states that are asked in it. Validation uses the first."""
    bare_share: float = 0.1
    """Share of the choices that are shown without their descriptions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimConfig:
    """How it is trained."""

    steps: int
    """Optimiser steps of the whole run."""
    step_tokens: int = 8192
    """Least tokens of a step; whole states are added until it is reached."""
    batch_tokens: int = 4096
    """Most tokens of one forward and backward pass, unless one state needs more by itself."""
    lr: float = 1e-3
    """Full rate of the adapters, or of the weights."""
    head_lr: float = 1e-3
    """Of a pointer head; the other readouts train nothing of their own."""
    exit_lr: float = 1e-3
    warmup_steps: int = 30
    """The rates rise linearly over these, then fall along a cosine to 0."""
    weight_decay: float = 0.0
    clip: float = 1.0
    """Largest norm of the gradient; exits are clipped apart."""
    brier: float = 0.5
    """Weight of the Brier score beside the cross entropy."""
    rps: float = 1.0
    """Weight of the ranked probability score, for scores only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """A training run."""

    model: ModelConfig
    data: DataConfig
    optim: OptimConfig
    seed: int = 0
    validate_every: int = 100
    """Steps; step 0 and the last are validated too."""
    checkpoint_minutes: float = 3.0
    threads: int | None = None
    """CPU threads; None leaves torch's own choice."""


def read_config(path: Path) -> TrainConfig:
    """Read a training configuration.

    Raises:
        InputFileError: the file cannot be read or is not TOML.
        RequestError: an unknown or missing key, or a value that is not allowed.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputFileError(f"{path} cannot be read as TOML: {error}") from error
    config = _table(table, TrainConfig, "")
    _check(config)
    return config


def _value(value: object, kind: Any, where: str) -> Any:
    """`value` as the type `kind`, or an error that names where it stands."""
    if is_dataclass(kind) and isinstance(kind, type):
        return _table(value, kind, where)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        if value not in inner:
            raise RequestError(f"{value!r}; allowed: {', '.join(map(str, inner))}", field=where)
        return value
    if origin is UnionType:
        return _value(value, inner[0], where)  # TOML has no null: who wants None leaves it out
    if origin is tuple and isinstance(value, list):
        return tuple(_value(one, inner[0], f"{where}.{i}") for i, one in enumerate(value))
    if origin is Mapping and isinstance(value, dict):
        return {key: _value(one, inner[1], f"{where}.{key}") for key, one in value.items()}
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError as error:
            raise RequestError("an integer beyond every float", field=where) from error
    if origin is None and type(value) is kind:
        return value
    shown = getattr(origin or kind, "__name__", kind)
    raise RequestError(f"{value!r}; allowed: a value of type {shown.lower()}", field=where)


def _table(value: object, kind: type[T], where: str) -> T:
    prefix = f"{where}." if where else ""
    if not isinstance(value, dict):
        raise RequestError(f"{value!r}; allowed: a table", field=where)
    types = get_type_hints(kind)
    names = [one.name for one in fields(kind)]  # type: ignore[arg-type]
    for key in value:
        if key not in names:
            raise RequestError(f"unknown key; allowed: {', '.join(names)}", field=prefix + key)
    given = {key: _value(one, types[key], prefix + key) for key, one in value.items()}
    try:
        return kind(**given)
    except TypeError as error:  # a key without a default is missing
        raise RequestError(str(error).partition("() ")[2], field=where or None) from error


def _check(config: TrainConfig) -> None:
    optim, model, data = config.optim, config.model, config.data
    at_least: dict[str, tuple[float, int]] = {
        "model.rank": (model.rank, 1),
        "optim.steps": (optim.steps, 1),
        "optim.step_tokens": (optim.step_tokens, 1),
        "optim.batch_tokens": (optim.batch_tokens, 1),
        "optim.warmup_steps": (optim.warmup_steps, 0),
        "validate_every": (config.validate_every, 1),
        "optim.weight_decay": (optim.weight_decay, 0),
        "optim.brier": (optim.brier, 0),
        "optim.rps": (optim.rps, 0),
        "checkpoint_minutes": (config.checkpoint_minutes, 0),
        "data.measured_questions": (data.measured_questions, 1),
        "data.train": (len(data.train), 1),
        "data.layouts": (len(data.layouts), 1),
    }
    if config.threads is not None and not 1 <= config.threads <= MOST_THREADS:
        raise RequestError(f"{config.threads}; allowed: 1 to {MOST_THREADS}", field="threads")
    if not 0 <= config.seed < 2**63:
        raise RequestError(f"{config.seed}; allowed: 0 to 2^63 - 1", field="seed")
    for name in data.watch:
        if name in RESERVED:
            raise RequestError(
                f"the log has this name for something else: {', '.join(RESERVED)}",
                field=f"data.watch.{name}",
            )
    for name, (value, least) in at_least.items():
        if not least <= value < math.inf:
            raise RequestError(f"{value!r}; allowed: {least} or more", field=name)
    shares = {f"data.mix.{name}": share for name, share in data.mix.items()}
    for name, share in {"data.bare_share": data.bare_share, **shares}.items():
        if not 0 <= share <= 1:
            raise RequestError(f"{share!r}; allowed: 0 to 1", field=name)
    above_zero = {
        "model.alpha": model.alpha,
        "optim.lr": optim.lr,
        "optim.head_lr": optim.head_lr,
        "optim.exit_lr": optim.exit_lr,
        "optim.clip": optim.clip,
        **{f"data.layouts.{name}": share for name, share in data.layouts.items()},
    }
    for name, value in above_zero.items():
        if not 0 < value < math.inf:
            raise RequestError(f"{value!r}; allowed: above 0", field=name)
