"""What is known after some layers: a batch on its way, and a prefix that can be continued."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from torch import Tensor

from steelyard.backbone.decoder import Memory, Walk
from steelyard.backbone.recurrence import Recurrent
from steelyard.tokens.plan import Batch


@dataclass(slots=True, eq=False)
class Prefix:
    """A computed run of tokens from position 0 to `len(ids)`, up to some layer: a `Context`.

    A prefix that continues another one holds the rest only and refers to it, so a conversation
    that grows shares its past. Nothing can be cut off its end: a recurrent layer has kept only
    that. It deepens in place: advancing a batch that continues a shallow prefix takes the prefix
    along, from its hidden states; nothing is computed twice.

    Attributes:
        ids: all its tokens, those of `parent` included.
        parent: the prefix that this one continues; at least as deep.
        layers: layer by layer the keys and values of its own tokens, (tokens, kv_heads, head_dim),
            or of a recurrent layer the end of all its tokens.
        hidden: hidden states of its own tokens after the last of those layers, float32
            (tokens, width); None at full depth, where no layer will ask for them.
    """

    ids: tuple[int, ...]
    parent: Prefix | None = None
    layers: list[Memory] = field(default_factory=list)
    hidden: Tensor | None = None

    @property
    def num_tokens(self) -> int:
        return len(self.ids)

    @property
    def layer(self) -> int:
        return len(self.layers)

    @property
    def num_bytes(self) -> int:
        """Of its own tensors, without its parent's."""
        kept = [x for pair in self.layers for x in pair]
        return sum(x.nbytes for x in kept) + (0 if self.hidden is None else self.hidden.nbytes)

    @property
    def own_ids(self) -> tuple[int, ...]:
        return self.ids[0 if self.parent is None else self.parent.num_tokens :]

    def check_integrity(self) -> None:
        """Raises AssertionError if tensors, tokens and accounted bytes do not fit together."""
        ends = [x for x in self.layers if isinstance(x, Recurrent)]
        by_token = [x for pair in self.layers if not isinstance(pair, Recurrent) for x in pair]
        if self.hidden is not None:
            by_token.append(self.hidden)
        for x in by_token:
            assert len(x) == len(self.own_ids), f"{len(x)} rows for {len(self.own_ids)} tokens"
        for end in ends:
            assert end.state.itemsize >= 4, f"a recurrent state in {end.state.dtype}"
        tensors = [*by_token, *(x for end in ends for x in end)]
        held = {x.untyped_storage().data_ptr(): x.untyped_storage().nbytes() for x in tensors}
        assert sum(held.values()) == self.num_bytes, "a tensor is a view of something larger"
        if self.parent is not None:
            assert self.ids[: self.parent.num_tokens] == self.parent.ids, "not its parent's tokens"
            assert self.parent.layer >= self.layer, "shallower than what continues it"

    def chain(self) -> list[Prefix]:
        """The prefixes that it consists of, the first one first."""
        return [*([] if self.parent is None else self.parent.chain()), self]


@dataclass(frozen=True, slots=True, eq=False)
class ForwardState:
    """A batch after `layer` layers.

    Attributes:
        hidden: float32 (rows, width), or (read rows, width) after the last layer, which computes
            no other rows.
        walk: what every layer needs to know of the batch.
        links: the stored key sets that the jobs of attention refer to.
        captures: for each segment with `capture`, the prefix that ends with it, and the batch
            rows that it keeps.
    """

    batch: Batch
    layer: int
    hidden: Tensor
    walk: Walk
    contexts: tuple[Prefix, ...]
    links: tuple[Prefix, ...]
    captures: Mapping[int, Capture]


@dataclass(frozen=True, slots=True, eq=False)
class Capture:
    """A prefix that is filled while its batch advances, with `rows` of every layer."""

    prefix: Prefix
    rows: np.ndarray
