"""Model directories of a few thousand weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from safetensors.torch import save_file
from support.tiny import tiny_config, tiny_weights
from support.tokenizer import CHAT_TEMPLATE, byte_tokenizer


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
    byte_tokenizer().save(str(folder / "tokenizer.json"))
    settings = {"chat_template": CHAT_TEMPLATE, "eos_token": "<|im_end|>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder
