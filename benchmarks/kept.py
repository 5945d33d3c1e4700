"""Bytes that autograd keeps between forward and backward pass, counted tensor by tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks


def kept_bytes(forward: Callable[[], Tensor], without: Iterable[Tensor]) -> int:
    """What `forward` keeps for the way back, each piece of memory once.

    Args:
        without: tensors that are there anyway, such as inputs and weights.
    """
    kept: dict[int, int] = {}
    alive: list[Tensor] = []  # memory that is freed would be given out again, and counted once

    def pack(x: Tensor) -> Tensor:
        storage = x.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        alive.append(x)
        return x

    with saved_tensors_hooks(pack, lambda x: x):
        out = forward()
    assert out.requires_grad, "nothing was kept, because no gradient is asked for"
    for x in without:
        kept.pop(x.untyped_storage().data_ptr(), None)
    return sum(kept.values())
