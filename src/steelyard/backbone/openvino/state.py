"""What is known after some layers, in arrays: a batch on its way, and a prefix to continue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from steelyard.tokens.plan import Batch

KeysValues: TypeAlias = tuple[np.ndarray, np.ndarray]
"""Keys and values of one layer, float32 (tokens, kv_heads, head_dim) each."""


@dataclass(slots=True, eq=False)
class ArrayPrefix:
    """A computed run of tokens from position 0 to `len(ids)`, up to some layer: a `Context`.

    It refers to the prefix that it continues and deepens in place, as `backbone/state.py` tells.

    Attributes:
        ids: all its tokens, those of `parent` included.
        parent: the prefix that this one continues; at least as deep.
        layers: layer by layer the keys and values of its own tokens.
        hidden: hidden states of its own tokens after the last of those layers, float32
            (tokens, width); None at full depth.
    """

    ids: tuple[int, ...]
    parent: ArrayPrefix | None = None
    layers: list[KeysValues] = field(default_factory=list)
    hidden: np.ndarray | None = None

    @property
    def num_tokens(self) -> int:
        return len(self.ids)

    @property
    def layer(self) -> int:
        return len(self.layers)

    @property
    def num_bytes(self) -> int:
        """Of its own arrays, without its parent's."""
        return sum(x.nbytes for x in self._arrays())

    @property
    def own_ids(self) -> tuple[int, ...]:
        return self.ids[0 if self.parent is None else self.parent.num_tokens :]

    def check_integrity(self) -> None:
        """Raises AssertionError if arrays, tokens and accounted bytes do not fit together."""
        held: dict[int, int] = {}
        for x in self._arrays():
            assert len(x) == len(self.own_ids), f"{len(x)} rows for {len(self.own_ids)} tokens"
            owner = x if x.base is None else x.base
            held[id(owner)] = owner.nbytes
        assert sum(held.values()) == self.num_bytes, "an array is a view of something larger"
        if self.parent is not None:
            assert self.ids[: self.parent.num_tokens] == self.parent.ids, "not its parent's tokens"
            assert self.parent.layer >= self.layer, "shallower than what continues it"

    def chain(self) -> list[ArrayPrefix]:
        """The prefixes that it consists of, the first one first."""
        return [*([] if self.parent is None else self.parent.chain()), self]

    def _arrays(self) -> list[np.ndarray]:
        kept = [x for pair in self.layers for x in pair]
        return kept if self.hidden is None else [*kept, self.hidden]


@dataclass(frozen=True, slots=True, eq=False)
class ArrayCapture:
    """A prefix that is filled while its batch advances, with `rows` of every layer.

    Attributes:
        segments: the segments of the batch that these rows are, in order.
    """

    prefix: ArrayPrefix
    rows: np.ndarray
    segments: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ArrayState:
    """A batch after `layer` layers.

    Attributes:
        hidden: float32 (rows, width), or (read rows, width) after the last layer, which computes
            no other rows.
        captures: for each segment with `capture`, the prefix that ends with it.
    """

    batch: Batch
    layer: int
    hidden: np.ndarray
    contexts: tuple[ArrayPrefix, ...]
    captures: Mapping[int, ArrayCapture]
