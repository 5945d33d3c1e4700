"""Prefixes kept across requests, within a budget of bytes, the least recently used leaving first.

The store knows nothing of tensors. It relies on two things: a context that continues another one
is found by ids that begin with the other's ids, and `num_bytes` tells what a context holds by
itself *now* (contexts deepen in place). Whoever uses a prefix uses all that it continues, so a
parent is always more recent than its children and never leaves before them.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from steelyard.backbone.runtime import Context


@dataclass(frozen=True, slots=True)
class Scope:
    """Who may share a prefix: same weights, same layout, same partition (such as an API key)."""

    digest: str = ""
    layout: str = ""
    partition: str = ""


EVERYONE = Scope()

_Key: TypeAlias = tuple[Scope, bytes]


@dataclass(frozen=True, slots=True)
class StoreStatistics:
    """Counts since the store was made, and what it holds.

    Attributes:
        hits, misses: of `find`; a stored proper prefix is a hit.
        hit_tokens: tokens that hits did not have to compute.
        evictions: entries that left for others. refused: entries that could not be stored.
        entries, bytes, budget_bytes: now.
    """

    hits: int
    misses: int
    hit_tokens: int
    evictions: int
    refused: int
    entries: int
    bytes: int
    budget_bytes: int


class PrefixStore:
    """A thread-safe map from token ids to computed prefixes.

    Args:
        budget_bytes: what the stored contexts may hold together; 0 stores nothing.
    """

    def __init__(self, budget_bytes: int) -> None:
        assert budget_bytes >= 0, f"budget_bytes={budget_bytes}; at least 0"
        self.budget_bytes = budget_bytes
        self._lock = threading.Lock()
        self._entries: OrderedDict[_Key, Context] = OrderedDict()  # the next to leave comes first
        self._lengths: defaultdict[Scope, Counter[int]] = defaultdict(Counter)
        self._counts: Counter[str] = Counter()

    def find(self, ids: Sequence[int], scope: Scope = EVERYONE) -> Context | None:
        """The longest stored prefix of `ids`, which may be all of them."""
        with self._lock:
            self._trim()
            matches = self._use(ids, scope)
            self._counts["hits" if matches else "misses"] += 1
            if not matches:
                return None
            found = self._entries[matches[0]]
            self._counts["hit_tokens"] += found.num_tokens
            return found

    def put(self, ids: Sequence[int], context: Context, scope: Scope = EVERYONE) -> bool:
        """Keep `context`, the prefix of exactly `ids`, and the contexts that it continues.

        An entry that is there already stays. Returns whether `ids` is stored now: not if context
        and parents exceed the budget, or if another computation of its parent is stored.
        """
        with self._lock:
            stored = self._put(tuple(ids), context, scope)
            self._counts["refused"] += not stored
            self._use(ids, scope)
            self._trim()
            return stored

    def trim(self) -> None:
        """Enforce the budget again, after contexts in use have deepened."""
        with self._lock:
            self._trim()

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self._lengths.clear()

    def statistics(self) -> StoreStatistics:
        with self._lock:
            count = self._counts
            return StoreStatistics(
                hits=count["hits"],
                misses=count["misses"],
                hit_tokens=count["hit_tokens"],
                evictions=count["evictions"],
                refused=count["refused"],
                entries=len(self._entries),
                bytes=self._bytes(),
                budget_bytes=self.budget_bytes,
            )

    def check_integrity(self) -> None:
        """Raises AssertionError if budget, order or an entry is not as promised."""
        with self._lock:
            self._trim()
            assert self._bytes() <= self.budget_bytes, "over budget"
            lengths: defaultdict[Scope, Counter[int]] = defaultdict(Counter)
            places = {id(context): n for n, context in enumerate(self._entries.values())}
            for place, ((scope, data), context) in enumerate(self._entries.items()):
                lengths[scope][context.num_tokens] += 1
                assert len(data) == 4 * context.num_tokens, "key of other length"
                context.check_integrity()
                if context.parent is not None:
                    assert places.get(id(context.parent), -1) > place, "would outlive its parent"
            assert all(lengths[s] == self._lengths[s] for s in {*lengths, *self._lengths}), (
                "lengths"
            )

    def _use(self, ids: Sequence[int], scope: Scope) -> list[_Key]:
        """Keys of all stored prefixes of `ids`, the longest first; the shortest is now newest."""
        data = _encode(ids)
        lengths = sorted((n for n in self._lengths[scope] if n <= len(ids)), reverse=True)
        matches = [key for n in lengths if (key := (scope, data[: 4 * n])) in self._entries]
        for key in matches:
            self._entries.move_to_end(key)
        return matches

    def _put(self, ids: tuple[int, ...], context: Context, scope: Scope) -> bool:
        assert context.num_tokens == len(ids), f"{context.num_tokens} tokens under {len(ids)} ids"
        key = (scope, _encode(ids))
        if key in self._entries:
            return True
        parent, needed = context.parent, context.num_bytes
        while parent is not None:
            needed, parent = needed + parent.num_bytes, parent.parent
        if needed > self.budget_bytes:
            return False
        parent = context.parent
        if parent is not None:
            parent_ids = ids[: parent.num_tokens]
            if not self._put(parent_ids, parent, scope):
                return False
            if self._entries[(scope, _encode(parent_ids))] is not parent:
                return False
        self._entries[key] = context
        self._lengths[scope][len(ids)] += 1
        return True

    def _trim(self) -> None:
        excess = self._bytes() - self.budget_bytes
        while excess > 0:
            (scope, _), context = self._entries.popitem(last=False)
            self._lengths[scope] -= Counter({context.num_tokens: 1})  # drops lengths at 0
            self._counts["evictions"] += 1
            excess -= context.num_bytes

    def _bytes(self) -> int:
        return sum(context.num_bytes for context in self._entries.values())


def _encode(ids: Sequence[int]) -> bytes:
    """Four bytes for each id, so that a prefix of the ids is a prefix of the bytes."""
    return np.asarray(ids, dtype=np.int32).tobytes()
