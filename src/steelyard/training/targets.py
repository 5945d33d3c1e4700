"""The target distributions of examples as padded arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from steelyard.types.example import Example
from steelyard.types.question import Score


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """For each question, float32.

    Attributes:
        shares: (questions, most options), its target, with zeros where there is no option.
        ordered: (questions,), 1 where the options are levels.
        weights: (questions,).
    """

    shares: Tensor
    ordered: Tensor
    weights: Tensor


def targets_of(examples: Sequence[Example], device: torch.device) -> Targets:
    """The targets of examples, in their order."""
    widest = max(len(example.target) for example in examples)
    shares = [[*one.target, *[0.0] * (widest - len(one.target))] for one in examples]
    ordered = [float(isinstance(one.question, Score)) for one in examples]
    weights = [one.weight for one in examples]
    return Targets(*(torch.tensor(x, device=device) for x in (shares, ordered, weights)))
