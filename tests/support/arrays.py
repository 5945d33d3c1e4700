"""The tiny decoder's weights as arrays, and the runtime that computes them without torch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from support.tiny import tiny_config, tiny_weights

from steelyard.backbone.config import DecoderConfig
from steelyard.backbone.openvino.load import load_runtime
from steelyard.backbone.openvino.runtime import OpenVinoRuntime


class TinyArrays:
    """`tiny_weights` without torch."""

    def __init__(self, config: DecoderConfig, seed: int = 0) -> None:
        self.tensors = {name: x.numpy() for name, x in tiny_weights(config, seed)}
        self.read = 0

    def arrays(self, wanted: Any = lambda name: True) -> Iterator[tuple[str, np.ndarray]]:
        for name, array in self.tensors.items():
            if wanted(name):
                self.read += 1
                yield name, array


def tiny_openvino(
    config: DecoderConfig | None = None,
    *,
    seed: int = 0,
    dtype: str = "float32",
    folder: Path | None = None,
    **arguments: Any,
) -> OpenVinoRuntime:
    config = config or tiny_config()
    return load_runtime(
        config,
        TinyArrays(config, seed),
        digest=f"{seed:064x}",
        dtype=dtype,
        threads=1,
        folder=folder,
        **arguments,
    )
