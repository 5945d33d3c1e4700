"""Examples to learn from, by their state, in little memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import overload

from steelyard.types.codec import dumps, loads
from steelyard.types.content import Content
from steelyard.types.example import Example, decode_example, encode_example

MOST_QUESTIONS = 24
"""In a bundle; a state with more becomes several bundles."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Examples with the same state, asked in one layout."""

    state: Content
    examples: tuple[Example, ...]
    layout: str


@dataclass(frozen=True)
class Shelf(Sequence[Bundle]):
    """Bundles kept as text, each made anew when it is taken.

    As objects, examples need twice the memory of their text, and an epoch as much again.

    Attributes:
        texts: of each bundle, its examples as JSON.
        sources: of each bundle, the source of its first example.
        layout: in which they are asked.
    """

    texts: Sequence[Sequence[bytes]]
    sources: Sequence[str]
    layout: str

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, index: int) -> Bundle: ...
    @overload
    def __getitem__(self, index: slice) -> list[Bundle]: ...
    def __getitem__(self, index: int | slice) -> Bundle | list[Bundle]:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self))[index]]
        examples = tuple(decode_example(loads(text)) for text in self.texts[index])
        return Bundle(examples[0].state, examples, self.layout)

    def only(self, places: Sequence[int]) -> Shelf:
        """Some of the bundles, in the order given."""
        return Shelf(
            [self.texts[place] for place in places],
            [self.sources[place] for place in places],
            self.layout,
        )


def shelved(examples: Iterable[Example], layout: str) -> Shelf:
    """Examples by their state, in the order of the states' first appearance."""
    by_state: dict[bytes, list[tuple[str, bytes]]] = {}
    for example in examples:
        state = blake2b(dumps(example.state).encode(), digest_size=16).digest()
        text = dumps(encode_example(example)).encode()
        by_state.setdefault(state, []).append((example.source, text))
    groups = [
        group[at : at + MOST_QUESTIONS]
        for group in by_state.values()
        for at in range(0, len(group), MOST_QUESTIONS)
    ]
    texts = [tuple(text for _, text in group) for group in groups]
    return Shelf(texts, [group[0][0] for group in groups], layout)
