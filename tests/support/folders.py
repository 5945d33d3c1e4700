"""Model directories of a few thousand weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tokenizers
import torch
from safetensors.torch import save_file
from support.tiny import tiny_config, tiny_weights
from support.tokenizer import CHAT_TEMPLATE, byte_tokenizer

from steelyard.backbone.config import from_hf


def write_model(folder: Path, *, seed: int = 0, **changes: Any) -> Path:
    """A Llama of three layers in Hugging Face layout; `changes` go into config.json."""
    config = tiny_config()
    folder.mkdir()
    save_file(dict(tiny_weights(config, seed)), folder / "model.safetensors")
    body = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "vocab_size": config.vocab,
        "hidden_size": config.width,
        "intermediate_size": config.mlp_width,
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "num_key_value_heads": config.kv_heads,
        "head_dim": config.head_dim,
        "max_position_embeddings": config.max_positions,
        "rms_norm_eps": config.norm_eps,
        "rope_theta": config.rope_theta,
        "tie_word_embeddings": True,
    }
    (folder / "config.json").write_text(json.dumps(body | changes))
    write_tokenizer(folder, byte_tokenizer())
    return folder


def write_tokenizer(folder: Path, tokenizer: tokenizers.Tokenizer) -> None:
    """The tokenizer's files, as a ChatML model has them."""
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"chat_template": CHAT_TEMPLATE, "eos_token": "<|im_end|>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))


QWEN = {
    "model_type": "qwen3_5_text",
    "vocab_size": 320,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 6,
    "linear_conv_kernel_dim": 4,
    "max_position_embeddings": 4096,
    "tie_word_embeddings": True,
    "dtype": "float32",
}
"""The decoder of a small Qwen3.5, whose fourth layer attends."""

FOREIGN = {"model.visual.patch_embed.proj.bias": (7,), "mtp.fc.weight": (3, 5)}
"""Tensors that a checkpoint holds beside the decoder's; stored in bfloat16."""


def write_hybrid(folder: Path, *, seed: int = 0) -> Path:
    """A Qwen3.5 with something of a vision tower, in two files, as it is published."""
    folder.mkdir()
    tensors = {
        name.replace("model.", "model.language_model.", 1): tensor
        for name, tensor in tiny_weights(from_hf(QWEN), seed)
    }
    tensors |= {name: torch.randn(shape).bfloat16() for name, shape in FOREIGN.items()}
    names = sorted(tensors)
    halves = {"model-00001-of-00002.safetensors": names[::2],
              "model-00002-of-00002.safetensors": names[1::2]}  # fmt: skip
    for file, held in halves.items():
        save_file({name: tensors[name] for name in held}, folder / file)
    index = {"weight_map": {name: file for file, held in halves.items() for name in held}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    body = {
        "model_type": "qwen3_5",
        "architectures": ["Qwen3_5ForConditionalGeneration"],
        "tie_word_embeddings": True,
        "text_config": QWEN,
        "vision_config": {"depth": 1},
    }
    (folder / "config.json").write_text(json.dumps(body))
    (folder / "preprocessor_config.json").write_text('{"patch_size": 16}')
    write_tokenizer(folder, byte_tokenizer())
    return folder
