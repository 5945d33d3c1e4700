"""Any causal language model of a Hugging Face folder, through transformers, at full depth."""

from __future__ import annotations

import copy
import inspect
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from steelyard.backbone import full_depth
from steelyard.backbone.full_depth import FullDepthState, Step, values
from steelyard.backbone.runtime import Context, State
from steelyard.backbone.weights.safetensors_folder import open_folder
from steelyard.errors import MissingExtraError, ModelFileError, UnsupportedModelError
from steelyard.tokens.plan import Batch

# What the configurations of transformers call the longest position that a model was made for.
CONTEXT_KEYS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "max_sequence_length",
    "seq_length",
    "context_length",
)
PROBE_TOKENS = 12
# What building a network from an unfit configuration runs into, beside its own checks.
REFUSALS = (
    ArithmeticError,
    AttributeError,
    ImportError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
CACHE_NAMES = ("cache", "past_key_values", "cache_params", "state")


class TransformersRuntime:
    """A causal language model of transformers behind the `Runtime` protocol.

    A root is computed once; every branch continues a deep copy of the cache that its parent left,
    which is right for every kind of cache: keys and values, sliding windows, recurrent states.

    Args:
        model: a causal language model of transformers, on its device.
        context_tokens: the longest position that the model was made for.
        digest: sha256 over the weights, hexadecimal.
    Raises:
        UnsupportedModelError: the model is not causal, or a copy of its cache cannot be continued.
    """

    name = "transformers"
    capabilities: frozenset[str] = frozenset()

    def __init__(
        self, model: nn.Module, *, num_layers: int, context_tokens: int, digest: str
    ) -> None:
        weight = next(model.parameters())
        self.num_layers = num_layers
        self.context_tokens = context_tokens
        self.dtype = str(weight.dtype).removeprefix("torch.")
        self.digest = digest
        self._device = weight.device
        self._model = model.eval()
        self._keeps_logits = "logits_to_keep" in _arguments(model)
        self._cache_name = _cache_name(model)
        self._check_continuation()

    @classmethod
    def from_folder(
        cls,
        path: Path,
        *,
        device: torch.device | str = "cpu",
        dtype: str = "float32",
        threads: int | None = None,
    ) -> TransformersRuntime:
        """Load a folder with config.json and safetensors; code in the folder is never run.

        Args:
            dtype: "float32" or "bfloat16".
            threads: CPU threads of torch, in the whole process; None leaves its own default.
        Raises:
            MissingExtraError: transformers is not installed.
            ModelFileError: a file or tensor is missing, cut short or corrupt.
            UnsupportedModelError: no causal language model that transformers knows.
        """
        if threads is not None:
            torch.set_num_threads(threads)
        digest = open_folder(path).digest
        model = _load(path, getattr(torch, dtype))
        _widen_head(model)
        model.to(torch.device(device))
        config = model.config.get_text_config()
        return cls(
            model,
            num_layers=config.num_hidden_layers,
            context_tokens=_context_tokens(path, config),
            digest=digest,
        )

    def start(self, batch: Batch, contexts: Sequence[Context] = ()) -> FullDepthState:
        return full_depth.begin(self, batch, contexts)

    def advance(self, state: State, to_layer: int) -> FullDepthState:
        return full_depth.finish(self, state, to_layer, self._compute)

    def keep(self, state: State, segments: Sequence[int]) -> FullDepthState:
        return full_depth.narrow(state, segments)

    def measure(self, state: State) -> Sequence[np.ndarray]:
        return full_depth.measured(self, state)

    def captured(self, state: State) -> Mapping[int, Context]:
        return {}

    @torch.inference_mode()
    def _compute(self, batch: Batch) -> tuple[np.ndarray, ...]:
        caches: list[object] = []  # along the path to the current segment

        def compute(step: Step) -> np.ndarray:
            del caches[step.depth :]
            parent = caches[-1] if caches else None
            own = parent if step.last else copy.deepcopy(parent)
            logits, continued = self._forward(step.ids, own, step.offsets)
            caches.append(continued)
            return logits.cpu().numpy()

        return values(batch, compute)

    def _forward(
        self, ids: np.ndarray, cache: object, offsets: Sequence[int]
    ) -> tuple[Tensor, object]:
        """Continue `cache`, which may change, by `ids`.

        Returns:
            Logits at `offsets`, float32 (offsets, vocabulary), and the cache after the last id.
        """
        kept = torch.tensor(offsets, dtype=torch.long, device=self._device)
        options: dict[str, object] = {self._cache_name: cache, "use_cache": True}
        if self._keeps_logits:
            options["logits_to_keep"] = kept
        out = self._model(torch.from_numpy(ids)[None].to(self._device), **options)
        logits: Tensor = out.logits[0]
        if len(logits) != len(offsets):  # a model that computes the logits of every token
            logits = logits[kept]
        return logits.float(), getattr(out, self._cache_name)

    @torch.inference_mode()
    def _check_continuation(self) -> None:
        """Compare a short text computed at once with the same text computed as a branch."""
        ids = np.arange(PROBE_TOKENS, dtype=np.int64)
        root, branch = np.split(ids, [PROBE_TOKENS // 2])
        whole, _ = self._forward(ids, None, range(len(ids)))
        first, cache = self._forward(root, None, range(len(root)))
        self._forward(root, copy.deepcopy(cache), ())  # a sibling, which must leave no trace
        second, _ = self._forward(branch, cache, range(len(branch)))
        error = (torch.cat([first, second]) - whole).abs().max()
        # About the rounding of one layer's sums; what is wrong is wrong by far more.
        bound = whole.abs().max() * torch.finfo(getattr(torch, self.dtype)).eps ** 0.5
        if not error <= bound:  # also for NaN
            raise UnsupportedModelError(
                f"{type(self._model).__name__} computes a branch that continues its root otherwise "
                f"than the whole text: a logit differs by {error:.2g}"
            )


def _arguments(model: nn.Module) -> Sequence[str]:
    return tuple(inspect.signature(model.forward).parameters)


def _cache_name(model: nn.Module) -> str:
    for name in CACHE_NAMES:
        if name in _arguments(model):
            return name
    raise UnsupportedModelError(
        f"{type(model).__name__} takes no cache, so its branches cannot share a root"
    )


def _load(path: Path, dtype: torch.dtype) -> Any:
    """The model on the CPU, every parameter of it read from the folder."""
    try:
        from huggingface_hub.errors import StrictDataclassError
        from transformers import AutoModelForCausalLM
    except ModuleNotFoundError as error:
        raise MissingExtraError("transformers", "transformers") from error
    auto: Any = AutoModelForCausalLM  # whose own types say less than what it returns
    try:
        with _without_progress():
            model, info = auto.from_pretrained(
                path,
                dtype=dtype,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                ignore_mismatched_sizes=True,  # they are in `info`, and refused below
                output_loading_info=True,
            )
    except OSError as error:
        raise ModelFileError(f"{path}: {error}") from error
    except (*REFUSALS, StrictDataclassError) as error:
        reason = textwrap.shorten(str(error), 300, placeholder=" ...")
        raise UnsupportedModelError(f"{path}: {type(error).__name__}: {reason}") from error
    for kind in ("missing_keys", "mismatched_keys"):
        if info[kind]:  # transformers would have made them up
            raise ModelFileError(f"{path}: {kind.replace('_', ' ')}: {sorted(info[kind])[0]!r}")
    return model


@contextmanager
def _without_progress() -> Iterator[None]:
    """Keep transformers from drawing a bar on stderr, which is the caller's."""
    from transformers.utils import logging

    bars: Any = logging  # its functions have no types
    shown = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            bars.enable_progress_bar()


def _widen_head(model: Any) -> None:
    """Compute logits in float32: in bfloat16 those of two labels are often exactly equal."""
    head = model.get_output_embeddings()
    if isinstance(head, nn.Linear) and head.weight.dtype != torch.float32:
        wide = copy.deepcopy(head).float()
        wide.register_forward_pre_hook(lambda _, inputs: (inputs[0].float(),))
        model.set_output_embeddings(wide)


def _context_tokens(path: Path, config: object) -> int:
    for key in CONTEXT_KEYS:
        value = getattr(config, key, None)
        if isinstance(value, int) and value > 0:
            return value
    raise UnsupportedModelError(
        f"{path}: config.json does not say how long a text may be; one of "
        f"{', '.join(CONTEXT_KEYS)} must"
    )
