"""The order in which examples are learned: epochs of bundles, and what is redrawn in each.

A bundle is a state with questions asked of it; in a batch they share the state's prefix, where the
layout begins with the state. In every epoch the bundles come in another order, each in a layout
that is drawn, the options of a choice in another order, and a share of the choices without
descriptions. All of it follows from (seed, epoch), so a run that is resumed sees what it would have
seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import overload

from steelyard.training.shelf import Bundle, Shelf
from steelyard.types.example import Example, among
from steelyard.types.question import Choice


@dataclass(frozen=True)
class Epoch(Sequence[Bundle]):
    """The bundles of one epoch, each made when it is taken, and always the same.

    Attributes:
        order: their places on the shelf.
        layouts: name -> share of the bundles asked in that layout.
        seed: what else is drawn of a bundle follows from this and its place on the shelf.
        bare_share, most_options: as of `epoch`.
    """

    shelf: Shelf
    order: Sequence[int]
    layouts: Mapping[str, float]
    seed: str
    bare_share: float
    most_options: int | None

    def __len__(self) -> int:
        return len(self.order)

    @overload
    def __getitem__(self, index: int) -> Bundle: ...
    @overload
    def __getitem__(self, index: slice) -> list[Bundle]: ...
    def __getitem__(self, index: int | slice) -> Bundle | list[Bundle]:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self))[index]]
        place = self.order[index]
        bundle, rng = self.shelf[place], Random(f"{self.seed}/{place}")
        [layout] = rng.choices(list(self.layouts), list(self.layouts.values()))
        examples = (_shown(one, rng, self.bare_share, self.most_options) for one in bundle.examples)
        return Bundle(bundle.state, tuple(examples), layout)


def epoch(
    shelf: Shelf,
    *,
    seed: int,
    number: int,
    bare_share: float,
    layouts: Mapping[str, float],
    mix: Mapping[str, float] | None = None,
    most_options: int | None = None,
) -> Epoch:
    """The bundles of one epoch, in its order and with its options.

    Args:
        bare_share: of the choices with descriptions, how many show labels only.
        layouts: name -> share of the bundles asked in that layout.
        mix: source -> share of its bundles that are taken; 1 where none is given. A bundle counts
            to the source of its first example.
        most_options: a choice that has more shows a random group of its options with the likeliest
            among them, as the rounds of a tournament do; None shows all.
    """
    rng = Random(f"{seed}/{number}")
    shares = mix or {}
    order = [
        place
        for place in rng.sample(range(len(shelf)), len(shelf))
        if rng.random() < shares.get(shelf.sources[place], 1.0)
    ]
    return Epoch(shelf, order, layouts, f"{seed}/{number}", bare_share, most_options)


def drawn(shelf: Shelf, most_questions: int) -> Shelf:
    """A fixed draw of whole bundles, `most_questions` at most in all; at least one bundle."""
    kept: list[int] = []
    count = 0
    for place in Random(0).sample(range(len(shelf)), len(shelf)):
        size = len(shelf.texts[place])
        if not kept or count + size <= most_questions:
            kept.append(place)
            count += size
    return shelf.only(kept)


def _shown(example: Example, rng: Random, bare_share: float, most_options: int | None) -> Example:
    question = example.question
    if not isinstance(question, Choice):
        return example
    size = len(example.target)
    order = rng.sample(range(size), size)
    if most_options is not None and size > most_options:
        order.remove(example.gold)
        order = order[: most_options - 1]
        order.insert(rng.randrange(most_options), example.gold)
    example = among(example, order)
    if rng.random() < bare_share:
        assert isinstance(example.question, Choice)
        bare = Choice(question.instructions, list(example.question.criteria))
        example = replace(example, question=bare)
    return example
