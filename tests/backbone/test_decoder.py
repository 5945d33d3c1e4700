"""The decoder against transformers, and its weights."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support.reference import reference_forward, reference_model
from support.tiny import tiny_config, tiny_decoder, tiny_weights
from support.trees import Tree, bushy_tree, visible

from steelyard.backbone import decoder as decoder_module
from steelyard.backbone.config import from_hf
from steelyard.backbone.decoder import Decoder
from steelyard.backbone.layers import Linear, PackedLinear
from steelyard.backbone.torch_runtime import TorchRuntime
from steelyard.errors import ModelFileError
from steelyard.tokens.plan import LogitRead

LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 10_000.0,
    "factor": 4.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}

VARIANTS = {
    "llama": ("llama", {}),
    "llama untied": ("llama", {"tie_word_embeddings": False}),
    "llama without groups": ("llama", {"num_key_value_heads": 4}),
    "llama with one key head": ("llama", {"num_key_value_heads": 1}),
    "llama wide heads": ("llama", {"head_dim": 24}),
    "llama biases": ("llama", {"attention_bias": True, "mlp_bias": True}),
    "llama theta": ("llama", {"rope_parameters": {"rope_theta": 500.0}}),
    "llama linear": (
        "llama",
        {"rope_parameters": {"rope_type": "linear", "factor": 2.5, "rope_theta": 10_000.0}},
    ),
    "llama llama3": ("llama", {"rope_parameters": LLAMA3, "head_dim": 32}),
    "llama yarn": ("llama", {"rope_parameters": {**YARN, "rope_theta": 1e4}, "head_dim": 32}),
    "qwen2": ("qwen2", {}),
    "llama yarn, no rounding": (
        "llama",
        {"rope_parameters": {**YARN, "rope_theta": 500.0, "truncate": False}, "head_dim": 32},
    ),
    "qwen2 yarn with mscale": (
        "qwen2",
        {"rope_parameters": {**YARN, "rope_theta": 1e6, "mscale": 0.7, "mscale_all_dim": 0.4}},
    ),
    "qwen2 untied": ("qwen2", {"tie_word_embeddings": False, "num_key_value_heads": 1}),
    "qwen3": ("qwen3", {"head_dim": 16}),
    "qwen3 biases": ("qwen3", {"head_dim": 8, "attention_bias": True}),
}  # fmt: skip


@pytest.mark.parametrize("variant", VARIANTS)
def test_hidden_states_and_logits_equal_transformers_at_every_layer(variant):
    family, changes = VARIANTS[variant]
    model = reference_model(family, **changes)
    config = from_hf(model.config.to_dict())
    runtime = TorchRuntime(Decoder.from_weights(config, model.state_dict().items()), digest="")
    tree = bushy_tree()
    tree.read_all()
    batch = tree.batch()
    hidden, logits = reference_forward(model, batch.ids, batch.positions, visible(batch.segments))
    state = runtime.start(batch)
    for layer, expected in enumerate(hidden):
        state = runtime.advance(state, layer)
        found = np.stack(runtime.measure(state))
        np.testing.assert_allclose(found, expected.numpy(), atol=5e-5)

    tree.reads.clear()
    for segment in range(len(tree.segments)):
        tree.read(segment, LogitRead(0, tuple(range(config.vocab))))
    batch = tree.batch()
    found = np.stack(runtime.measure(runtime.advance(runtime.start(batch), config.layers)))
    expected = logits.numpy()[[read.row for read in batch.reads]]
    np.testing.assert_allclose(found, expected, atol=1e-5 * np.abs(expected).max())


def test_a_long_sequence_equals_transformers():
    model = reference_model("llama", max_position_embeddings=2048)
    config = from_hf(model.config.to_dict())
    decoder = Decoder.from_weights(config, model.state_dict().items()).pack()
    tree = Tree()
    tree.add(1100)  # more than one block of the attention kernel
    tree.read_all()
    batch = tree.batch()
    runtime = TorchRuntime(decoder, digest="")
    found = np.stack(runtime.measure(runtime.advance(runtime.start(batch), config.layers)))
    hidden, _ = reference_forward(model, batch.ids)
    np.testing.assert_allclose(found, hidden[-1].numpy(), atol=1e-4)


def test_packing_replaces_every_linear_map_and_changes_no_number_beyond_rounding():
    plain, packed = tiny_decoder(), tiny_decoder().pack()
    assert not [m for m in packed.layers.modules() if isinstance(m, Linear)]
    assert len([m for m in packed.layers.modules() if isinstance(m, PackedLinear)]) == 3 * 7
    tree = bushy_tree()
    tree.read_all()
    results = []
    for decoder in (plain, packed):
        runtime = TorchRuntime(decoder, digest="")
        results.append(np.stack(runtime.measure(runtime.advance(runtime.start(tree.batch()), 3))))
    np.testing.assert_allclose(results[0], results[1], atol=1e-5)


def test_packed_weights_refuse_gradients():
    layer = PackedLinear(Linear(8, 8))
    with pytest.raises(AssertionError, match="train the unpacked"):
        layer(torch.ones(2, 8, requires_grad=True))


def test_bfloat16_stays_close_to_float32():
    tree = bushy_tree()
    tree.read_all()
    results = []
    for dtype in (torch.float32, torch.bfloat16):
        runtime = TorchRuntime(tiny_decoder(dtype=dtype).pack(), digest="")
        assert runtime.dtype == str(dtype).removeprefix("torch.")
        results.append(np.stack(runtime.measure(runtime.advance(runtime.start(tree.batch()), 3))))
    error = np.linalg.norm(results[0] - results[1]) / np.linalg.norm(results[0])
    assert 1e-4 < error < 0.03  # bfloat16 keeps 8 bits


def test_a_missing_tensor_is_named():
    weights = dict(tiny_weights(tiny_config()))
    del weights["model.layers.1.mlp.up_proj.weight"]
    with pytest.raises(ModelFileError, match=r"layers\.1\.mlp\.up_proj\.weight"):
        Decoder.from_weights(tiny_config(), weights.items())


def test_an_unknown_tensor_is_named():
    weights = dict(tiny_weights(tiny_config())) | {
        "model.layers.9.mlp.up_proj.weight": torch.ones(1)
    }
    with pytest.raises(ModelFileError, match=r"model\.layers\.9\.mlp"):
        Decoder.from_weights(tiny_config(), weights.items())


def test_a_tensor_of_the_wrong_shape_is_named_with_both_shapes():
    weights = dict(tiny_weights(tiny_config())) | {"model.norm.weight": torch.ones(31)}
    with pytest.raises(ModelFileError, match=r"model\.norm\.weight: shape \(31,\).*\(32,\)"):
        Decoder.from_weights(tiny_config(), weights.items())


def test_a_tied_checkpoint_may_carry_its_head_and_old_buffers():
    extra = {
        "lm_head.weight": torch.ones(320, 32),
        "model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(4),
    }
    weights = dict(tiny_weights(tiny_config())) | extra
    decoder = Decoder.from_weights(tiny_config(), weights.items())
    assert decoder.head is decoder.embed_tokens.weight


def test_weights_are_taken_one_at_a_time():
    alive = 0

    class Counted(torch.Tensor):
        def __del__(self):
            nonlocal alive
            alive -= 1

    def stream():
        nonlocal alive
        for name, value in tiny_weights(tiny_config()):
            alive += 1
            assert alive <= 2, "an earlier tensor is still held"
            yield name, value.as_subclass(Counted)
            del value

    Decoder.from_weights(tiny_config(), stream(), dtype=torch.bfloat16)


def test_without_onednn_packing_says_so_and_leaves_the_decoder_as_it_is(monkeypatch, caplog):
    monkeypatch.setattr(decoder_module, "can_pack", lambda: False)
    decoder = tiny_decoder().pack()
    assert "event=not_packed" in caplog.text
    assert not [m for m in decoder.modules() if isinstance(m, PackedLinear)]
