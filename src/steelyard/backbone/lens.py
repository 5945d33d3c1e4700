"""Tuned lenses: what a shallow layer's hidden state would become (Belrose et al. 2023, 2303.08112).

Read through the final norm as it is, a middle layer's hidden state is in the wrong place: that is
the logit lens. A lens moves it first, h + W h + b, and the final norm follows. W and b start at 0,
where a lens is the logit lens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional as F

from steelyard.backbone.lens_map import LensMap, read_lens_maps


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """The affine map of one exit: weight (width, width), bias (width,).

    Also for training: the tensors may be parameters, and gradients flow.
    """

    weight: Tensor
    bias: Tensor

    def __call__(self, hidden: Tensor) -> Tensor:
        """h + W h + b for float32 (rows, width), computed in the type of the weight, in float32."""
        moved = F.linear(hidden.to(self.weight.dtype), self.weight, self.bias)
        return (hidden + moved).float()

    @classmethod
    def of(cls, arrays: LensMap) -> Lens:
        return cls(torch.from_numpy(arrays.weight), torch.from_numpy(arrays.bias))

    def to(self, device: torch.device, dtype: torch.dtype) -> Lens:
        """The same map elsewhere, without gradients."""
        weight, bias = (x.detach().to(device, dtype) for x in (self.weight, self.bias))
        return Lens(weight, bias)


def write_lenses(lenses: Mapping[int, Lens], path: Path) -> None:
    """Write `exits.safetensors`: `{layer}.weight` and `{layer}.bias` in float32."""
    tensors: dict[str, Tensor] = {}
    for layer, lens in sorted(lenses.items()):
        kept = lens.to(torch.device("cpu"), torch.float32)
        tensors |= {
            f"{layer}.weight": kept.weight.contiguous(),
            f"{layer}.bias": kept.bias.contiguous(),
        }
    save_file(tensors, path)


def read_lenses(path: Path, *, layers: Sequence[int], width: int) -> dict[int, Lens]:
    """Read the lenses of exactly these exit layers; raises what `read_lens_maps` raises."""
    found = read_lens_maps(path, layers=layers, width=width)
    return {layer: Lens.of(one) for layer, one in found.items()}
