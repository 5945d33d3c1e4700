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
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional as F

from steelyard.errors import ModelFileError

MOST = 1e6
"""Largest absolute number in a lens; beyond, hidden states leave the numbers of float32."""


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
    """Read the lenses of exactly these exit layers for a model of this width.

    Raises:
        ModelFileError: missing, cut short, of other layers or another width, or not finite floats.
    """
    try:
        found = load_file(path)
    except FileNotFoundError as error:
        raise ModelFileError(f"{path}: no such file") from error
    except (OSError, SafetensorError) as error:
        raise ModelFileError(f"{path}: cut short or corrupt: {error}") from error
    shapes: dict[str, tuple[int, ...]] = {}
    for layer in layers:
        shapes |= {f"{layer}.weight": (width, width), f"{layer}.bias": (width,)}
    if missing := sorted(set(shapes) - set(found)):
        raise ModelFileError(f"{path}: the tensor {missing[0]!r} of an exit is missing")
    if extra := sorted(set(found) - set(shapes)):
        exits = ", ".join(map(str, layers)) or "none"
        raise ModelFileError(
            f"{path}: {extra[0]!r} belongs to none of the exits, which are {exits}"
        )
    for name, shape in shapes.items():
        tensor = found[name]
        if tuple(tensor.shape) != shape:
            raise ModelFileError(
                f"{path}: {name} is {tuple(tensor.shape)}; the model needs {shape}"
            )
        computable = tensor.is_floating_point() and tensor.itemsize > 1  # float8 only stores
        if not computable or not bool((tensor.abs() <= MOST).all()):
            raise ModelFileError(
                f"{path}: {name} holds what are no finite numbers, or larger ones than {MOST:g}"
            )
    return {layer: Lens(found[f"{layer}.weight"], found[f"{layer}.bias"]) for layer in layers}
