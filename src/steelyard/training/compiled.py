"""Layers compiled by torch for training.

On a CPU, what stands between the matrix products (norms, rotations, activations, changes of type)
takes a large part of a step; compiled, it is a few passes over memory. Compiling needs a C++
compiler, and a minute or two at the start of a run. Attention stays as it is (docs/experiments.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from steelyard.backbone.attention import KeysValues
from steelyard.backbone.decoder import Decoder, Layer, Memory, Walk, gated
from steelyard.backbone.rotary import Rotary


class CompiledLayer(Layer):
    """A layer of attention whose row-wise parts are compiled; all rows go through them together."""

    def forward(
        self,
        hidden: Tensor,
        walk: Walk,
        stored: Sequence[Memory],
        only: Tensor | None = None,
    ) -> tuple[Tensor, KeysValues]:
        q, k, v, gate = _before(self, hidden, walk.rotary)
        read = gated(walk.attention.attend(q, k, v, stored).flatten(1), gate)
        if only is not None:
            hidden, read = hidden[only], read[only]
        return _after(self, hidden, read), (k, v)


@torch.compile(dynamic=True)
def _before(
    layer: Layer, hidden: Tensor, rotary: Rotary
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    return layer.self_attn.project(layer.input_layernorm(hidden), rotary)


@torch.compile(dynamic=True)
def _after(layer: Layer, hidden: Tensor, read: Tensor) -> Tensor:
    return layer.row_wise(hidden, read)


def compile_layers(decoder: Decoder) -> None:
    """Compile the attention layers of a decoder that is trained, when they are first used."""
    for layer in decoder.layers:
        if not layer.recurrent:
            layer.__class__ = CompiledLayer
