"""The training loop that one would write with transformers and peft, to compare ours with.

One question a row: the state, the question, its options as a list and the cue, padded to the
longest row of its batch. A pointer head compares the last layer's hidden state at the cue with that
at the end of each option, so every question can be asked with all its options, and no logits over
the vocabulary are computed at all. Loss, optimiser and adapters are as in our training; attention
is transformers' own (torch's scaled_dot_product_attention under a padding mask).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from steelyard.backbone.weights.source import Weights
from steelyard.readout.pointer_head import POINTER_WIDTH
from steelyard.training.bundles import Bundle
from steelyard.training.loss import LossWeights, decision_losses
from steelyard.training.micro_batch import Asked, Asker
from steelyard.training.targets import targets_of
from steelyard.types.example import Example

LINEAR_MAPS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


@dataclass(frozen=True, slots=True)
class Row:
    """One question with its whole prompt.

    Attributes:
        marks: where each option ends; cue: where the prompt ends.
        state_tokens: length of the part that all questions on its state have in common.
    """

    example: Example
    ids: tuple[int, ...]
    marks: tuple[int, ...]
    cue: int
    state_tokens: int


def rows_of(asked: Sequence[Asked], asker: Asker) -> list[Row]:
    """The questions of a step as rows; `asker` lists options (the readout `pointer`)."""
    return [
        _row(asker.ask(Bundle(one.bundle.state, (example,), one.bundle.layout)))
        for one in asked
        for example in one.bundle.examples
    ]


def _row(asked: Asked) -> Row:
    (example,), (((built,),)) = asked.bundle.examples, asked.prompts
    nodes = built.plan.nodes
    assert [node.parent for node in nodes] == list(range(-1, len(nodes) - 1)), "no single path"
    *marks, cue = (nodes[at].start + read.offset for each in built.reads for at, read in each.at)
    ids = tuple(token for node in nodes for token in node.ids)
    return Row(example, ids, tuple(marks), cue, len(nodes[0].ids))


class PlainLoop:
    """A model with adapters and head, and its optimiser.

    Args:
        dtype: float32, or bfloat16 weights under autocast with float32 adapters (peft's default).
        rows: of a batch; gradients of several batches add up to a step.
    """

    def __init__(
        self, weights: Weights, *, rank: int, alpha: float, lr: float, dtype: torch.dtype, rows: int
    ) -> None:
        self.rows, self.dtype = rows, dtype
        self.model = _with_adapters(weights, rank, alpha, dtype)
        width = self.model.config.hidden_size
        self.query, self.key = nn.Linear(width, POINTER_WIDTH), nn.Linear(width, POINTER_WIDTH)
        trained = [p for p in self.model.parameters() if p.requires_grad]
        self.trained = [*trained, *self.query.parameters(), *self.key.parameters()]
        self.optimizer = torch.optim.AdamW(self.trained, lr=lr, weight_decay=0.0)

    def step(self, rows: Sequence[Row], weights: LossWeights, clip: float) -> float:
        """One optimiser step on these rows, in their order; its mean loss."""
        self.optimizer.zero_grad(set_to_none=True)
        total_weight = sum(row.example.weight for row in rows)
        total = 0.0
        for batch in self.batches(rows):
            targets = targets_of([row.example for row in batch], torch.device("cpu"))
            scores = self.scores(batch)
            losses = decision_losses(scores, targets.shares, targets.ordered, weights)
            loss = losses @ targets.weights / total_weight
            loss.backward()  # type: ignore[no-untyped-call]
            total += loss.item()
        nn.utils.clip_grad_norm_(self.trained, clip)
        self.optimizer.step()
        return total

    def batches(self, rows: Sequence[Row]) -> list[Sequence[Row]]:
        return [rows[at : at + self.rows] for at in range(0, len(rows), self.rows)]

    def scores(self, batch: Sequence[Row]) -> Tensor:
        """(rows, options), -inf where there is no option."""
        longest = max(len(row.ids) for row in batch)
        ids = torch.zeros(len(batch), longest, dtype=torch.long)
        mask = torch.zeros(len(batch), longest, dtype=torch.long)
        options = torch.zeros(len(batch), max(len(row.marks) for row in batch), dtype=torch.long)
        absent = torch.ones(options.shape, dtype=torch.bool)
        for index, row in enumerate(batch):
            ids[index, : len(row.ids)], mask[index, : len(row.ids)] = torch.tensor(row.ids), 1
            options[index, : len(row.marks)] = torch.tensor(row.marks)
            absent[index, : len(row.marks)] = False
        with self._precision():
            hidden = self.model(input_ids=ids, attention_mask=mask, use_cache=False)[0].float()
        each = torch.arange(len(batch))
        queries = self.query(hidden[each, torch.tensor([row.cue for row in batch])])
        keys = self.key(hidden[each[:, None], options])  # (rows, options, head width)
        products = (keys @ queries.unsqueeze(-1)).squeeze(-1) / math.sqrt(POINTER_WIDTH)
        scores: Tensor = products.masked_fill(absent, -torch.inf)
        return scores

    def padded_tokens(self, rows: Sequence[Row]) -> int:
        """Tokens that the step computes, padding among them."""
        return sum(len(b) * max(len(row.ids) for row in b) for b in self.batches(rows))

    def _precision(self) -> AbstractContextManager[object]:
        if self.dtype == torch.float32:
            return nullcontext()
        return torch.autocast("cpu", self.dtype)


def _with_adapters(weights: Weights, rank: int, alpha: float, dtype: torch.dtype) -> Any:
    """The weights in transformers' own model, with peft's adapters on every linear map."""
    import transformers
    from peft import LoraConfig, get_peft_model

    config = transformers.AutoConfig.for_model(**weights.config)
    model: Any = transformers.AutoModel.from_config(config)
    tensors = {name.removeprefix("model."): x for name, x in weights.tensors(torch.float32)}
    missing, unknown = model.load_state_dict(tensors, strict=False)
    assert not missing and set(unknown) <= {"lm_head.weight"}, f"{missing}, {unknown}"
    lora = LoraConfig(r=rank, lora_alpha=alpha, target_modules=list(LINEAR_MAPS))
    return get_peft_model(model.to(dtype), lora).train()
