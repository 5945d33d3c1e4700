"""Which tensors a decoder has, how they are called and shaped, without a network."""

from __future__ import annotations

from steelyard.backbone.config import DecoderConfig
from steelyard.backbone.weights.names import text_name


def layer_shapes(config: DecoderConfig, layer: int) -> dict[str, tuple[int, ...]]:
    """Name without the leading `model.` -> shape, of every tensor of an attention layer."""
    width, inner = config.width, config.mlp_width
    q_width, kv_width = config.heads * config.head_dim, config.kv_heads * config.head_dim
    maps = {
        "self_attn.q_proj": (q_width, width, config.qkv_bias),
        "self_attn.k_proj": (kv_width, width, config.qkv_bias),
        "self_attn.v_proj": (kv_width, width, config.qkv_bias),
        "self_attn.o_proj": (width, q_width, config.o_bias),
        "mlp.gate_proj": (inner, width, config.mlp_bias),
        "mlp.up_proj": (inner, width, config.mlp_bias),
        "mlp.down_proj": (width, inner, config.mlp_bias),
    }
    shapes: dict[str, tuple[int, ...]] = {
        "input_layernorm.weight": (width,),
        "post_attention_layernorm.weight": (width,),
    }
    if config.qk_norm:
        shapes |= {f"self_attn.{x}_norm.weight": (config.head_dim,) for x in "qk"}
    for name, (outputs, inputs, bias) in maps.items():
        shapes[f"{name}.weight"] = (outputs, inputs)
        if bias:
            shapes[f"{name}.bias"] = (outputs,)
    return {f"layers.{layer}.{name}": shape for name, shape in shapes.items()}


def end_shapes(config: DecoderConfig) -> dict[str, tuple[int, ...]]:
    """The same of what stands before the first layer and after the last one."""
    table = (config.vocab, config.width)
    shapes: dict[str, tuple[int, ...]] = {"embed_tokens.weight": table, "norm.weight": table[1:]}
    return shapes if config.tied else shapes | {"lm_head.weight": table}


def decoder_shapes(config: DecoderConfig) -> dict[str, tuple[int, ...]]:
    """The same of the whole decoder."""
    shapes = end_shapes(config)
    for layer in range(config.layers):
        shapes |= layer_shapes(config, layer)
    return shapes


def path_of(name: str, config: DecoderConfig) -> str | None:
    """A checkpoint's name for a tensor as it is called here; None for one that we do without."""
    implied = name.endswith(".rotary_emb.inv_freq") or (config.tied and name == "lm_head.weight")
    if implied or name.startswith(config.foreign):
        return None
    return text_name(name).removeprefix("model.")
