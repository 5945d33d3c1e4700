"""The parts of a decoder: norm, embedding, linear map, and the linear map packed for a CPU."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class RMSNorm(nn.Module):
    """Root-mean-square norm over the last dimension, kept and computed in float32.

    Args:
        centred: the weight is what is added to 1.
    """

    def __init__(self, width: int, eps: float, centred: bool = False) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width))
        self.eps, self.centred = eps, centred

    def forward(self, x: Tensor) -> Tensor:
        weight = 1 + self.weight if self.centred else self.weight
        return F.rms_norm(x.float(), weight.shape, weight, self.eps)


class Embedding(nn.Module):
    """A row of `weight` for each id; unlike torch's own it costs nothing to make before loading."""

    def __init__(self, rows: int, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(rows, width))

    def forward(self, ids: Tensor) -> Tensor:
        return F.embedding(ids, self.weight)


class Linear(nn.Module):
    """y = x W' + b for x (rows, inputs), in the type of the weight."""

    def __init__(self, inputs: int, outputs: int, bias: bool = False) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs))
        self.bias = nn.Parameter(torch.empty(outputs)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x.to(self.weight.dtype), self.weight, self.bias)

    def silu(self, x: Tensor) -> Tensor:
        """silu(x W' + b)."""
        return F.silu(self(x))


class PackedLinear(nn.Module):
    """A Linear whose weight lies in oneDNN's own order: for inference on a CPU, no gradients.

    In float32 a row of the result has the same bits whatever rows stand beside it, which F.linear
    does not give: so a question asked alone and in a batch gets the same answer. Only a single
    row takes another kernel, and is therefore computed twice.
    """

    ROWS_HINT = 1024  # measured: this blocking is the fastest of those tried from 2 to 2,000 rows

    def __init__(self, linear: Linear) -> None:
        super().__init__()
        self.outputs, self.inputs = linear.weight.shape
        self.packed = torch.ops.mkldnn._reorder_linear_weight(
            linear.weight.detach(), self.ROWS_HINT
        )
        self.bias = linear.bias

    def forward(self, x: Tensor) -> Tensor:
        return self._multiply(x, "none")

    def silu(self, x: Tensor) -> Tensor:
        """silu(x W' + b), in one kernel: F.silu gives other bits where threads divide an array."""
        return self._multiply(x, "swish")

    def _multiply(self, x: Tensor, activation: str) -> Tensor:
        assert not x.requires_grad, "packed weights have no gradient; train the unpacked decoder"
        rows = x.to(self.packed.dtype)
        y: Tensor = torch.ops.mkldnn._linear_pointwise(
            rows if len(rows) != 1 else rows.expand(2, -1),
            self.packed,
            self.bias,
            activation,
            [],
            "",
        )
        return y[: len(rows)]


def can_pack() -> bool:
    """Does this build of torch have oneDNN's packed linear map?"""
    available: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    return available and hasattr(torch.ops.mkldnn, "_linear_pointwise")
