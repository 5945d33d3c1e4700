"""The reference runtime: the segmented decoder in torch, on a CPU or a GPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from steelyard.backbone import forward
from steelyard.backbone.decoder import Decoder
from steelyard.backbone.lens import Lens
from steelyard.backbone.measure import measure
from steelyard.backbone.runtime import CONTEXTS, EXITS, HIDDEN, JOINS, Context, State
from steelyard.backbone.state import ForwardState, Prefix
from steelyard.tokens.plan import Batch


class TorchRuntime:
    """A decoder behind the `Runtime` protocol.

    Args:
        decoder: as it is; call `pack()` on it before, to run faster and batch-invariant on a CPU.
        digest: sha256 over the weights and lenses, hexadecimal.
        lenses: layer below the last -> the lens through which it is measured there. A layer without
            one is measured as if it were the last: the logit lens.
    """

    name = "torch"

    def __init__(
        self, decoder: Decoder, *, digest: str, lenses: Mapping[int, Lens] | None = None
    ) -> None:
        self.decoder = decoder
        self.digest = digest
        self.capabilities = frozenset({EXITS, CONTEXTS, HIDDEN})
        if decoder.config.recurrent is None:  # states of siblings cannot be joined
            self.capabilities |= {JOINS}
        self.num_layers = decoder.config.layers
        self.context_tokens = decoder.config.max_positions
        assert all(0 < layer < self.num_layers for layer in lenses or {}), "a lens at no exit"
        # In float64, as label logits: in float32 a row's bits would depend on the other rows.
        self.lenses = {
            layer: lens.to(decoder.device, torch.float64) for layer, lens in (lenses or {}).items()
        }
        self.dtype = str(decoder.dtype).removeprefix("torch.")

    @torch.inference_mode()
    def start(self, batch: Batch, contexts: Sequence[Context] = ()) -> ForwardState:
        prefixes = [context for context in contexts if isinstance(context, Prefix)]
        assert len(prefixes) == len(contexts), "contexts of another runtime"
        return forward.start(self.decoder, batch, prefixes)

    @torch.inference_mode()
    def advance(self, state: State, to_layer: int) -> ForwardState:
        return forward.advance(self.decoder, _own(state), to_layer)

    @torch.inference_mode()
    def keep(self, state: State, segments: Sequence[int]) -> ForwardState:
        return forward.keep(self.decoder, _own(state), segments)

    @torch.inference_mode()
    def measure(self, state: State) -> Sequence[np.ndarray]:
        return measure(self.decoder, _own(state), self.lenses)

    def captured(self, state: State) -> Mapping[int, Prefix]:
        return {segment: c.prefix for segment, c in _own(state).captures.items()}


def _own(state: State) -> ForwardState:
    assert isinstance(state, ForwardState), "a state of another runtime"
    return state
