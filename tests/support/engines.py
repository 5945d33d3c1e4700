"""Engines on tiny random networks."""

from __future__ import annotations

from typing import Any

import numpy as np
from support.tiny import tiny_config, tiny_runtime
from support.tokenizer import tiny_tokenizer

from steelyard.backbone.runtime import Runtime
from steelyard.backbone.store import PrefixStore
from steelyard.calibration.calibrator import Calibrator, Uncalibrated
from steelyard.engine.engine import Engine
from steelyard.engine.exits import FULL_DEPTH, ExitPolicy
from steelyard.engine.model import Fit, LoadedModel
from steelyard.prompt.chat import chat_frame
from steelyard.prompt.layout import SYSTEM
from steelyard.readout.pointer_head import PointerHead

STORE_BYTES = 2**24


def tiny_head(width: int, *, seed: int = 0, pointer_width: int = 16) -> PointerHead:
    """A random pointer head whose scores differ by about one."""
    random = np.random.default_rng(seed)
    shape = (pointer_width, width)
    query, key = random.normal(scale=width**-0.5, size=(2, *shape)).astype(np.float32)
    query_bias, key_bias = random.normal(size=(2, pointer_width)).astype(np.float32)
    return PointerHead(query, query_bias, key, key_bias)


def tiny_engine(
    *,
    runtime: Runtime | None = None,
    store_bytes: int = STORE_BYTES,
    exits: ExitPolicy = FULL_DEPTH,
    calibrator: Calibrator | None = None,
    readout: str = "letters",
    head: PointerHead | None = None,
    **config: Any,
) -> Engine:
    """An engine on seeded random weights; `config` changes the network's shape.

    Its pointer head is `tiny_head` unless another one is given; `exits` and `calibrator` are made
    for `readout` in the default layout.
    """
    tokenizer = tiny_tokenizer()
    shape = tiny_config(**config)
    model = LoadedModel(
        name="tiny",
        runtime=runtime or tiny_runtime(shape),
        tokenizer=tokenizer,
        chat=chat_frame(tokenizer.chat_template, SYSTEM),
        readout=readout,
        layout="isolated-v1",
        warnings=("a test",),
        head=head or tiny_head(shape.width),
        fit=Fit(
            readout=readout,
            layout="isolated-v1",
            calibrator=calibrator or Uncalibrated(),
            exits=exits,
        ),
    )
    return Engine(model, PrefixStore(store_bytes))
