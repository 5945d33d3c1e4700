"""From weights on disk to the runtime, by way of a folder in which the compiled model is kept."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Protocol

import numpy as np

from steelyard.backbone.bfloat16 import rounded
from steelyard.backbone.config import DecoderConfig
from steelyard.backbone.lens_map import LensMap
from steelyard.backbone.openvino.ends import Ends
from steelyard.backbone.openvino.kept import intact, keep_table
from steelyard.backbone.openvino.network import Network
from steelyard.backbone.openvino.processor import processor_digest
from steelyard.backbone.openvino.runtime import OpenVinoRuntime
from steelyard.backbone.shapes import decoder_shapes, end_shapes, layer_shapes, path_of
from steelyard.backbone.weights.wanted import Wanted, everything
from steelyard.errors import ModelFileError, UnsupportedModelError

logger = logging.getLogger(__name__)

GRAPH = 1
"""Counted up when the graph changes: what was compiled before is then not found any more."""


class Arrays(Protocol):
    """What `Weights` gives without torch."""

    def arrays(self, wanted: Wanted = everything) -> Iterator[tuple[str, np.ndarray]]: ...


def load_runtime(
    config: DecoderConfig,
    weights: Arrays,
    *,
    digest: str,
    dtype: str = "float32",
    threads: int | None = None,
    lenses: Mapping[int, LensMap] | None = None,
    stops: Sequence[int] = (),
    folder: Path | None = None,
) -> OpenVinoRuntime:
    """A runtime whose weights are read only where no compiled model is kept.

    Args:
        digest: of the weights, for the runtime.
        stops: layers at which `advance` will stop, beside the last one and those with lenses.
        folder: for the compiled model of exactly these weights, see `compiled_name`; None keeps
            nothing.
    Raises:
        UnsupportedModelError: recurrent layers, which have no graph.
        CapabilityError: this CPU does not compute in `dtype`.
        ModelFileError: a tensor is missing, unknown, or of the wrong shape.
    """
    if config.recurrent is not None:
        raise UnsupportedModelError(
            "the openvino runtime has no recurrent layers; such a model runs on torch"
        )
    folder = None if folder is None else _made(folder)
    network = Network(
        config,
        lambda layers: _read(weights, config, _shapes_of(config, layers)),
        dtype=dtype,
        threads=threads,
        stops=sorted({*stops, *(lenses or {})}),
        folder=folder,
    )
    ends = _ends(weights, config, dtype, folder)
    return OpenVinoRuntime(network, ends, dtype=dtype, digest=digest, lenses=lenses)


def compiled_name(digest: str, dtype: str) -> str:
    """What tells compiled models apart: weights, precision, CPU, OpenVINO's version, our graph's.

    Args:
        digest: over everything that the weights are made of, adapters included.
    """
    version = metadata.version("openvino")
    return f"{digest[:32]}-{dtype}-cpu-{processor_digest()}-openvino-{version}-graph-{GRAPH}"


def _made(folder: Path) -> Path | None:
    """The folder, made if need be; None, with a warning in the log, where it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        logger.warning("event=nothing_kept folder=%s reason=%r", folder, str(error))
        return None
    return folder


def _shapes_of(config: DecoderConfig, layers: range) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {}
    for layer in layers:
        shapes |= layer_shapes(config, layer)
    return shapes


def _read(
    weights: Arrays, config: DecoderConfig, shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, np.ndarray]:
    """The tensors named in `shapes`; that no other one is unknown is checked as well."""
    known = decoder_shapes(config)

    def wanted(name: str) -> bool:
        path = path_of(name, config)
        if path is not None and path not in known:
            raise ModelFileError(f"not a tensor of this model: {name}")
        return path in shapes

    found: dict[str, np.ndarray] = {}
    for name, array in weights.arrays(wanted):
        path = path_of(name, config)
        assert path is not None, "a tensor that was not wanted"
        if array.shape != shapes[path]:
            raise ModelFileError(
                f"{name}: shape {array.shape}; the configuration says {shapes[path]}"
            )
        if path in found:
            raise ModelFileError(f"there twice: {name}")
        found[path] = array
    if missing := shapes.keys() - found.keys():
        raise ModelFileError(f"tensors missing from the weights: {', '.join(sorted(missing))}")
    return found


def _ends(weights: Arrays, config: DecoderConfig, dtype: str, folder: Path | None) -> Ends:
    tables = None if folder is None else _kept_tables(config, folder)
    if tables is None:
        tables = _tables(weights, config, dtype)
        if folder is not None and _keep_tables(tables, folder):
            tables = _mapped(tables, folder)  # so that those in memory are let go
    embedding = tables["embed_tokens.weight"]
    head = embedding if config.tied else tables["lm_head.weight"]
    return Ends(embedding, np.asarray(tables["norm.weight"]), head, config.norm_eps)


def _kept_tables(config: DecoderConfig, folder: Path) -> dict[str, np.ndarray] | None:
    names = list(end_shapes(config))
    if not all(intact(_table_path(folder, name)) for name in names):
        return None
    return _mapped(names, folder)


def _keep_tables(tables: Mapping[str, np.ndarray], folder: Path) -> bool:
    return all(keep_table(_table_path(folder, name), table) for name, table in tables.items())


def _mapped(names: Iterable[str], folder: Path) -> dict[str, np.ndarray]:
    return {name: np.load(_table_path(folder, name), mmap_mode="r") for name in names}


def _table_path(folder: Path, name: str) -> Path:
    return folder / f"{name}.npy"


def _tables(weights: Arrays, config: DecoderConfig, dtype: str) -> dict[str, np.ndarray]:
    found = _read(weights, config, end_shapes(config))
    if dtype == "bfloat16":
        return {name: x if x.ndim == 1 else rounded(x) for name, x in found.items()}
    return found
