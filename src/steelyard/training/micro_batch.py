"""Bundles of examples as batches: the prompts that the engine asks, packed without padding.

A micro-batch is what one forward and backward pass computes: as many bundles as a budget of tokens
holds. What the questions of a state have in common at the beginning is computed once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from steelyard.backbone.forward import read_rows
from steelyard.prompt.branch import Prompt
from steelyard.prompt.chat import ChatFrame
from steelyard.prompt.layout import LAYOUTS, frame
from steelyard.prompt.options import option_set
from steelyard.tokens.build import BuiltPrompt, build
from steelyard.tokens.pack import pack
from steelyard.tokens.plan import Batch, NodeRead
from steelyard.tokens.tokenizer import Tokenizer
from steelyard.training.bundles import Bundle
from steelyard.training.readouts import TrainedReadout
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
    """Turns bundles into micro-batches with a model's tokenizer, wording and readout."""

    tokenizer: Tokenizer
    chat: ChatFrame
    readout: TrainedReadout

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
                yield placed(held)
                held = []
            held.append(asked)
        if held:
            yield placed(held)

    def _build(self, prompts: Sequence[Prompt]) -> tuple[BuiltPrompt, ...]:
        return build(prompts, self.tokenizer)


def placed(bundles: Sequence[Asked]) -> MicroBatch:
    """Bundles laid into one batch."""
    questions = [each for asked in bundles for each in asked.prompts]
    plans = [built.plan for each in questions for built in each]
    (batch,) = pack(plans, budget_tokens=WHOLE)
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


def _reads(
    built: BuiltPrompt, plan: int, row_of: Mapping[tuple[int, int, NodeRead], int]
) -> tuple[tuple[Read, ...], ...]:
    return tuple(
        tuple(Read(read, row_of[plan, node, read]) for node, read in branch.at)
        for branch in built.reads
    )
