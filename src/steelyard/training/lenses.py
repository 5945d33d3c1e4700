"""Exits in training: affine maps from a layer's hidden states to what the last layer would say.

An exit is norm(h + W h + b) with a scale of its own on the scores (tuned lens, Belrose et al. 2023,
arXiv 2303.08112; Trutina report, 5.2). Its input is detached and the readout behind it is frozen,
so exits learn from the full model and never change it. What is minimised is the divergence of the
exit's distribution over the options from the last layer's. The scale serves training only: export
leaves it out and fits a temperature in its place.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from steelyard.backbone.lens import Lens


class ExitLens(nn.Module):
    """One exit; it begins as the plain logit lens."""

    def __init__(self, width: int, device: torch.device) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width, width, device=device))
        self.bias = nn.Parameter(torch.zeros(width, device=device))
        self.log_scale = nn.Parameter(torch.zeros((), device=device))

    def forward(self, hidden: Tensor) -> Tensor:
        """What takes the place of the last layer's hidden states, before the norm."""
        return Lens(self.weight, self.bias)(hidden)

    def scaled(self, scores: Tensor) -> Tensor:
        """Scores in the exit's own scale; -inf, which stands for no option, stays."""
        absent = scores == -torch.inf  # left in, its product with the scale has no gradient
        found: Tensor = scores.masked_fill(absent, 0.0) * self.log_scale.exp()
        return found.masked_fill(absent, -torch.inf)
