"""Gated DeltaNet, the recurrent layers of Qwen3.5 (Yang 2024, arXiv 2412.06464).

Queries, keys and values go through a short causal convolution, the gated delta rule reads them, and
what was read is normed and gated. Parameters have the names of a Hugging Face checkpoint.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from steelyard.backbone.config import RecurrentConfig
from steelyard.backbone.layers import Linear, RMSNorm
from steelyard.backbone.recurrence import Recurrence, Recurrent


class Convolution(nn.Module):
    """Each channel's own weighted sum over the last tokens, in float32."""

    def __init__(self, channels: int, kernel: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(channels, 1, kernel))

    def forward(self, columns: Tensor, taps: Tensor) -> Tensor:
        """float32 (rows, channels).

        Args:
            columns: (any number, channels).
            taps: int64 (rows, kernel), which of them each row sees, the oldest first.
        """
        mixed = columns.new_zeros((len(taps), columns.shape[1]), dtype=torch.float32)
        for tap, weight in zip(taps.unbind(1), self.weight[:, 0].unbind(1), strict=True):
            mixed = torch.addcmul(mixed, _taken(columns, tap).float(), weight)
        return mixed


class DeltaNet(nn.Module):
    """What stands in a recurrent layer in place of attention."""

    def __init__(self, width: int, config: RecurrentConfig, norm_eps: float) -> None:
        super().__init__()
        self.key_dim, self.value_dim = config.key_dim, config.value_dim
        key_width = config.key_heads * config.key_dim
        value_width = config.value_heads * config.value_dim
        self.widths = [key_width, key_width, value_width]
        self.in_proj_qkv = Linear(width, config.channels)
        self.in_proj_z = Linear(width, value_width)
        self.in_proj_b = Linear(width, config.value_heads)
        self.in_proj_a = Linear(width, config.value_heads)
        self.conv1d = Convolution(config.channels, config.kernel)
        self.A_log = nn.Parameter(torch.empty(config.value_heads))
        self.dt_bias = nn.Parameter(torch.empty(config.value_heads))
        self.norm = RMSNorm(config.value_dim, norm_eps)
        self.out_proj = Linear(value_width, width)

    def mix(
        self, x: Tensor, recurrence: Recurrence, stored: Sequence[tuple[Tensor, Tensor]]
    ) -> tuple[Tensor, dict[int, Recurrent]]:
        """What every row reads, and what the segments to be captured leave behind.

        Args:
            x: (rows, width), normed.
            stored: what the stored prefixes have left behind.
        Returns:
            float32 (rows, value_heads * value_dim), for `out`; and by segment.
        """
        columns = self.in_proj_qkv(x)  # (rows, channels)
        zeros = columns.new_zeros(1, columns.shape[1])
        columns = torch.cat([zeros, *(tail for _, tail in stored), columns])
        mixed = F.silu(self.conv1d(columns, recurrence.taps))
        q, k, v = torch.split(mixed, self.widths, dim=-1)
        q, k = (_unit(y.view(len(x), -1, self.key_dim)) for y in (q, k))
        log_decay = -self.A_log.exp() * F.softplus(self.in_proj_a(x).float() + self.dt_bias)
        read, states = recurrence.read(
            q * self.key_dim**-0.5,
            k,
            v.view(len(x), -1, self.value_dim),
            log_decay,
            self.in_proj_b(x).float().sigmoid(),
            [state for state, _ in stored],
        )
        gate = F.silu(self.in_proj_z(x).float()).view(read.shape)
        left = {
            segment: Recurrent(state, columns[recurrence.captured[segment][1]])
            for segment, state in states.items()
        }
        return (self.norm(read) * gate).flatten(1), left

    def out(self, read: Tensor) -> Tensor:
        y: Tensor = self.out_proj(read)
        return y


def _taken(columns: Tensor, rows: Tensor) -> Tensor:
    """Rows of which some are wanted several times: the end of a parent, by each of its children.

    On the way back their gradients are summed, and each form has one kind of device on which it
    sums in no fixed order: a run that is resumed would not see the same losses.
    """
    if columns.device.type == "cpu":
        return columns.index_select(0, rows)
    return columns[rows]


def _unit(x: Tensor) -> Tensor:
    """Vectors of length 1, unless they are next to nothing."""
    return x * torch.rsqrt(x.square().sum(dim=-1, keepdim=True) + 1e-6)
