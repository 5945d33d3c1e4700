"""GGUF files of tiny models, written with the gguf package in llama.cpp's conventions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import GGMLQuantizationType, GGUFWriter
from gguf.quants import quantize
from support.tokenizer import CHAT_TEMPLATE, SPECIAL_TOKENS, byte_tokenizer

GGUF_NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}

Edit = Callable[[GGUFWriter], None]


def gguf_name(name: str) -> str:
    stem, _, suffix = name.rpartition(".")
    if not stem.startswith("model.layers."):
        return f"{GGUF_NAMES[stem]}.{suffix}"
    layer, _, part = stem.removeprefix("model.layers.").partition(".")
    return f"blk.{layer}.{GGUF_NAMES[part]}.{suffix}"


def interleave(values: np.ndarray, num_heads: int) -> np.ndarray:
    """What llama.cpp's converter does to q and k of a Llama (LlamaModel.permute)."""
    halves = values.reshape(num_heads, 2, values.shape[0] // num_heads // 2, *values.shape[1:])
    return halves.swapaxes(1, 2).reshape(values.shape)


def as_stored(config: Any, name: str, tensor: torch.Tensor) -> np.ndarray:
    """A weight in the row order of the file."""
    values = tensor.detach().float().numpy()
    if config.model_type == "llama" and "q_proj" in name:
        return interleave(values, config.num_attention_heads)
    if config.model_type == "llama" and "k_proj" in name:
        return interleave(values, config.num_key_value_heads)
    return values


def write_gguf(
    path: Path,
    config: Any,
    tensors: Mapping[str, torch.Tensor],
    *,
    kind: GGMLQuantizationType = GGMLQuantizationType.F32,
    edit: Edit | None = None,
) -> Path:
    """Write a transformers model's `config` and named tensors; matrices are stored as `kind`.

    `edit` may add keys and tensors before the file is written.
    """
    writer = GGUFWriter(path, config.model_type)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    if getattr(config, "head_dim", None):
        writer.add_key_length(config.head_dim)
        writer.add_value_length(config.head_dim)
    add_vocabulary(writer)
    for name, tensor in tensors.items():
        values = as_stored(config, name, tensor)
        stored = kind if values.ndim == 2 else GGMLQuantizationType.F32
        writer.add_tensor(gguf_name(name), quantize(values, stored), raw_dtype=stored)
    if edit is not None:
        edit(writer)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def add_vocabulary(writer: GGUFWriter) -> None:
    for key, value in byte_level_metadata().items():
        add: Callable[[str, Any], None] = {
            str: writer.add_string,
            bool: writer.add_bool,
            int: writer.add_uint32,
            list: writer.add_array,
        }[type(value)]
        add(key, value)


def byte_level_metadata(pre: str = "qwen2", **changes: object) -> dict[str, object]:
    """The metadata that describes support.tokenizer.byte_tokenizer()."""
    vocabulary = byte_tokenizer().get_vocab()
    tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    merges = json.loads(byte_tokenizer().to_str())["model"]["merges"]
    metadata: dict[str, object] = {
        "model": "gpt2",
        "pre": pre,
        "tokens": tokens,
        "token_type": [3 if token in SPECIAL_TOKENS else 1 for token in tokens],
        "merges": [" ".join(pair) for pair in merges],
        "bos_token_id": vocabulary["<|endoftext|>"],
        "eos_token_id": vocabulary["<|im_end|>"],
        "add_bos_token": False,
    }
    metadata = {f"tokenizer.ggml.{key}": value for key, value in (metadata | changes).items()}
    return metadata | {"tokenizer.chat_template": CHAT_TEMPLATE}
