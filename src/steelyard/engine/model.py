"""A loaded model: everything about it that answering needs."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.backbone.runtime import Runtime
from steelyard.calibration.calibrator import Calibrator, Uncalibrated
from steelyard.calibration.stored import Calibration
from steelyard.engine.exits import FULL_DEPTH, ExitPolicy
from steelyard.engine.options import ReadOptions
from steelyard.errors import CapabilityError
from steelyard.prompt.chat import ChatFrame
from steelyard.readout.pointer_head import PointerHead
from steelyard.tokens.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Fit:
    """What was fitted on a model's answers as one readout reads them in one layout.

    It says nothing about answers that are read otherwise.

    Attributes:
        calibrator: at full depth and at every exit.
        exits: what answering adaptively means; FULL_DEPTH for a model without exits.
        calibration: what the caller brought, or None; `calibrator` is then its own, and it concerns
            only answers that are read as often as those that it was fitted on.
    """

    readout: str
    layout: str
    calibrator: Calibrator
    exits: ExitPolicy = FULL_DEPTH
    calibration: Calibration | None = None

    def concerns(self, options: ReadOptions) -> bool:
        if self.calibration is not None:
            card = self.calibration.card
            if (card.rotations, card.reread_below) != (options.rotations, options.reread_below):
                return False
        return (self.readout, self.layout) == (options.readout, options.layout)

    @property
    def digest(self) -> str | None:
        """sha256 of what was fitted, hexadecimal; None where nothing was."""
        return self.calibrator.digest if self.calibration is None else self.calibration.digest


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedModel:
    """A runtime with its tokenizer, wording and defaults.

    Attributes:
        name: concrete name, returned with every answer.
        readout, layout, depth: what is used when the caller does not choose.
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
    depth: str | int = "full"
    head: PointerHead | None = None
    fit: Fit | None = None

    def fitted(self, options: ReadOptions) -> Fit:
        """For answers read like this; answers that nothing was fitted for stay uncalibrated."""
        if self.fit is None or not self.fit.concerns(options):
            return Fit(options.readout, options.layout, Uncalibrated())
        return self.fit

    def exits(self, options: ReadOptions) -> ExitPolicy:
        """The exits that are open to answers read like this.

        Raises:
            CapabilityError: `options` asks for exits, and there are none for such answers.
        """
        if options.depth == "full":
            return FULL_DEPTH
        if self.fit is not None and self.fit.calibration is not None:
            layers = ", ".join(map(str, self.fit.calibration.card.exit_layers))
            raise CapabilityError(
                f"the calibration was fitted on answers at layer {layers}; allowed: full",
                field="depth",
            )
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
