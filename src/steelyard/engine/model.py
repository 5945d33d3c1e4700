"""A loaded model: everything about it that answering needs."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.backbone.runtime import Runtime
from steelyard.calibration.calibrator import Calibrator, Uncalibrated
from steelyard.engine.exits import FULL_DEPTH, ExitPolicy
from steelyard.engine.options import ReadOptions
from steelyard.errors import CapabilityError
from steelyard.prompt.chat import ChatFrame
from steelyard.readout.pointer_head import PointerHead
from steelyard.tokens.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """What was fitted on a model's answers as one readout reads them in one layout.

    It says nothing about answers that are read otherwise.

    Attributes:
        calibrator: at full depth and at every exit.
        exits: what answering adaptively means; FULL_DEPTH for a model without exits.
    """

    readout: str
    layout: str
    calibrator: Calibrator
    exits: ExitPolicy = FULL_DEPTH

    def concerns(self, options: ReadOptions) -> bool:
        return (self.readout, self.layout) == (options.readout, options.layout)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedModel:
    """A runtime with its tokenizer, wording and defaults.

    Attributes:
        name: concrete name, returned with every answer.
        readout, layout: what is used when the caller does not choose.
        warnings: what every user of the model should be told.
        head: what the pointer readouts score with, or None.
        fit: temperatures and exits, or None where nothing was fitted.
    """

    name: str
    runtime: Runtime
    tokenizer: Tokenizer
    chat: ChatFrame
    readout: str
    layout: str
    warnings: tuple[str, ...]
    head: PointerHead | None = None
    fit: Fit | None = None

    def calibrator(self, options: ReadOptions) -> Calibrator:
        """Of answers read like this; answers that nothing was fitted for stay uncalibrated."""
        if self.fit is None or not self.fit.concerns(options):
            return Uncalibrated()
        return self.fit.calibrator

    def exits(self, options: ReadOptions) -> ExitPolicy:
        """The exits that are open to answers read like this.

        Raises:
            CapabilityError: `options` asks for exits, and there are none for such answers.
        """
        if options.depth == "full":
            return FULL_DEPTH
        if self.fit is None or not self.fit.exits.layers:
            raise CapabilityError(
                f"the model {self.name} has no exits; allowed: full", field="depth"
            )
        if not self.fit.concerns(options):
            raise CapabilityError(
                f"the exits of {self.name} are made for the readout {self.fit.readout!r} in the "
                f"layout {self.fit.layout!r}; read otherwise it allows: full",
                field="depth",
            )
        if not isinstance(options.depth, int):
            return self.fit.exits
        if options.depth not in self.fit.exits.layers:
            layers = ", ".join(map(str, self.fit.exits.layers))
            raise CapabilityError(
                f"{options.depth}; allowed for {self.name}: full, adaptive, {layers}", field="depth"
            )
        return ExitPolicy((options.depth,), threshold=0.0)
