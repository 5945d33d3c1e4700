"""Bundles of examples as batches: the prompts that the engine asks, packed without padding.

A micro-batch is what one forward and backward pass computes: as many bundles as a budget of tokens
holds. What the questions of a state have in common at the beginning is computed once, and so are
the tokens that all states have in front (`joined`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from steelyard.backbone.parts import read_rows
from steelyard.prompt.branch import Prompt
from steelyard.prompt.chat import ChatFrame
from steelyard.prompt.layout import LAYOUTS, frame
from steelyard.prompt.options import option_set
from steelyard.tokens.build import BuiltPrompt, build
from steelyard.tokens.pack import pack
from steelyard.tokens.plan import ROOT, Batch, NodeRead, Segment
from steelyard.tokens.tokenizer import Tokenizer
from steelyard.training.readouts import TrainedReadout
from steelyard.training.shelf import Bundle
from steelyard.types.example import Example

WHOLE = 2**62
"""A budget that holds everything: what goes into a micro-batch has been decided before."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A bundle with the prompts of each of its examples.

    Attributes:
        num_tokens: rows that a batch computes for it.
    """

    bundle: Bundle
    prompts: tuple[tuple[BuiltPrompt, ...], ...]
    num_tokens: int


@dataclass(frozen=True, slots=True)
class Read:
    """One read of a question: the read itself, and its row among the batch's read rows."""

    read: NodeRead
    row: int


@dataclass(frozen=True, slots=True)
class MicroBatch:
    """Examples and the batch that asks them.

    Attributes:
        reads: for each example, for each of its prompts, what it reads, branch by branch.
    """

    examples: tuple[Example, ...]
    batch: Batch
    reads: tuple[tuple[tuple[tuple[Read, ...], ...], ...], ...]


@dataclass(frozen=True, slots=True)
class Asker:
    """Turns bundles into micro-batches with a model's tokenizer, wording and readout.

    Attributes:
        join: see `joined`. It pays where attention works in blocks (backbone/blocks.py).
    """

    tokenizer: Tokenizer
    chat: ChatFrame
    readout: TrainedReadout
    join: bool = False

    def ask(self, bundle: Bundle) -> Asked:
        """The prompts of a bundle, as token plans.

        Raises:
            UnsupportedModelError: a label is not one token of this tokenizer.
        """
        options = [option_set(example.question) for example in bundle.examples]
        filled = frame(LAYOUTS[bundle.layout], self.chat, bundle.state, options)
        prompts = tuple(self._build(self.readout.prompts(one, filled)) for one in options)
        plans = [built.plan for each in prompts for built in each]
        roots = {plan.nodes[0].ids for plan in plans}
        branches = sum(plan.num_tokens - len(plan.nodes[0].ids) for plan in plans)
        return Asked(bundle, prompts, branches + sum(map(len, roots)))

    def micro_batches(self, bundles: Iterable[Asked], budget_tokens: int) -> Iterator[MicroBatch]:
        """Consecutive bundles in batches of at most `budget_tokens`.

        A bundle that is larger by itself is computed alone: nothing is cut, nothing left out.
        """
        held: list[Asked] = []
        for asked in bundles:
            if held and sum(one.num_tokens for one in held) + asked.num_tokens > budget_tokens:
                yield placed(held, join=self.join)
                held = []
            held.append(asked)
        if held:
            yield placed(held, join=self.join)

    def _build(self, prompts: Sequence[Prompt]) -> tuple[BuiltPrompt, ...]:
        return build(prompts, self.tokenizer)


def placed(bundles: Sequence[Asked], *, join: bool = False) -> MicroBatch:
    """Bundles laid into one batch."""
    questions = [each for asked in bundles for each in asked.prompts]
    plans = [built.plan for each in questions for built in each]
    (batch,) = pack(plans, budget_tokens=WHOLE)
    if join:
        batch = joined(batch)
    rows = np.searchsorted(read_rows(batch), [read.row for read in batch.reads]).tolist()
    row_of = {
        (batch.segments[one.segment].plan, batch.segments[one.segment].node, one.read): row
        for one, row in zip(batch.reads, rows, strict=True)
    }
    numbers = count()
    return MicroBatch(
        tuple(example for asked in bundles for example in asked.bundle.examples),
        batch,
        tuple(tuple(_reads(built, next(numbers), row_of) for built in each) for each in questions),
    )


def joined(batch: Batch) -> Batch:
    """The batch as one tree: what all its roots begin with is one segment, their parent.

    That is the system message and whatever else a layout puts in front of every state: a tenth of
    the tokens or more where states are short.

    Args:
        batch: without contexts.
    """
    assert not batch.contexts, "a stored prefix is not among the rows"
    roots = [segment for segment in batch.segments if segment.parent == ROOT]
    size = _common(batch, roots)
    if len(roots) == 1 or size == 0:
        return batch
    kept = np.ones(batch.num_rows, dtype=bool)
    for root in roots:
        kept[root.begin : root.begin + size] = False
    order = np.concatenate([np.arange(roots[0].begin, roots[0].begin + size), np.flatnonzero(kept)])
    row = np.zeros(batch.num_rows, dtype=np.int64)  # where each row that stays has gone
    row[order] = np.arange(len(order))
    front = replace(roots[0], begin=0, end=size)
    moved = [
        replace(
            one,
            begin=int(row[one.begin + size if one.parent == ROOT else one.begin]),
            end=int(row[one.end - 1]) + 1,
            parent=0 if one.parent == ROOT else one.parent + 1,
            sees=tuple(seen + 1 for seen in one.sees),
        )
        for one in batch.segments
    ]
    return Batch(
        ids=batch.ids[order],
        positions=batch.positions[order],
        segments=(front, *moved),
        reads=tuple(
            replace(read, segment=read.segment + 1, row=int(row[read.row])) for read in batch.reads
        ),
    )


def _common(batch: Batch, roots: Sequence[Segment]) -> int:
    """How many tokens all roots begin with, at the same positions, unread; one is left to each."""
    size = min(len(batch.ids[root.begin : root.end]) for root in roots) - 1
    first = roots[0]
    for root in roots:
        same = batch.ids[root.begin : root.begin + size] == batch.ids[first.begin :][:size]
        size = size if same.all() else int(same.argmin())
        assert batch.positions[root.begin] == batch.positions[first.begin]
    read = {one.segment: one.row for one in reversed(batch.reads)}  # the first of each segment
    for index, segment in enumerate(batch.segments):
        if segment.parent == ROOT and index in read:
            size = min(size, read[index] - segment.begin)
    return size


def _reads(
    built: BuiltPrompt, plan: int, row_of: Mapping[tuple[int, int, NodeRead], int]
) -> tuple[tuple[Read, ...], ...]:
    return tuple(
        tuple(Read(read, row_of[plan, node, read]) for node, read in branch.at)
        for branch in built.reads
    )
