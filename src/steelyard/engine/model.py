"""A loaded model: everything about it that answering needs."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.backbone.runtime import Runtime
from steelyard.calibration.calibrator import Calibrator
from steelyard.prompt.chat import ChatFrame
from steelyard.readout.pointer_head import PointerHead
from steelyard.tokens.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A runtime with its tokenizer, wording and defaults.

    Attributes:
        name: concrete name, returned with every answer.
        readout, layout: what is used when the caller does not choose.
        warnings: what every user of the model should be told.
        head: what the pointer readouts score with, or None.
    """

    name: str
    runtime: Runtime
    tokenizer: Tokenizer
    chat: ChatFrame
    calibrator: Calibrator
    readout: str
    layout: str
    warnings: tuple[str, ...]
    head: PointerHead | None = None
