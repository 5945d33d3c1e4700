"""Which passages of n words occur in a set of files: sorted arrays of 64-bit hashes.

A passage is hashed as a polynomial in the hashes of its words, so all passages of a text cost n
vector operations. 10 million passages take 100 MB. The chance that any of 100 million others is
found among them by a collision is below 1e-4 (1e7 * 1e8 / 2^64).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Hashes: TypeAlias = NDArray[np.uint64]

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no word's bits are lost


@lru_cache(maxsize=2**20)
def word_hash(word: str) -> int:
    """64 bits of a word, or of a whole text, the same on every machine."""
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")


def gram_hashes(words: Sequence[str], n: int) -> Hashes:
    """One hash for each run of n words: (len(words) - n + 1,), or none for a shorter text."""
    values = np.fromiter(map(word_hash, words), np.uint64, len(words))
    size = max(len(words) - n + 1, 0)
    total = np.zeros(size, np.uint64)
    for start in range(n):
        total = total * MULTIPLIER + values[start : start + size]  # modulo 2^64
    return total


@dataclass(frozen=True, slots=True)
class Table:
    """Hashes and the files that they occur in.

    Attributes:
        hashes: (entries,), ascending; a hash stands once for each file that has it.
        files: (entries,), the numbers of the files.
    """

    hashes: Hashes
    files: NDArray[np.uint16]

    @classmethod
    def of(cls, files: Iterable[Hashes]) -> Table:
        """The table of files that are numbered as they come."""
        parts = [np.unique(part) for part in files]
        assert len(parts) < 2**16, "more files than a table can number"
        hashes = np.concatenate([np.zeros(0, np.uint64), *parts])
        numbers = np.repeat(np.arange(len(parts), dtype=np.uint16), [len(part) for part in parts])
        order = np.argsort(hashes, kind="stable")
        return cls(hashes[order], numbers[order])

    def find(self, hashes: Hashes) -> tuple[NDArray[np.bool_], frozenset[int]]:
        """Which of the hashes occur, (n,), and the numbers of the files that have any of them."""
        first = np.searchsorted(self.hashes, hashes)
        last = np.searchsorted(self.hashes, hashes, side="right")
        found = last > first
        spans = [self.files[a:b] for a, b in zip(first[found], last[found], strict=True)]
        return found, frozenset(int(file) for span in spans for file in span)
