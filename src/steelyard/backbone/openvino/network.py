"""The layers of a decoder as compiled graphs: cut where somebody stops, kept on disk."""

from __future__ import annotations

import logging
import mmap
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov

from steelyard.backbone.config import DecoderConfig
from steelyard.backbone.openvino import graph
from steelyard.backbone.openvino.kept import END_BYTES, intact, keep
from steelyard.backbone.openvino.state import KeysValues
from steelyard.errors import CapabilityError

logger = logging.getLogger(__name__)

ROWS_STEP = 16
"""Chunks are filled up to a multiple of this: a new number of rows costs preparations, and the
matrix units compute sixteen rows at once anyway."""

HINTS = {"float32": "f32", "bfloat16": "bf16"}

Read = Callable[[range], Mapping[str, np.ndarray]]
"""The tensors of some layers, by their Hugging Face names without the leading `model.`."""


class Network:
    """Layers that can be walked from any layer to any other.

    Between two layers at which somebody has stopped lies one graph. To stop within a graph
    divides it, which takes seconds, once; name the stops that will be used when it is made.

    Args:
        read: reads weights, again when a graph is divided.
        dtype: a key of HINTS.
        threads: CPU threads; None leaves OpenVINO's default.
        stops: layers to stop at, beside the last one.
        folder: where compiled graphs are kept for the next start; None keeps nothing. What is
            damaged there, or does not fit, is compiled anew; what cannot be written is not kept.
            The log says so.
    Raises:
        CapabilityError: this CPU does not compute in `dtype`.
    """

    def __init__(
        self,
        config: DecoderConfig,
        read: Read,
        *,
        dtype: str,
        threads: int | None = None,
        stops: Sequence[int] = (),
        folder: Path | None = None,
    ) -> None:
        self.config, self.read, self.folder = config, read, folder
        self.core = ov.Core()
        if dtype == "bfloat16" and "BF16" not in self.core.get_property(
            "CPU", "OPTIMIZATION_CAPABILITIES"
        ):
            raise CapabilityError(
                "'bfloat16'; this CPU has no instructions for it; allowed: float32", field="dtype"
            )
        self.properties: dict[str, Any] = {
            "INFERENCE_PRECISION_HINT": HINTS[dtype],
            "PERFORMANCE_HINT": "LATENCY",
            "NUM_STREAMS": 1,
            "ENABLE_CPU_PINNING": False,
        }
        if threads is not None:
            self.properties["INFERENCE_NUM_THREADS"] = threads
        self.stretches: list[Stretch] = []
        self._divide({0, *stops, config.layers})

    def between(self, from_layer: int, to_layer: int) -> list[Stretch]:
        """The graphs that lead from one layer to another."""
        here = {stretch.layers.start for stretch in self.stretches}
        if not {from_layer, to_layer} <= {*here, self.config.layers}:
            logger.info("event=divided from_layer=%d to_layer=%d", from_layer, to_layer)
            self._divide({*here, from_layer, to_layer, self.config.layers})
        return [s for s in self.stretches if from_layer <= s.layers.start < to_layer]

    def _divide(self, stops: set[int]) -> None:
        cuts = sorted(stops)
        old = {stretch.layers: stretch for stretch in self.stretches}
        self.stretches = [
            old.get(range(begin, end)) or self._stretch(range(begin, end))
            for begin, end in pairwise(cuts)
        ]

    def _stretch(self, layers: range) -> Stretch:
        path = None
        if self.folder is not None:
            path = self.folder / f"layers-{layers.start}-{layers.stop}.blob"
            if kept := self._kept(layers, path):
                return kept
        tensors = self.read(layers)
        model = graph.build(self.config, tensors.__getitem__, layers)
        compiled = self.core.compile_model(model, "CPU", self.properties)
        if path is not None:
            keep(path, compiled.export_model().getbuffer())
        return Stretch(self.config, layers, compiled)

    def _kept(self, layers: range, path: Path) -> Stretch | None:
        """The graph in a file; None where there is none that is intact and fits."""
        if not intact(path):
            return None
        try:
            with path.open("rb") as file:
                blob = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
            own = np.frombuffer(blob, dtype=np.uint8)[:-END_BYTES]
            mapped = ov.Tensor(own, shared_memory=True)
            compiled = self.core.import_model(mapped, "CPU", self.properties)
        except (OSError, ValueError, RuntimeError) as error:
            logger.warning("event=kept_refused path=%s reason=%r", path, str(error))
            return None
        return Stretch(self.config, layers, compiled, blob)


class Stretch:
    """Some layers, compiled.

    Args:
        blob: the mapped file that the compiled model refers to, which is kept as long. The first
            run packs the weights anew; the file's own pages then leave the memory.
    """

    def __init__(
        self,
        config: DecoderConfig,
        layers: range,
        compiled: ov.CompiledModel,
        blob: mmap.mmap | None = None,
    ) -> None:
        self.layers, self.blob = layers, blob
        self.packed = False
        self.ends = layers.stop == config.layers
        self.request = compiled.create_infer_request()
        self.outputs = range(len(compiled.outputs))

    def run(
        self,
        hidden: np.ndarray,
        table: tuple[np.ndarray, np.ndarray],
        mask: np.ndarray,
        past: Sequence[KeysValues],
        reads: np.ndarray,
    ) -> tuple[np.ndarray, list[KeysValues]]:
        """Hidden states after these layers, and layer by layer the rows' own keys and values.

        They are views of the graph's memory: valid until the next call.

        Args:
            reads: int64, at least one; the rows that the last layer of the decoder computes.
        """
        arrays = [hidden, *table, mask]
        if self.ends:
            arrays.append(reads)
        for pair in past:
            arrays += pair
        tensors = [ov.Tensor(array, shared_memory=True) for array in arrays]
        for index, tensor in enumerate(tensors):
            self.request.set_input_tensor(index, tensor)
        self.request.start_async()
        self.request.wait()
        if not self.packed and self.blob is not None and hasattr(mmap, "MADV_DONTNEED"):
            self.blob.madvise(mmap.MADV_DONTNEED)
        self.packed = True
        x, *own = (self.request.get_output_tensor(index).data for index in self.outputs)
        return x, list(zip(own[::2], own[1::2], strict=True))


def filled(array: np.ndarray, rows: int, value: float = 0.0) -> np.ndarray:
    """The array with so many more rows of `value`."""
    if rows == 0:
        return np.ascontiguousarray(array)
    return np.concatenate([array, np.full((rows, *array.shape[1:]), value, dtype=array.dtype)])
