"""The Llama family as GGUF spells it: configuration and tensor names in Hugging Face words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from steelyard.backbone.weights.gguf_header import GgufHeader
from steelyard.errors import ModelFileError, UnsupportedModelError
from steelyard.tokens.gguf_metadata import GgufMetadata

if TYPE_CHECKING:
    import torch

Values = TypeVar("Values", "np.ndarray", "torch.Tensor")

ARCHITECTURES = {
    "llama": "LlamaForCausalLM",
    "qwen2": "Qwen2ForCausalLM",
    "qwen3": "Qwen3ForCausalLM",
}

ROPE_FACTORS = "rope_freqs.weight"

# Keys that change the arithmetic of a layer in a way that these architectures do not have.
_REFUSED = (
    "expert_count",
    "use_parallel_residual",
    "logit_scale",
    "residual_scale",
    "embedding_scale",
    "attn_logit_softcapping",
    "final_logit_softcapping",
    "attention.scale",
    "attention.clamp_kqv",
    "attention.max_alibi_bias",
    "attention.sliding_window",
    "attention.temperature_scale",
)

_TOP_NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
}

_LAYER_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}

# The constants of every published Llama 3.1, 3.2 and 3.3; GGUF keeps only what follows from them.
_LLAMA3_LOW, _LLAMA3_HIGH, _LLAMA3_CONTEXT = 1.0, 4.0, 8192


def architecture_of(header: GgufHeader) -> str:
    """What the file calls its architecture; only ARCHITECTURES have a configuration here."""
    return header.metadata.need("general.architecture", str)


def config_of(header: GgufHeader, rope_factors: np.ndarray | None = None) -> dict[str, object]:
    """The configuration as a Hugging Face config.json would give it.

    Args:
        rope_factors: (head_dim / 2,) values of the tensor ROPE_FACTORS where the file has it.

    Raises:
        ModelFileError: a key is missing, of the wrong type, or contradicts a tensor.
        UnsupportedModelError: the metadata asks for arithmetic that these architectures lack.
    """
    metadata = header.metadata
    name = architecture_of(header)
    for key in _REFUSED:
        value = metadata.values.get(f"{name}.{key}")
        if value:
            raise unsupported(header, f"{name}.{key} = {value}")
    if metadata.get(f"{name}.attention.causal", bool) is False:
        raise unsupported(header, f"{name}.attention.causal = False")

    vocab_size, hidden_size = _embedding_shape(header, name)
    num_heads = metadata.need(f"{name}.attention.head_count", int)
    if num_heads < 1:
        raise ModelFileError(f"{metadata.path}: {name}.attention.head_count is {num_heads}")
    head_dim = metadata.get(f"{name}.attention.key_length", int) or hidden_size // num_heads
    for key in ("attention.value_length", "rope.dimension_count"):
        width = metadata.get(f"{name}.{key}", int)
        if width not in (None, head_dim):
            raise unsupported(header, f"{name}.{key} = {width} beside a head of {head_dim}")
    for tensor in header.tensors.values():
        heads = interleaved_heads(metadata, tensor.name)
        if heads is not None and tensor.shape[0] != heads * head_dim:
            raise ModelFileError(
                f"{metadata.path}: the tensor {tensor.name!r} has {tensor.shape[0]} rows, but "
                f"{heads} heads of {head_dim}"
            )
    theta = metadata.get(f"{name}.rope.freq_base", float) or 10000.0
    return {
        "architectures": [ARCHITECTURES[name]],
        "model_type": name,
        "vocab_size": vocab_size,
        "hidden_size": hidden_size,
        "intermediate_size": metadata.need(f"{name}.feed_forward_length", int),
        "num_hidden_layers": metadata.need(f"{name}.block_count", int),
        "num_attention_heads": num_heads,
        "num_key_value_heads": metadata.get(f"{name}.attention.head_count_kv", int) or num_heads,
        "head_dim": head_dim,
        "max_position_embeddings": metadata.need(f"{name}.context_length", int),
        "rms_norm_eps": metadata.need(f"{name}.attention.layer_norm_rms_epsilon", float),
        "rope_theta": theta,
        "rope_scaling": _rope_scaling(header, name, head_dim, theta, rope_factors),
        "hidden_act": "silu",
        # Qwen2 has its q, k, v biases by definition, and none on the output.
        "attention_bias": name != "qwen2" and "blk.0.attn_output.bias" in header.tensors,
        "mlp_bias": "blk.0.ffn_down.bias" in header.tensors,
        "tie_word_embeddings": "output.weight" not in header.tensors,
        "bos_token_id": metadata.get("tokenizer.ggml.bos_token_id", int),
        "eos_token_id": metadata.get("tokenizer.ggml.eos_token_id", int),
    }


def hugging_face_name(name: str) -> str | None:
    """`blk.3.attn_q.weight` -> `model.layers.3.self_attn.q_proj.weight`; None if unknown."""
    stem, _, suffix = name.rpartition(".")
    if suffix not in ("weight", "bias"):
        return None
    if stem in _TOP_NAMES:
        return f"{_TOP_NAMES[stem]}.{suffix}"
    match = re.fullmatch(r"blk\.(\d+)\.(\w+)", stem)
    if match is None or match[2] not in _LAYER_NAMES:
        return None
    return f"model.layers.{match[1]}.{_LAYER_NAMES[match[2]]}.{suffix}"


def interleaved_heads(metadata: GgufMetadata, name: str) -> int | None:
    """Number of heads whose rows `rotary_halves` must put in order, or None for other tensors."""
    if metadata.need("general.architecture", str) != "llama":
        return None
    num_heads = metadata.need("llama.attention.head_count", int)
    if ".attn_q." in name:
        return num_heads
    if ".attn_k." in name:
        return metadata.get("llama.attention.head_count_kv", int) or num_heads
    return None


def rotary_halves(values: Values, num_heads: int) -> Values:
    """Undo the row order that GGUF gives to the q and k projections of `llama`.

    llama.cpp rotates neighbouring rows (0, 1), (2, 3), ...; Hugging Face rotates row i with row
    i + head_dim / 2. The converter therefore interleaves the two halves of every head.

    Args:
        values: (heads * head_dim, ...), a weight or a bias.
    """
    pairs = values.reshape(num_heads, -1, 2, *values.shape[1:])  # (heads, head_dim / 2, 2, ...)
    return pairs.swapaxes(1, 2).reshape(values.shape)


def unsupported(header: GgufHeader, what: str) -> UnsupportedModelError:
    """The error for what only llama.cpp can do."""
    return UnsupportedModelError(
        f"{header.metadata.path}: {what} cannot be run here; the llama.cpp runtime can run it"
    )


def _embedding_shape(header: GgufHeader, name: str) -> tuple[int, int]:
    path = header.metadata.path
    embedding = header.tensors.get("token_embd.weight")
    if embedding is None or len(embedding.shape) != 2:
        raise ModelFileError(f"{path}: the tensor 'token_embd.weight' is missing or no matrix")
    vocab_size, hidden_size = embedding.shape
    wanted = header.metadata.need(f"{name}.embedding_length", int)
    if hidden_size != wanted:
        raise ModelFileError(
            f"{path}: 'token_embd.weight' is {hidden_size} wide, {name}.embedding_length {wanted}"
        )
    return vocab_size, hidden_size


def _rope_scaling(
    header: GgufHeader, name: str, head_dim: int, theta: float, factors: np.ndarray | None
) -> dict[str, object] | None:
    """Hugging Face's `rope_scaling`, or None for plain rotary embeddings."""
    metadata = header.metadata
    prefix = f"{name}.rope.scaling."
    kind = metadata.get(prefix + "type", str) or "none"
    if factors is not None:
        if kind != "none":
            raise unsupported(header, f"{ROPE_FACTORS} beside {prefix}type = {kind}")
        return _llama3_scaling(header, head_dim, theta, factors)
    if kind == "none":
        # The oldest converters wrote the linear factor alone, under another key.
        factor = metadata.get(f"{name}.rope.scale_linear", float)
        return {"rope_type": "linear", "factor": factor} if factor not in (None, 1.0) else None
    known = {prefix + key for key in ("type", "factor", "finetuned", "original_context_length")}
    for key in metadata.values:
        if key.startswith(prefix) and key not in known:
            raise unsupported(header, f"{key} = {metadata.values[key]}")
    factor = metadata.need(prefix + "factor", float)
    if kind == "linear":
        return {"rope_type": "linear", "factor": factor}
    if kind == "yarn":
        original = metadata.need(prefix + "original_context_length", int)
        return {
            "rope_type": "yarn",
            "factor": factor,
            "original_max_position_embeddings": original,
        }
    raise unsupported(header, f"{prefix}type = {kind}")


def _llama3_scaling(
    header: GgufHeader, head_dim: int, theta: float, factors: np.ndarray
) -> dict[str, object]:
    """The llama3 rule whose factors per frequency the file stores.

    Raises:
        UnsupportedModelError: the factors do not follow from the rule of Llama 3.
    """
    if factors.shape != (head_dim // 2,):
        raise unsupported(header, f"{ROPE_FACTORS} of shape {factors.shape}")
    factor = float(factors.max())
    frequencies = theta ** (-np.arange(0, head_dim, 2, dtype=np.float64) / head_dim)
    turns = _LLAMA3_CONTEXT * frequencies / (2 * np.pi)  # within the original context
    smooth = np.clip((turns - _LLAMA3_LOW) / (_LLAMA3_HIGH - _LLAMA3_LOW), 0.0, 1.0)
    expected = 1.0 / ((1.0 - smooth) / factor + smooth)
    if not np.allclose(factors, expected, rtol=1e-4):
        raise unsupported(header, f"{ROPE_FACTORS} that do not follow from Llama 3's rule")
    return {
        "rope_type": "llama3",
        "factor": factor,
        "low_freq_factor": _LLAMA3_LOW,
        "high_freq_factor": _LLAMA3_HIGH,
        "original_max_position_embeddings": _LLAMA3_CONTEXT,
    }
