"""Low-rank adapters in peft's files, merged into the base's tensors while these stream.

LoRA (Hu et al. 2021, 2106.09685): W + alpha / r * B A, for linear maps of the decoder's layers.
peft writes more kinds of adapters than this; what would change the sum is refused by name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from safetensors.numpy import save_file

from steelyard.backbone.config import DecoderConfig
from steelyard.backbone.weights.names import text_name
from steelyard.backbone.weights.safetensors_arrays import FLOATS, read_array, stored_tensors
from steelyard.backbone.weights.source import Weights
from steelyard.backbone.weights.wanted import Wanted, everything
from steelyard.errors import ModelFileError, UnsupportedModelError
from steelyard.models.directory import ADAPTER, ADAPTER_CONFIG
from steelyard.tokens.tokenizer import Tokenizer

if TYPE_CHECKING:
    import torch

TENSOR = re.compile(
    r"base_model\.model\.(model\.(?:language_model\.)?layers\.(\d+)\.(\S+))\.lora_([AB])\.weight"
)

MOST_ALPHA = 1e6
"""Far above what anybody trains with; beyond, products leave the numbers of float32."""

# Options of peft that change what is computed; each must be absent or say that it is off.
OFF: tuple[object, ...] = (None, False, "none", [], {})
REFUSED = (
    "alora_invocation_tokens", "alpha_pattern", "arrow_config", "bias", "fan_in_fan_out",
    "kasa_config", "layer_replication", "layers_to_transform", "lora_bias", "modules_to_save",
    "monteclora_config", "rank_pattern", "target_parameters", "trainable_token_indices",
    "use_bdlora", "use_dora", "use_qalora", "use_rslora",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Adapter:
    """Low-rank updates of linear maps.

    Attributes:
        alpha: the updates are scaled by alpha / r.
        pairs: name of the base's tensor, see `text_name` -> A (r, inputs) and B (outputs, r),
            float32, of one r.
    """

    alpha: float
    pairs: Mapping[str, tuple[np.ndarray, np.ndarray]]

    @property
    def rank(self) -> int:
        """r; an adapter updates at least one tensor."""
        return len(next(iter(self.pairs.values()))[0])

    def merged(self, name: str, weight: np.ndarray) -> np.ndarray:
        """The base's float32 tensor with its update; as it is where there is none.

        Raises:
            ModelFileError: the update is of another shape, or leaves the numbers of float32.
        """
        pair = self.pairs.get(text_name(name))
        if pair is None:
            return weight
        a, b = pair
        if (len(b), a.shape[1]) != tuple(weight.shape):
            raise ModelFileError(
                f"the adapter's {name} is {(len(b), a.shape[1])} and the base's "
                f"{tuple(weight.shape)}: it belongs to another model"
            )
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused below
            whole: np.ndarray = weight + np.float32(self.alpha / self.rank) * (b @ a)
        if not bool(np.isfinite(whole).all()):
            raise ModelFileError(f"the adapter's {name} makes weights that are not finite")
        return whole


@dataclass(frozen=True, slots=True)
class AdaptedWeights:
    """`Weights` of a base with an adapter merged in; its digest is the base's."""

    base: Weights
    adapter: Adapter

    kind = "adapted"

    @property
    def path(self) -> Path:
        return self.base.path

    @property
    def config(self) -> Mapping[str, object]:
        return self.base.config

    @property
    def digest(self) -> str:
        return self.base.digest

    @property
    def files(self) -> Mapping[str, Sequence[str]]:
        return self.base.files

    def tensors(self, dtype: torch.dtype | None = None) -> Iterator[tuple[str, torch.Tensor]]:
        """The base's tensors, those with an update summed in float32 and cast then.

        Raises:
            ModelFileError: the adapter is of another shape, or updates what the base has not.
        """
        import torch

        left = set(self.adapter.pairs)
        for name, stored in self.base.tensors():
            whole = stored
            if text_name(name) in left:
                whole = torch.from_numpy(self.adapter.merged(name, stored.float().numpy()))
            yield name, whole.to(dtype or stored.dtype)
            left.discard(text_name(name))
        self._check_all_used(left)

    def arrays(self, wanted: Wanted = everything) -> Iterator[tuple[str, np.ndarray]]:
        """The same as float32 arrays, of those names only that are wanted.

        Raises:
            ModelFileError: as `tensors`.
        """
        left = {name for name in self.adapter.pairs if wanted(name)}
        for name, stored in self.base.arrays(wanted):
            yield name, self.adapter.merged(name, stored)
            left.discard(text_name(name))
        self._check_all_used(left)

    def _check_all_used(self, left: set[str]) -> None:
        if left:
            raise ModelFileError(
                f"the adapter updates {min(left)}, which the base {self.base.path} has not: "
                "it belongs to another model"
            )

    def tokenizer(self) -> Tokenizer:
        return self.base.tokenizer()


def write_adapter(adapter: Adapter, folder: Path, *, base: str) -> None:
    """Write peft's two files.

    Args:
        base: what peft calls the base, `base_model_name_or_path`; for people, we do not read it.
    """
    tensors: dict[str, np.ndarray] = {}
    for name, (a, b) in adapter.pairs.items():
        module = f"base_model.model.{name.removesuffix('.weight')}"
        tensors[f"{module}.lora_A.weight"] = np.ascontiguousarray(a)
        tensors[f"{module}.lora_B.weight"] = np.ascontiguousarray(b)
    save_file(tensors, folder / ADAPTER, metadata={"format": "pt"})
    config = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": base,
        "r": adapter.rank,
        "lora_alpha": adapter.alpha,
        "lora_dropout": 0.0,
        "target_modules": sorted({name.split(".")[-2] for name in adapter.pairs}),
        "bias": "none",
        "fan_in_fan_out": False,
        "inference_mode": True,
    }
    (folder / ADAPTER_CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def read_adapter(folder: Path, config: DecoderConfig) -> Adapter:
    """Read peft's two files for a decoder of this shape.

    Raises:
        ModelFileError: a file is missing, cut short or corrupt; a layer that has the linear map or
            half of a pair is missing; the tensors contradict the configuration.
        UnsupportedModelError: an adapter of another kind.
    """
    path = folder / ADAPTER
    rank, alpha, modules = _configuration(folder / ADAPTER_CONFIG)
    halves: dict[str, dict[str, np.ndarray]] = {}
    found: dict[str, set[int]] = {}
    for key, stored in stored_tensors(path).items():
        match = TENSOR.fullmatch(key)
        if match is None:
            raise UnsupportedModelError(
                f"{path}: {key!r} is no low-rank half of a linear map in a layer of the decoder"
            )
        name, layer, module, half = match.groups()
        size = stored.shape["AB".index(half)] if len(stored.shape) == 2 else 0
        fits = size == rank and stored.dtype in FLOATS  # float8 only stores
        tensor = read_array(path, stored) if fits else None
        if tensor is None or not bool(np.isfinite(tensor).all()):
            raise ModelFileError(
                f"{path}: {key} is {stored.shape}, or not finite; needed: a matrix of rank {rank}"
            )
        halves.setdefault(text_name(f"{name}.weight"), {})[half] = tensor
        found.setdefault(module, set()).add(int(layer))
    for name, pair in halves.items():
        if len(pair) < 2:
            raise ModelFileError(f"{path}: {name} has only its {''.join(pair)}")
    if missing := modules - {module.rpartition(".")[2] for module in found}:
        raise ModelFileError(
            f"{path}: no update of {min(missing)}, which {ADAPTER_CONFIG} promises"
        )
    for module, at in found.items():
        if at != (there := _layers_with(module, config)):
            raise ModelFileError(
                f"{path}: {module} is updated in {len(at)} layers, {min(at)} to {max(at)}; "
                f"the base has {_counted(there)}"
            )
    return Adapter(alpha, {name: (pair["A"], pair["B"]) for name, pair in halves.items()})


def _layers_with(module: str, config: DecoderConfig) -> set[int]:
    """The layers that can have the linear map `module`: a layer attends or is recurrent."""
    kind, layers = module.partition(".")[0], range(config.layers)
    wanted = {"self_attn": False, "linear_attn": True}.get(kind)
    return {layer for layer in layers if wanted in (None, config.is_recurrent(layer))}


def _counted(layers: set[int]) -> str:
    return f"{len(layers)}, {min(layers)} to {max(layers)}" if layers else "none with such a map"


def _configuration(path: Path) -> tuple[int, float, set[str]]:
    """Rank, alpha and the names of the updated modules."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ModelFileError(f"{path}: no such file") from error
    except (OSError, ValueError, RecursionError) as error:
        raise ModelFileError(f"{path}: cannot be read as JSON: {error}") from error
    if not isinstance(value, dict) or value.get("peft_type") != "LORA":
        raise UnsupportedModelError(f"{path}: allowed: an object whose peft_type is LORA")
    for key in REFUSED:
        if value.get(key) not in OFF:
            raise UnsupportedModelError(
                f"got {value[key]!r}; allowed: none", field=f"{path}: {key}"
            )
    rank, alpha, modules = value.get("r"), value.get("lora_alpha"), value.get("target_modules")
    if type(rank) is not int or rank < 1:
        raise ModelFileError(f"got {rank!r}; allowed: an integer above 0", field=f"{path}: r")
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 < alpha < MOST_ALPHA:
        raise ModelFileError(
            f"got {alpha!r:.80}; allowed: above 0, below {MOST_ALPHA:g}",
            field=f"{path}: lora_alpha",
        )
    if not isinstance(modules, list) or not modules or not all(type(m) is str for m in modules):
        raise ModelFileError(
            f"got {modules!r}; allowed: an array of names", field=f"{path}: target_modules"
        )
    return rank, float(alpha), set(modules)
