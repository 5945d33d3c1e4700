"""Everything that a run trains, and how it computes scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from steelyard.backbone.config import from_hf
from steelyard.backbone.decoder import Decoder
from steelyard.backbone.forward import advance, at_reads, start
from steelyard.backbone.masked import fits, plan_masked
from steelyard.backbone.weights.source import Weights
from steelyard.errors import RequestError
from steelyard.training.config import ModelConfig
from steelyard.training.lenses import ExitLens
from steelyard.training.lora import adapt, adapted, merge, unfreeze
from steelyard.training.micro_batch import MicroBatch
from steelyard.training.readouts import Continued, Lettered, Pointing, TrainedReadout
from steelyard.training.recomputed import recompute_layers


@dataclass(frozen=True, slots=True, eq=False)
class Trainee:
    """A decoder with adapters, a readout and exits.

    Attributes:
        lenses: exits by their layer, ascending.
    """

    decoder: Decoder
    readout: TrainedReadout
    lenses: Mapping[int, ExitLens]

    def parts(self) -> dict[str, dict[str, nn.Parameter]]:
        """Trained parameters: of the "decoder", the "head" and the "exits", by name."""
        return {
            "decoder": {
                f"{name}.{leaf}": parameter
                for name, module in adapted(self.decoder)
                for leaf, parameter in module.named_parameters()
            },
            "head": dict(self.readout.parameters()),
            "exits": {
                f"{layer}.{leaf}": parameter
                for layer, lens in self.lenses.items()
                for leaf, parameter in lens.named_parameters()
            },
        }

    def named_parameters(self) -> Iterator[tuple[str, nn.Parameter]]:
        for part, parameters in self.parts().items():
            for name, parameter in parameters.items():
                yield f"{part}.{name}", parameter

    def scores(self, micro: MicroBatch) -> dict[int, Tensor]:
        """Scores (questions, options) after each exit's layer and after the last.

        No gradient flows from an exit's scores to anything but the exit.
        """
        frozen = self.readout.detached()
        plan = None
        if fits(micro.batch, self.decoder.device):
            plan = plan_masked(micro.batch, self.decoder.device, self.decoder.dtype)
        state = start(self.decoder, micro.batch, plan=plan)
        scores: dict[int, Tensor] = {}
        for layer, lens in self.lenses.items():
            state = advance(self.decoder, state, layer)
            hidden = at_reads(self.decoder, state).detach()
            normed = self.decoder.norm(lens(hidden))
            scores[layer] = lens.scaled(frozen.scores(self.decoder, normed, micro))
        depth = self.decoder.config.layers
        state = advance(self.decoder, state, depth)
        normed = self.decoder.norm(at_reads(self.decoder, state))
        scores[depth] = self.readout.scores(self.decoder, normed, micro)
        return scores

    def merge(self) -> None:
        """Bring the decoder's weights up to date with what is trained."""
        merge(self.decoder)


def new_trainee(weights: Weights, config: ModelConfig, device: torch.device) -> Trainee:
    """A model as it is before the first step; the parts that chance fills follow torch's seed.

    Raises:
        RequestError: exits that are not ascending layers below the model's last, or a readout that
            the model cannot have.
    """
    shape = from_hf(weights.config)
    if shape.recurrent is not None and config.readout == "pointer-set":
        raise RequestError(
            "'pointer-set' puts options side by side, and recurrent layers read one text after the "
            "other; allowed for this model: letters, pointer, continuation",
            field="model.readout",
        )
    decoder = Decoder.from_weights(shape, weights.tensors(torch.float32), device=device)
    depth, width = decoder.config.layers, decoder.config.width
    for index, layer in enumerate(config.exits):
        if not 1 <= layer < depth or layer <= max(config.exits[:index], default=0):
            raise RequestError(
                f"{list(config.exits)}; allowed: ascending layers from 1 to {depth - 1}",
                field="model.exits",
            )
    dtype: torch.dtype = getattr(torch, config.dtype)
    if config.method == "lora":
        adapt(decoder, rank=config.rank, scale=config.alpha / config.rank, dtype=dtype)
    else:
        unfreeze(decoder, dtype=dtype)
    if config.compile:
        # Only now: importing torch's compiler takes seconds.
        from steelyard.training.compiled import compile_layers

        compile_layers(decoder)
    if config.recompute:
        recompute_layers(decoder)
    return Trainee(
        decoder,
        _readout(config.readout, width, device),
        {layer: ExitLens(width, device) for layer in config.exits},
    )


def _readout(name: str, width: int, device: torch.device) -> TrainedReadout:
    match name:
        case "letters":
            return Lettered()
        case "continuation":
            return Continued()
        case _:
            return Pointing.new(name, width, device)
