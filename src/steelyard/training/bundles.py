"""The order in which examples are learned: epochs of bundles, and what is redrawn in each.

A bundle is a state with questions asked of it; in a batch they share the state's prefix, where the
layout begins with the state. In every epoch the bundles come in another order, each in a layout
that is drawn, the options of a choice in another order, and a share of the choices without
descriptions. All of it follows from (seed, epoch), so a run that is resumed sees what it would have
seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from steelyard.types.codec import dumps
from steelyard.types.content import Content
from steelyard.types.example import Example, among
from steelyard.types.question import Choice

MOST_QUESTIONS = 24
"""In a bundle; a state with more becomes several bundles."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Examples with the same state, asked in one layout."""

    state: Content
    examples: tuple[Example, ...]
    layout: str

    @property
    def source(self) -> str:
        """Of its first example."""
        return self.examples[0].source


def bundled(examples: Iterable[Example], layout: str) -> list[Bundle]:
    """Examples by their state, in the order of the states' first appearance."""
    by_state: dict[str, list[Example]] = {}
    for example in examples:
        by_state.setdefault(dumps(example.state), []).append(example)
    return [
        Bundle(group[0].state, tuple(group[at : at + MOST_QUESTIONS]), layout)
        for group in by_state.values()
        for at in range(0, len(group), MOST_QUESTIONS)
    ]


def epoch(
    bundles: Sequence[Bundle],
    *,
    seed: int,
    number: int,
    bare_share: float,
    layouts: Mapping[str, float],
    mix: Mapping[str, float] | None = None,
    most_options: int | None = None,
) -> list[Bundle]:
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
        index
        for index in rng.sample(range(len(bundles)), len(bundles))
        if rng.random() < shares.get(bundles[index].source, 1.0)
    ]
    drawn = rng.choices(list(layouts), list(layouts.values()), k=len(order))
    return [
        Bundle(
            bundles[index].state,
            tuple(_shown(one, rng, bare_share, most_options) for one in bundles[index].examples),
            layout,
        )
        for index, layout in zip(order, drawn, strict=True)
    ]


def drawn(bundles: Sequence[Bundle], most_questions: int) -> list[Bundle]:
    """A fixed draw of whole bundles, `most_questions` at most in all; at least one bundle."""
    order = Random(0).sample(range(len(bundles)), len(bundles))
    kept: list[Bundle] = []
    count = 0
    for index in order:
        size = len(bundles[index].examples)
        if not kept or count + size <= most_questions:
            kept.append(bundles[index])
            count += size
    return kept


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
