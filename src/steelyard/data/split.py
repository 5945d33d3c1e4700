"""Training and validation examples, apart by document.

Groups are ranked by a hash of (source, group), which no seed and no order of rows changes, and the
first ones are held out until the source's quota is full. So validation is small, every source has
about the same say in it, and a document never stands on both sides.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

SHARE = 0.02
"""Share of a source's examples that is held out, within these bounds:"""

MOST = 150
"""examples of one source; more would cost time at each evaluation and drown small sources,"""

LEAST = 40
"""fewer say nothing about a source,"""

MOST_SHARE = 0.1
"""but a small source keeps nine tenths for training."""


def quota(num_examples: int) -> int:
    """How many examples of a source are held out at most."""
    wanted = max(SHARE * num_examples, min(LEAST, MOST_SHARE * num_examples))
    return min(MOST, int(wanted))


def held_out(source: str, sizes: Mapping[str, int]) -> frozenset[str]:
    """The groups of a source that are kept for validation.

    A group that would exceed the quota is passed over, so a source of a few large documents may
    have none.

    Args:
        sizes: the number of examples in each group.
    """
    left = quota(sum(sizes.values()))
    chosen = []
    for group in sorted(sizes, key=lambda group: rank(source, group)):
        if sizes[group] <= left:
            chosen.append(group)
            left -= sizes[group]
    return frozenset(chosen)


def rank(source: str, group: str) -> bytes:
    """What groups are ordered by; the separator keeps ("a", "bc") and ("ab", "c") apart."""
    return hashlib.sha256(f"{source}\0{group}".encode()).digest()
