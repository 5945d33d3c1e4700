"""Which tensors of a model are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Wanted: TypeAlias = Callable[[str], bool]
"""Whether the tensor of this Hugging Face name is wanted."""


def everything(name: str) -> bool:
    return True
