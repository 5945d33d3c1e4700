"""The protocol behind which every way of computing hidden states stands.

A runtime advances a batch layer by layer and measures what its reads ask for. It knows nothing of
questions or probabilities, and never decides to stop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from steelyard.tokens.plan import Batch

EXITS = "exits"  # advance() may stop at any layer, and the state can be measured there
CONTEXTS = "contexts"  # prefixes can be captured, stored and continued by a later batch
HIDDEN = "hidden"  # HiddenRead
JOINS = "joins"  # segments that see siblings


class Context(Protocol):
    """A computed prefix: what later tokens need of it, up to `layer`.

    A prefix that continues another one may refer to it instead of copying it: `parent`, which it
    keeps alive and whose bytes are not among its own `num_bytes`. Both grow in place when a batch
    that continues a shallow prefix advances deeper.
    """

    @property
    def num_tokens(self) -> int: ...

    @property
    def layer(self) -> int: ...

    @property
    def num_bytes(self) -> int: ...

    @property
    def parent(self) -> Context | None: ...

    def check_integrity(self) -> None:
        """Raises AssertionError where the contents contradict what the properties say."""
        ...


class State(Protocol):
    """A batch after `layer` layers. Rows of segments that nobody needs any more are gone."""

    @property
    def batch(self) -> Batch: ...

    @property
    def layer(self) -> int: ...


class Runtime(Protocol):
    """Computes batches. Calls are not thread-safe; the engine serialises them.

    Attributes:
        name: such as "torch".
        capabilities: of EXITS, CONTEXTS, HIDDEN, JOINS.
        num_layers: depth of the network.
        context_tokens: the longest position that the model was made for.
        dtype: such as "float32".
        digest: sha256 over the weights, hexadecimal.
    """

    name: str
    capabilities: frozenset[str]
    num_layers: int
    context_tokens: int
    dtype: str
    digest: str

    def start(self, batch: Batch, contexts: Sequence[Context] = ()) -> State:
        """Embed the batch. `contexts` are the stored prefixes, in the order of batch.contexts.

        Raises:
            CapabilityError: the batch needs what this runtime lacks.
        """
        ...

    def advance(self, state: State, to_layer: int) -> State:
        """Compute up to `to_layer` (1 to num_layers). Consumes `state`."""
        ...

    def keep(self, state: State, segments: Sequence[int]) -> State:
        """Go on with these segments (indices into state.batch.segments), those they see, and
        those to be captured. Consumes `state`; the new state's batch has the reads of the kept
        segments only, its segments keep their `plan` and `node`."""
        ...

    def measure(self, state: State) -> Sequence[np.ndarray]:
        """The value of every read of state.batch, in order.

        LogitRead: float64 (targets,). LogProbRead: float64 (). HiddenRead: float32 (width,),
        after the final norm.
        """
        ...

    def captured(self, state: State) -> Mapping[int, Context]:
        """Segment index -> the prefix that ends with it, for segments with `capture`."""
        ...
