"""Low-rank adapters (LoRA, Hu et al. 2021, arXiv 2106.09685), computed as one map.

    y = x W' + s (x A') B' = x (W + s B A)'

The forward pass multiplies by the merged weight, which is made anew after every optimiser step:
merging costs as much as a handful of tokens, and afterwards an adapted map is as fast as a plain
one. The backward pass needs the factors only for their own gradients,

    dB = s dY' (X A'),    dA = s (dY B)' X,    dX = dY (W + s B A)

which are thin products. Base and factors are float32; the merged weight has the type of the
products. In bfloat16 a small update may be rounded away in the merged weight, but it is never lost:
the factors keep it, and the next merge starts from them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from steelyard.backbone.decoder import Decoder
from steelyard.backbone.layers import Linear


class LoraLinear(nn.Module):
    """A frozen Linear with a trained low-rank term.

    Args:
        linear: float32, taken over.
        rank: of the term; scale: what it is multiplied by (alpha / rank in most papers).
        dtype: of the products.
    """

    def __init__(self, linear: Linear, *, rank: int, scale: float, dtype: torch.dtype) -> None:
        super().__init__()
        outputs, inputs = linear.weight.shape
        self.scale = scale
        self.base = linear.weight.detach()
        self.bias = None if linear.bias is None else linear.bias.detach()
        self.weight = self.base.to(dtype, copy=True)
        self.lora_A = nn.Parameter(torch.empty(rank, inputs, device=self.base.device))
        self.lora_B = nn.Parameter(torch.zeros(outputs, rank, device=self.base.device))
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = _LoraMap.apply(  # type: ignore[no-untyped-call]
            x, self.weight, self.bias, self.lora_A, self.lora_B, self.scale
        )
        return y

    def silu(self, x: Tensor) -> Tensor:
        return F.silu(self(x))

    @torch.no_grad()
    def exact(self) -> Tensor:
        """The merged weight in float32."""
        return torch.addmm(self.base, self.lora_B, self.lora_A, alpha=self.scale)

    def merge(self) -> None:
        """Bring `weight` up to date; called after every optimiser step."""
        self.weight.copy_(self.exact())


class FullLinear(nn.Module):
    """A Linear all of whose weights are trained: float32 masters, products in `dtype`."""

    def __init__(self, linear: Linear, *, dtype: torch.dtype) -> None:
        super().__init__()
        self.master = nn.Parameter(linear.weight.detach().clone())
        self.bias = None if linear.bias is None else nn.Parameter(linear.bias.detach().clone())
        self.weight = self.master.detach().to(dtype, copy=True)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = _FullMap.apply(x, self.weight, self.master)  # type: ignore[no-untyped-call]
        return y if self.bias is None else y + self.bias.to(y.dtype)

    def silu(self, x: Tensor) -> Tensor:
        return F.silu(self(x))

    def exact(self) -> Tensor:
        """The weight in float32."""
        return self.master.detach()

    def merge(self) -> None:
        """Bring `weight` up to date; called after every optimiser step."""
        self.weight.copy_(self.exact())


def adapt(decoder: Decoder, *, rank: int, scale: float, dtype: torch.dtype) -> Decoder:
    """Put a low-rank term on every linear map of the layers; nothing else is trained.

    Args:
        decoder: unpacked, float32; changed in place. Its embeddings take on `dtype`.
    """
    return _replace(decoder, dtype, lambda x: LoraLinear(x, rank=rank, scale=scale, dtype=dtype))


def unfreeze(decoder: Decoder, *, dtype: torch.dtype) -> Decoder:
    """Train every weight of the layers' linear maps; changed in place."""
    return _replace(decoder, dtype, lambda x: FullLinear(x, dtype=dtype))


def adapted(decoder: Decoder) -> Iterator[tuple[str, LoraLinear | FullLinear]]:
    """The adapted maps by their name in the decoder: `layers.0.self_attn.q_proj`."""
    for name, module in decoder.named_modules():
        if isinstance(module, LoraLinear | FullLinear):
            yield name, module


def merge(decoder: Decoder) -> None:
    """Bring all merged weights up to date."""
    for _, module in adapted(decoder):
        module.merge()


def _replace(decoder: Decoder, dtype: torch.dtype, make: Any) -> Decoder:
    owners = [m for m in decoder.layers.modules() if not isinstance(m, Linear)]
    for owner in owners:
        for name, child in list(owner.named_children()):
            if isinstance(child, Linear):
                setattr(owner, name, make(child))
    for part in (decoder.embed_tokens, decoder.lm_head):
        if part is not None:
            part.to(dtype)
    return decoder


class _LoraMap(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        lora_a: Tensor,
        lora_b: Tensor,
        scale: float,
    ) -> Tensor:
        rows = x.to(weight.dtype)
        ctx.save_for_backward(rows, weight, lora_a, lora_b)
        ctx.scale, ctx.dtype = scale, x.dtype
        return F.linear(rows, weight, None if bias is None else bias.to(weight.dtype))

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        rows, weight, lora_a, lora_b = ctx.saved_tensors
        a, b = lora_a.to(rows.dtype), lora_b.to(rows.dtype)
        grad_b = grad.T @ (rows @ a.T)  # (outputs, rank)
        grad_a = (grad @ b).T @ rows  # (rank, inputs)
        grad_x = (grad @ weight).to(ctx.dtype) if ctx.needs_input_grad[0] else None
        scaled = (part.float().mul_(ctx.scale) for part in (grad_a, grad_b))
        return grad_x, None, None, *scaled, None


class _FullMap(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, master: Tensor) -> Tensor:
        rows = x.to(weight.dtype)
        ctx.save_for_backward(rows, weight)
        ctx.dtype = x.dtype
        return F.linear(rows, weight)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        rows, weight = ctx.saved_tensors
        grad_x = (grad @ weight).to(ctx.dtype) if ctx.needs_input_grad[0] else None
        return grad_x, None, (grad.T @ rows).float()
