"""The decoder of the Llama family, as a stack of layers that can be walked one by one.

Modules and parameters have the names of a Hugging Face checkpoint, without the leading `model.`.
The residual stream is float32 whatever the type of the weights.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn

from steelyard.backbone import attention
from steelyard.backbone.attention import KeysValues
from steelyard.backbone.config import DecoderConfig
from steelyard.backbone.layers import Embedding, Linear, PackedLinear, RMSNorm, can_pack
from steelyard.backbone.rotary import Rotary, rotate
from steelyard.errors import ModelFileError

logger = logging.getLogger(__name__)

BLOCK_ROWS = 512
"""Rows that go through an MLP together: its inner width would need the most memory of all."""


class Attention(nn.Module):
    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.head_dim = config.head_dim
        q_width, kv_width = config.heads * config.head_dim, config.kv_heads * config.head_dim
        self.q_proj = Linear(config.width, q_width, config.qkv_bias)
        self.k_proj = Linear(config.width, kv_width, config.qkv_bias)
        self.v_proj = Linear(config.width, kv_width, config.qkv_bias)
        self.o_proj = Linear(q_width, config.width, config.o_bias)
        self.q_norm = RMSNorm(config.head_dim, config.norm_eps) if config.qk_norm else nn.Identity()
        self.k_norm = RMSNorm(config.head_dim, config.norm_eps) if config.qk_norm else nn.Identity()

    def project(self, x: Tensor, rotary: Rotary) -> tuple[Tensor, Tensor, Tensor]:
        """Queries (rows, heads, head_dim), keys and values (rows, kv_heads, head_dim)."""
        q, k, v = (
            project(x).unflatten(-1, (-1, self.head_dim))
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        q = rotate(self.q_norm(q), rotary).to(v.dtype)
        k = rotate(self.k_norm(k), rotary).to(v.dtype)
        return q, k, v


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
    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(config.width, config.norm_eps)
        self.self_attn = Attention(config)
        self.post_attention_layernorm = RMSNorm(config.width, config.norm_eps)
        self.mlp = Mlp(config)

    def forward(
        self,
        hidden: Tensor,
        rotary: Rotary,
        plan: attention.Attention,
        stored: Sequence[KeysValues],
        only: Tensor | None = None,
    ) -> tuple[Tensor, KeysValues]:
        """One layer further, and the layer's keys and values.

        Args:
            hidden: (rows, width), float32.
            only: the rows wanted after this layer, or None for all.
        """
        q, k, v = self.self_attn.project(self.input_layernorm(hidden), rotary)
        read = plan.attend(q, k, v, stored).flatten(1)  # (rows, heads * head_dim)
        if only is not None:
            hidden, read = hidden[only], read[only]
        blocks = zip(torch.split(hidden, BLOCK_ROWS), torch.split(read, BLOCK_ROWS), strict=True)
        hidden = torch.cat([self.row_wise(*block) for block in blocks])
        return hidden, (k, v)

    def row_wise(self, hidden: Tensor, read: Tensor) -> Tensor:
        """What follows attention: each row on its own, in blocks or all together."""
        hidden = hidden + self.self_attn.o_proj(read)
        after: Tensor = hidden + self.mlp(self.post_attention_layernorm(hidden))
        return after


class Decoder(nn.Module):
    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embed_tokens = Embedding(config.vocab, config.width)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm = RMSNorm(config.width, config.norm_eps)
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
            dtype: of all weights but the norms, which stay float32.
        Returns:
            A decoder without gradients; training switches on those it wants.
        Raises:
            ModelFileError: a tensor is missing, unknown, there twice or of the wrong shape.
        """
        with torch.device("meta"):
            decoder = cls(config)
        missing = {name: tuple(p.shape) for name, p in decoder.named_parameters()}
        for name, tensor in tensors:
            if _is_redundant(name, config):
                continue
            path = name.removeprefix("model.")
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
        kept = torch.float32 if isinstance(module, RMSNorm) else dtype
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


def _is_redundant(name: str, config: DecoderConfig) -> bool:
    """Tensors that old or tied checkpoints carry although the configuration implies them."""
    return name.endswith(".rotary_emb.inv_freq") or (config.tied and name == "lm_head.weight")
