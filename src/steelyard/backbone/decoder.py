"""The decoder of the known families, as a stack of layers that can be walked one by one.

Modules and parameters have the names of a Hugging Face checkpoint, without the leading `model.`.
The residual stream is float32 whatever the type of the weights.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor, nn

from steelyard.backbone import attention
from steelyard.backbone.attention import KeysValues
from steelyard.backbone.config import DecoderConfig
from steelyard.backbone.delta_net import DeltaNet
from steelyard.backbone.layers import Embedding, Linear, PackedLinear, RMSNorm, can_pack
from steelyard.backbone.recurrence import Recurrence, Recurrent
from steelyard.backbone.rotary import Rotary, rotate
from steelyard.backbone.shapes import path_of
from steelyard.errors import ModelFileError

logger = logging.getLogger(__name__)

BLOCK_ROWS = 512
"""Rows that go through an MLP together: its inner width would need the most memory of all."""


Memory: TypeAlias = KeysValues | Recurrent
"""What a prefix leaves behind in a layer: the keys and values of its tokens, or their end."""


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """What every layer needs to know of a batch.

    Attributes:
        recurrence: None for a decoder without recurrent layers.
    """

    rotary: Rotary
    attention: attention.Attention
    recurrence: Recurrence | None


class Attention(nn.Module):
    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.head_dim = config.head_dim
        self.gated = config.gated
        q_width, kv_width = config.heads * config.head_dim, config.kv_heads * config.head_dim
        q_outputs = 2 * q_width if config.gated else q_width  # of each head the query and its gate
        self.q_proj = Linear(config.width, q_outputs, config.qkv_bias)
        self.k_proj = Linear(config.width, kv_width, config.qkv_bias)
        self.v_proj = Linear(config.width, kv_width, config.qkv_bias)
        self.o_proj = Linear(q_width, config.width, config.o_bias)
        self.q_norm = _norm(config, config.head_dim) if config.qk_norm else nn.Identity()
        self.k_norm = _norm(config, config.head_dim) if config.qk_norm else nn.Identity()

    def project(self, x: Tensor, rotary: Rotary) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
        """Queries (rows, heads, head_dim), keys and values (rows, kv_heads, head_dim), and gates.

        The gates are (rows, heads * head_dim), before their sigmoid; None where there are none.
        """
        q, k, v = (
            project(x).unflatten(-1, (-1, self.head_dim))
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        gate = None
        if self.gated:
            q, gate = q.unflatten(1, (-1, 2)).unbind(2)
            gate = gate.flatten(1)
        q = rotate(self.q_norm(q), rotary).to(v.dtype)
        k = rotate(self.k_norm(k), rotary).to(v.dtype)
        return q, k, v, gate

    def out(self, read: Tensor) -> Tensor:
        y: Tensor = self.o_proj(read)
        return y


def gated(read: Tensor, gate: Tensor | None) -> Tensor:
    """What attention has read, as far as the gates let it through."""
    return read if gate is None else read * gate.float().sigmoid()


class Mlp(nn.Module):
    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.gate_proj = Linear(config.width, config.mlp_width, config.mlp_bias)
        self.up_proj = Linear(config.width, config.mlp_width, config.mlp_bias)
        self.down_proj = Linear(config.mlp_width, config.width, config.mlp_bias)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.down_proj(self.gate_proj.silu(x) * self.up_proj(x))
        return y


class Layer(nn.Module):
    def __init__(self, config: DecoderConfig, index: int) -> None:
        super().__init__()
        self.recurrent = config.is_recurrent(index)
        self.input_layernorm = _norm(config, config.width)
        if config.recurrent is not None and self.recurrent:
            self.linear_attn = DeltaNet(config.width, config.recurrent, config.norm_eps)
        else:
            self.self_attn = Attention(config)
        self.post_attention_layernorm = _norm(config, config.width)
        self.mlp = Mlp(config)

    def forward(
        self,
        hidden: Tensor,
        walk: Walk,
        stored: Sequence[Memory],
        only: Tensor | None = None,
    ) -> tuple[Tensor, KeysValues | Mapping[int, Recurrent]]:
        """One layer further, and what the rows leave behind in this layer.

        Args:
            hidden: (rows, width), float32.
            stored: what the stored prefixes have left behind: of attention each link of their
                chains, of a recurrent layer each of them.
            only: the rows wanted after this layer, or None for all.
        Returns:
            Hidden states; and keys and values of all rows, or of a recurrent layer the ends of the
            segments to be captured.
        """
        read, left = self.read(hidden, walk, stored)
        if only is not None:
            hidden, read = hidden[only], read[only]
        blocks = zip(torch.split(hidden, BLOCK_ROWS), torch.split(read, BLOCK_ROWS), strict=True)
        hidden = torch.cat([self.row_wise(*block) for block in blocks])
        return hidden, left

    def read(
        self, hidden: Tensor, walk: Walk, stored: Sequence[Memory]
    ) -> tuple[Tensor, KeysValues | Mapping[int, Recurrent]]:
        """What every row reads from what came before it; and see `forward`."""
        x = self.input_layernorm(hidden)
        if self.recurrent:
            assert walk.recurrence is not None, "a batch planned for another decoder"
            return self.linear_attn.mix(x, walk.recurrence, stored)
        q, k, v, gate = self.self_attn.project(x, walk.rotary)
        read = walk.attention.attend(q, k, v, stored).flatten(1)  # (rows, heads * head_dim)
        return gated(read, gate), (k, v)

    def row_wise(self, hidden: Tensor, read: Tensor) -> Tensor:
        """What follows the reading: each row on its own, in blocks or all together."""
        mixer = self.linear_attn if self.recurrent else self.self_attn
        hidden = hidden + mixer.out(read)
        after: Tensor = hidden + self.mlp(self.post_attention_layernorm(hidden))
        return after


def _norm(config: DecoderConfig, width: int) -> RMSNorm:
    return RMSNorm(width, config.norm_eps, config.centred_norms)


class Decoder(nn.Module):
    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embed_tokens = Embedding(config.vocab, config.width)
        self.layers = nn.ModuleList(Layer(config, index) for index in range(config.layers))
        self.norm = _norm(config, config.width)
        self.lm_head = None if config.tied else Linear(config.width, config.vocab)

    @property
    def head(self) -> Tensor:
        """The rows that unembed, (vocab, width)."""
        return self.embed_tokens.weight if self.lm_head is None else self.lm_head.weight

    @property
    def dtype(self) -> torch.dtype:
        return self.embed_tokens.weight.dtype

    @property
    def device(self) -> torch.device:
        return self.embed_tokens.weight.device

    def embed(self, ids: Tensor) -> Tensor:
        """Hidden states before the first layer, float32 (rows, width)."""
        rows: Tensor = self.embed_tokens(ids)
        return rows.float()

    @classmethod
    def from_weights(
        cls,
        config: DecoderConfig,
        tensors: Iterable[tuple[str, Tensor]],
        *,
        dtype: torch.dtype = torch.float32,
        device: str | torch.device = "cpu",
    ) -> Decoder:
        """A decoder from named tensors, which are taken one at a time and not kept.

        Args:
            tensors: by their Hugging Face names (`model.layers.0.self_attn.q_proj.weight`).
            dtype: of linear maps and embeddings; the small rest, such as norms, stays float32.
        Returns:
            A decoder without gradients; training switches on those it wants.
        Raises:
            ModelFileError: a tensor is missing, unknown, there twice or of the wrong shape.
        """
        with torch.device("meta"):
            decoder = cls(config)
        missing = {name: tuple(p.shape) for name, p in decoder.named_parameters()}
        for name, tensor in tensors:
            path = path_of(name, config)
            if path is None:
                continue
            if path not in missing:
                raise ModelFileError(f"not a tensor of this model, or there twice: {name}")
            if tuple(tensor.shape) != missing[path]:
                raise ModelFileError(
                    f"{name}: shape {tuple(tensor.shape)}; the configuration says {missing[path]}"
                )
            decoder._set(path, tensor.detach(), dtype, torch.device(device))
            del missing[path]
        if missing:
            raise ModelFileError(f"tensors missing from the weights: {', '.join(sorted(missing))}")
        return decoder

    def _set(self, path: str, tensor: Tensor, dtype: torch.dtype, device: torch.device) -> None:
        owner, _, leaf = path.rpartition(".")
        module = self.get_submodule(owner)
        kept = dtype if isinstance(module, Linear | Embedding) else torch.float32
        value = tensor.to(device=device, dtype=kept).contiguous()
        setattr(module, leaf, nn.Parameter(value, requires_grad=False))

    def pack(self) -> Decoder:
        """Pack the layers' weights for inference on a CPU, one after the other; returns itself.

        Afterwards nothing here can be trained. The head stays as it is: single rows of it are read.
        """
        if not can_pack():
            logger.warning("event=not_packed reason=%r", "this torch has no oneDNN linear map")
            return self
        owners = [m for m in self.layers.modules() if not isinstance(m, Linear)]
        for owner in owners:
            for name, child in list(owner.named_children()):
                if isinstance(child, Linear):
                    setattr(owner, name, PackedLinear(child))
        return self
