"""Engines on tiny random networks."""

from __future__ import annotations

from typing import Any

from support.tiny import tiny_config, tiny_runtime
from support.tokenizer import tiny_tokenizer

from steelyard.backbone.runtime import Runtime
from steelyard.backbone.store import PrefixStore
from steelyard.calibration.calibrator import Uncalibrated
from steelyard.engine.engine import Engine
from steelyard.engine.exits import FULL_DEPTH, ExitPolicy
from steelyard.engine.model import LoadedModel
from steelyard.prompt.chat import chat_frame
from steelyard.prompt.layout import SYSTEM

STORE_BYTES = 2**24


def tiny_engine(
    *,
    runtime: Runtime | None = None,
    store_bytes: int = STORE_BYTES,
    exits: ExitPolicy = FULL_DEPTH,
    readout: str = "letters",
    **config: Any,
) -> Engine:
    """An engine on seeded random weights; `config` changes the network's shape."""
    tokenizer = tiny_tokenizer()
    model = LoadedModel(
        name="tiny",
        runtime=runtime or tiny_runtime(tiny_config(**config)),
        tokenizer=tokenizer,
        chat=chat_frame(tokenizer.chat_template, SYSTEM),
        calibrator=Uncalibrated(),
        readout=readout,
        layout="isolated-v1",
        warnings=("a test",),
    )
    return Engine(model, PrefixStore(store_bytes), exits)
