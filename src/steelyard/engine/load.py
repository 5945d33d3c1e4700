"""`steelyard.load`: from a model's name or path to an engine."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.backbone.config import FAMILIES, HYBRID, from_hf
from steelyard.backbone.installed import is_installed, need
from steelyard.backbone.runtime import Runtime
from steelyard.backbone.store import PrefixStore
from steelyard.calibration.stored import read_calibration
from steelyard.engine.engine import Engine
from steelyard.engine.model import LoadedModel
from steelyard.engine.options import ReadOptions
from steelyard.engine.trained import (
    brought_fit,
    check_wording,
    fit,
    lenses,
    pointer_head,
    trained_weights,
)
from steelyard.errors import RequestError, UnsupportedModelError
from steelyard.models.directory import parts_of, whole_digest
from steelyard.models.home import compiled_folder
from steelyard.models.locate import locate
from steelyard.prompt.layout import SYSTEM
from steelyard.readout.registry import readout as readout_of

if TYPE_CHECKING:
    import torch

    from steelyard.backbone.lens_map import LensMap
    from steelyard.backbone.weights.source import Weights

logger = logging.getLogger(__name__)

RUNTIMES = ("auto", "torch", "openvino", "transformers", "llamacpp")
DTYPES = ("float32", "bfloat16")
DEFAULT_READOUT = "letters"
DEFAULT_LAYOUT = "isolated-v1"
DEFAULT_STORE_BYTES = 256 * 2**20


def load(
    model: str | Path = "mini",
    *,
    runtime: str = "auto",
    device: str = "cpu",
    dtype: str = "float32",
    threads: int | None = None,
    readout: str | None = None,
    layout: str | None = None,
    depth: str | int = "full",
    store_bytes: int = DEFAULT_STORE_BYTES,
    calibrated: bool = True,
    calibration: str | Path | None = None,
) -> Engine:
    """Load a model that is on this machine; nothing is fetched.

    Args:
        model: a name that `steelyard models` lists, a Hugging Face id that was pulled, a model
            folder, or a GGUF file.
        runtime: "torch" (our own forward: llama, qwen2, qwen3, qwen3_5; shared prefixes and exits),
            "openvino" (the same on a CPU and without torch, but for qwen3_5; what it has compiled
            is kept for the next start), "transformers" (any causal language model in a folder) or
            "llamacpp" (any GGUF), both at full depth. "auto" takes torch where it is installed and
            knows the architecture, openvino where it is installed in torch's place, else the one
            that reads the format; the answer's audit names the runtime.
        device: "cpu"; or "cuda" or "cuda:N" for the torch and transformers runtimes.
        dtype: "float32", or "bfloat16": faster on some machines, and less exact.
        threads: CPU threads of the runtime; None leaves its own default.
        readout, layout: defaults of the engine's calls, in place of the model's own.
        depth: default of the engine's calls; see `How`.
        store_bytes: most bytes of prefixes kept from one call to the next; 0 keeps none.
        calibrated: False leaves out what was fitted on the model's answers, its temperatures and
            its exits: probabilities are the softmax of the scores, as training sees them.
        calibration: what `steelyard calibrate` wrote, in place of the model's own. Questions that
            it was not fitted for stay uncalibrated, and their answers say so.
    Raises:
        UnknownModelError: no such model here; the message says how to get it.
        ModelFileError: a file is missing, cut short or corrupt.
        UnsupportedModelError: the architecture or tokenizer cannot be run.
        MissingExtraError: the runtime's package is not installed.
        InputFileError: the calibration cannot be read.
        CapabilityError: it was fitted on another model, layout or readout; or the model has no such
            readout or depth.
        RequestError: an argument that is not allowed.
    """
    _check_among(runtime, RUNTIMES, "runtime")
    _check_among(dtype, DTYPES, "dtype")
    if threads is not None:
        _check_count(threads, 1, "threads")
    _check_count(store_bytes, 0, "store_bytes")
    if calibration is not None and not calibrated:
        raise RequestError("given, and calibrated is False", field="calibration")
    brought = None if calibration is None else read_calibration(Path(calibration))
    located = locate(model)
    defaults = ReadOptions(
        layout=layout or located.manifest.layout or DEFAULT_LAYOUT,
        readout=readout or located.manifest.readout or DEFAULT_READOUT,
        depth=depth,
    )
    begin = time.perf_counter()
    weights = trained_weights(located)
    tokenizer = weights.tokenizer()
    chat = tokenizer.chat_frame(SYSTEM)
    check_wording(located, chat)
    head = pointer_head(located, weights)
    readout_of(defaults.readout, head)  # a default that cannot be read is an error now
    chosen = _auto(weights) if runtime == "auto" else runtime
    parts = parts_of(located.folder)
    if chosen == "torch":
        computing = _torch(weights, lenses(located, weights), device, dtype, threads)
    elif chosen == "openvino":
        whole = whole_digest(weights.digest, parts)
        computing = _openvino(weights, lenses(located, weights), device, dtype, threads, whole)
    else:
        computing = _other(chosen, weights, tokenizer.vocab_size, device, dtype, threads)
    computing.digest = whole_digest(computing.digest, parts)
    loaded = LoadedModel(
        name=located.name,
        runtime=computing,
        tokenizer=tokenizer,
        chat=chat,
        readout=defaults.readout,
        layout=defaults.layout,
        depth=defaults.depth,
        warnings=located.manifest.warnings,
        head=head,
        fit=fit(located, computing.num_layers) if calibrated else None,
    )
    if brought is not None:
        loaded = replace(loaded, fit=brought_fit(brought, loaded))
    loaded.exits(defaults)  # a default depth that the model does not have is an error now
    logger.info(
        "event=loaded model=%s runtime=%s dtype=%s seconds=%.1f",
        loaded.name,
        chosen,
        computing.dtype,
        time.perf_counter() - begin,
    )
    return Engine(loaded, PrefixStore(budget_bytes=store_bytes))


def _check_among(value: str, allowed: tuple[str, ...], field: str) -> None:
    if value not in allowed:
        raise RequestError(f"{value!r}; allowed: {', '.join(allowed)}", field=field)


def _check_count(value: object, least: int, field: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise RequestError(f"{value!r}; allowed: an integer, {least} or more", field=field)


def _auto(weights: Weights) -> str:
    family = weights.config.get("model_type")
    if family not in FAMILIES:
        return "llamacpp" if weights.kind == "gguf" else "transformers"
    if is_installed("torch") or family in HYBRID:
        return "torch"
    return "openvino"


def _other(
    name: str, weights: Weights, vocab_size: int, device: str, dtype: str, threads: int | None
) -> Runtime:
    """A runtime of another library, imported here, when it is chosen."""
    if weights.kind == "adapted":
        raise UnsupportedModelError(
            f"the {name} runtime reads weights as they are on disk; a base with an adapter runs on "
            "torch or openvino"
        )
    if name == "transformers":
        if weights.kind != "safetensors":
            raise UnsupportedModelError(
                f"{weights.path}: the transformers runtime reads model folders; "
                "a GGUF file runs on torch or llamacpp"
            )
        from steelyard.backbone.device import device_of
        from steelyard.backbone.transformers_runtime import TransformersRuntime

        return TransformersRuntime.from_folder(
            weights.path, device=device_of(device), dtype=dtype, threads=threads
        )
    if weights.kind != "gguf":
        raise UnsupportedModelError(
            f"{weights.path}: the llamacpp runtime reads GGUF files; "
            "a model folder runs on torch or transformers"
        )
    if device != "cpu":
        raise RequestError(f"{device!r}; the llamacpp runtime allows: cpu", field="device")
    from steelyard.backbone.llamacpp_runtime import LlamaCppRuntime

    return LlamaCppRuntime.from_file(weights.path, vocab_size=vocab_size, threads=threads)


def _torch(
    weights: Weights,
    through: Mapping[int, LensMap],
    device: str,
    dtype: str,
    threads: int | None,
) -> Runtime:
    need("torch")
    import torch

    from steelyard.backbone.decoder import Decoder
    from steelyard.backbone.device import device_of
    from steelyard.backbone.lens import Lens
    from steelyard.backbone.torch_runtime import TorchRuntime

    if threads is not None:
        torch.set_num_threads(threads)
    type_: torch.dtype = getattr(torch, dtype)
    # As stored, where it is stored as plain numbers: what stays float32 shall not pass by bfloat16.
    tensors = weights.tensors(None if weights.kind == "safetensors" else type_)
    decoder = Decoder.from_weights(
        from_hf(weights.config), tensors, dtype=type_, device=device_of(device)
    )
    if decoder.device.type == "cpu":
        decoder.pack()
    exits = {layer: Lens.of(arrays) for layer, arrays in through.items()}
    return TorchRuntime(decoder, digest=weights.digest, lenses=exits)


def _openvino(
    weights: Weights,
    through: Mapping[int, LensMap],
    device: str,
    dtype: str,
    threads: int | None,
    whole: str,
) -> Runtime:
    if device != "cpu":
        raise RequestError(f"{device!r}; the openvino runtime allows: cpu", field="device")
    need("openvino")
    from steelyard.backbone.openvino.load import compiled_name, load_runtime

    return load_runtime(
        from_hf(weights.config),
        weights,
        digest=weights.digest,
        dtype=dtype,
        threads=threads,
        lenses=through,
        folder=compiled_folder(compiled_name(whole, dtype)),
    )
