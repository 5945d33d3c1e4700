"""Qwen3.5's decoder against transformers, on random networks of several shapes."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support.reference import reference_model, reference_text
from support.trees import Tree

from steelyard.backbone.config import from_hf
from steelyard.backbone.decoder import Decoder
from steelyard.backbone.torch_runtime import TorchRuntime
from steelyard.backbone.weights.source import open_weights
from steelyard.tokens.plan import LogitRead

pytestmark = pytest.mark.slow  # importing transformers takes longer than all the rest

SHAPE = {
    "num_hidden_layers": 4,
    "head_dim": 16,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 6,
}
ROPE = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [1, 1, 0]}
VARIANTS = {
    "as published": {},
    "untied": {"tie_word_embeddings": False},
    "a quarter of attention, wide": {"num_hidden_layers": 8, "hidden_size": 48},
    "every second layer": {"full_attention_interval": 2},
    "attention first": {"layer_types": ["full_attention", *["linear_attention"] * 3]},
    "as many key heads": {"linear_num_key_heads": 3, "linear_num_value_heads": 3},
    "one key head": {"linear_num_key_heads": 1, "num_key_value_heads": 1},
    "wide values, long kernel": {"linear_value_head_dim": 16, "linear_conv_kernel_dim": 7},
    "shortest kernel": {"linear_conv_kernel_dim": 2},
    "half a head rotated": {"rope_parameters": {**ROPE, "partial_rotary_factor": 0.5}},
    "biases": {"attention_bias": True},
}
CASES = [
    *(("as published", length) for length in (1, 2, 64, 65)),
    *((variant, length) for variant in VARIANTS for length in (37, 3 * 64 + 7)),
]


def reads_of(decoder: Decoder, ids: np.ndarray) -> tuple[Tree, TorchRuntime]:
    tree = Tree(vocab=decoder.config.vocab)
    tree.add(ids.tolist(), capture=True)
    return tree, TorchRuntime(decoder.pack(), digest="")


@pytest.mark.parametrize(("variant", "length"), CASES)
def test_hidden_states_logits_and_final_states_equal_transformers(variant, length):
    model = reference_model("qwen3_5_text", **(SHAPE | VARIANTS[variant]))
    config = from_hf(model.config.to_dict())
    decoder = Decoder.from_weights(config, model.state_dict().items())
    ids = np.random.default_rng(length).integers(0, config.vocab, length)
    hidden, logits, cache = reference_text(model, ids)

    tree, runtime = reads_of(decoder, ids)
    tree.read_all()
    state = runtime.start(tree.batch())
    for layer, expected in enumerate(hidden):
        state = runtime.advance(state, layer)
        np.testing.assert_allclose(np.stack(runtime.measure(state)), expected, atol=1e-4)

    (prefix,) = runtime.captured(state).values()
    for layer in sorted(config.recurrent.layers):
        memory, tail = prefix.layers[layer]
        expected = cache.get_recurrent_state(layer)[0]
        torch.testing.assert_close(memory, expected, atol=1e-4, rtol=0)
        known = min(length, config.recurrent.kernel - 1)
        columns = cache.get_conv_state(layer)[0].mT
        torch.testing.assert_close(tail[-known:], columns[-known:], atol=1e-4, rtol=0)

    tree.reads.clear()
    tree.read(0, LogitRead(length - 1, tuple(range(config.vocab))))
    (found,) = runtime.measure(runtime.advance(runtime.start(tree.batch()), config.layers))
    np.testing.assert_allclose(found, logits[-1], atol=1e-4)


@pytest.mark.parametrize("tied", [True, False])
def test_a_sharded_checkpoint_with_a_vision_tower_is_read(tied, tmp_path):
    from transformers import Qwen3_5Config, Qwen3_5ForConditionalGeneration

    text = reference_model("qwen3_5_text", **SHAPE, tie_word_embeddings=tied)
    vision = {"depth": 1, "hidden_size": 16, "intermediate_size": 16, "num_heads": 2,
              "out_hidden_size": 32, "num_position_embeddings": 16}  # fmt: skip
    whole = Qwen3_5ForConditionalGeneration(
        Qwen3_5Config(
            text_config=text.config.to_dict(), vision_config=vision, tie_word_embeddings=tied
        )
    )
    whole.model.language_model.load_state_dict(text.model.state_dict())
    whole.lm_head.weight.data.copy_(text.lm_head.weight.data)
    whole.save_pretrained(tmp_path, max_shard_size="60KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    weights = open_weights(tmp_path)
    config = from_hf(weights.config)
    assert config.tied == tied
    ids = np.random.default_rng(5).integers(0, config.vocab, 50)
    _, logits, _ = reference_text(text, ids)
    for dtype, bound in ((torch.float32, 1e-5), (torch.bfloat16, 0.1)):
        decoder = Decoder.from_weights(config, weights.tensors(), dtype=dtype)
        tree, runtime = reads_of(decoder, ids)
        tree.read(0, LogitRead(49, tuple(range(config.vocab))))
        (found,) = runtime.measure(runtime.advance(runtime.start(tree.batch()), config.layers))
        error = np.linalg.norm(found - logits[-1].numpy()) / np.linalg.norm(logits[-1].numpy())
        assert error < bound, dtype
