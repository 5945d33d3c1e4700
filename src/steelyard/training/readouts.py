"""Readouts as functions that gradients flow through: the training side of `steelyard.readout`.

Each builds the very prompts that its namesake asks first, and turns hidden states at their reads
into scores (questions, options), padded with -inf. Rotations, second readings and the later rounds
of a tournament are left to inference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from steelyard.backbone.decoder import Decoder
from steelyard.prompt.branch import Prompt
from steelyard.prompt.layout import Frame
from steelyard.prompt.options import OptionSet
from steelyard.readout.continuation import continuation
from steelyard.readout.letters import letters
from steelyard.readout.pointer import list_prompt, set_prompt
from steelyard.readout.pointer_head import POINTER_WIDTH, PointerHead
from steelyard.tokens.plan import LogitRead, LogProbRead

if TYPE_CHECKING:
    from steelyard.training.micro_batch import MicroBatch

VOCAB_ROWS = 256
"""Rows whose logits over the whole vocabulary are held at a time."""


class TrainedReadout(Protocol):
    """A readout in training.

    Attributes:
        name: of the readout in `steelyard.readout`.
        most_options: that one prompt can show, or None.
    """

    @property
    def name(self) -> str: ...

    @property
    def most_options(self) -> int | None: ...

    def prompts(self, options: OptionSet, frame: Frame) -> tuple[Prompt, ...]:
        """What asks one question."""
        ...

    def scores(self, decoder: Decoder, normed: Tensor, micro: MicroBatch) -> Tensor:
        """Scores (questions, options) from hidden states after the norm, (read rows, width)."""
        ...

    def parameters(self) -> Mapping[str, nn.Parameter]:
        """What the readout trains of its own, by name."""
        ...

    def detached(self) -> TrainedReadout:
        """The same readout, through which no gradient reaches its own parameters."""
        ...


class Pointing:
    """`pointer` and `pointer-set`; the head is trained from scratch."""

    most_options: int | None = None

    def __init__(self, name: str, parameters: Mapping[str, Tensor]) -> None:
        self.name = name
        self._shown = {"pointer": list_prompt, "pointer-set": set_prompt}[name]
        self._parameters = parameters

    @classmethod
    def new(cls, name: str, width: int, device: torch.device) -> Pointing:
        """An untrained head: small random projections, so that scores begin near 0."""
        shapes = {"query": (POINTER_WIDTH, width), "key": (POINTER_WIDTH, width)}
        made: dict[str, Tensor] = {}
        for part, shape in shapes.items():
            weight = torch.empty(shape, device=device)
            nn.init.normal_(weight, std=width**-0.5)
            made[f"{part}.weight"] = nn.Parameter(weight)
            made[f"{part}.bias"] = nn.Parameter(torch.zeros(POINTER_WIDTH, device=device))
        return cls(name, made)

    def prompts(self, options: OptionSet, frame: Frame) -> tuple[Prompt, ...]:
        return (self._shown(options, frame),)

    def scores(self, decoder: Decoder, normed: Tensor, micro: MicroBatch) -> Tensor:
        rows = [[read.row for branch in prompt for read in branch] for (prompt,) in micro.reads]
        cues = torch.tensor([each[-1] for each in rows], device=normed.device)
        options, absent = _padded([each[:-1] for each in rows], normed.device)
        p = self._parameters
        queries = F.linear(normed[cues], p["query.weight"], p["query.bias"])  # (questions, d)
        keys = F.linear(normed, p["key.weight"], p["key.bias"])[options]  # (questions, options, d)
        products = (keys @ queries.unsqueeze(-1)).squeeze(-1) * queries.shape[-1] ** -0.5
        scores: Tensor = products.masked_fill(absent, -torch.inf)
        return scores

    def parameters(self) -> Mapping[str, nn.Parameter]:
        return {k: v for k, v in self._parameters.items() if isinstance(v, nn.Parameter)}

    def detached(self) -> Pointing:
        return Pointing(self.name, {k: v.detach() for k, v in self._parameters.items()})

    def head(self) -> PointerHead:
        """The head as the readout at inference takes it."""
        arrays = {k: v.detach().cpu().numpy().copy() for k, v in self._parameters.items()}
        return PointerHead(
            *(arrays[k] for k in ("query.weight", "query.bias", "key.weight", "key.bias"))
        )


class Lettered:
    """`letters`: the logits of A to Z at the cue."""

    name = "letters"
    most_options: int | None = 26

    def prompts(self, options: OptionSet, frame: Frame) -> tuple[Prompt, ...]:
        return next(letters(options, frame)).prompts

    def scores(self, decoder: Decoder, normed: Tensor, micro: MicroBatch) -> Tensor:
        reads = [read for (((read,),),) in micro.reads]
        targets = []
        for one in reads:
            assert isinstance(one.read, LogitRead)
            targets.append(one.read.targets)
        labels, absent = _padded(targets, normed.device)
        hidden = normed[torch.tensor([one.row for one in reads], device=normed.device)]
        rows = decoder.head[labels].to(hidden.dtype)  # (questions, options, width)
        return (rows @ hidden.unsqueeze(-1)).squeeze(-1).masked_fill(absent, -torch.inf)

    def parameters(self) -> Mapping[str, nn.Parameter]:
        return {}

    def detached(self) -> Lettered:
        return self


class Continued:
    """`continuation`: each option's log-likelihood with the state, minus the same without it."""

    name = "continuation"
    most_options: int | None = None

    def prompts(self, options: OptionSet, frame: Frame) -> tuple[Prompt, ...]:
        return next(continuation(options, frame)).prompts

    def scores(self, decoder: Decoder, normed: Tensor, micro: MicroBatch) -> Tensor:
        rows, targets, cells, signs = [], [], [], []
        widest = max(len(example.target) for example in micro.examples)
        for question, prompts in enumerate(micro.reads):
            for sign, branches in zip((1.0, -1.0), prompts, strict=True):
                for option, branch in enumerate(branches):
                    for one in branch:
                        assert isinstance(one.read, LogProbRead)
                        rows.append(one.row)
                        targets.append(one.read.target)
                        cells.append(question * widest + option)
                        signs.append(sign)
        device = normed.device
        log_p = _log_probs(decoder, normed, torch.tensor(rows), torch.tensor(targets))
        flat = normed.new_zeros(len(micro.examples) * widest)
        signed = log_p * torch.tensor(signs, device=device)
        flat = flat.index_add(0, torch.tensor(cells, device=device), signed)
        sizes = torch.tensor([len(example.target) for example in micro.examples], device=device)
        absent = torch.arange(widest, device=device) >= sizes.unsqueeze(-1)
        return flat.view(-1, widest).masked_fill(absent, -torch.inf)

    def parameters(self) -> Mapping[str, nn.Parameter]:
        return {}

    def detached(self) -> Continued:
        return self


def _log_probs(decoder: Decoder, normed: Tensor, rows: Tensor, targets: Tensor) -> Tensor:
    """log p(targets[i]) at normed[rows[i]]; logits are made anew on the way back."""

    def block(hidden: Tensor, target: Tensor) -> Tensor:
        logits = F.linear(hidden.to(decoder.head.dtype), decoder.head).float()
        return -F.cross_entropy(logits, target, reduction="none")

    parts = [
        checkpoint(block, normed[r.to(normed.device)], t.to(normed.device), use_reentrant=False)
        for r, t in zip(
            torch.split(rows, VOCAB_ROWS), torch.split(targets, VOCAB_ROWS), strict=True
        )
    ]
    return torch.cat(parts)


def _padded(lists: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor]:
    """Lists as one (lists, longest) array of int64, and where nothing stands."""
    longest = max(map(len, lists))
    filled = [[*each, *[0] * (longest - len(each))] for each in lists]
    sizes = torch.tensor([len(each) for each in lists], device=device)
    absent = torch.arange(longest, device=device) >= sizes.unsqueeze(-1)
    return torch.tensor(filled, device=device), absent
