"""Configurations of Hugging Face folders, old and new, and what we refuse."""

from __future__ import annotations

import pytest

from steelyard.backbone.config import (
    DecoderConfig,
    LinearScaling,
    Llama3Scaling,
    YarnScaling,
    from_hf,
)
from steelyard.errors import ModelFileError, UnsupportedModelError

SMOLLM2 = {
    "model_type": "llama",
    "hidden_size": 576,
    "intermediate_size": 1536,
    "max_position_embeddings": 8192,
    "num_attention_heads": 9,
    "num_hidden_layers": 30,
    "num_key_value_heads": 3,
    "rms_norm_eps": 1e-05,
    "rope_scaling": None,
    "rope_theta": 100000,
    "tie_word_embeddings": True,
    "vocab_size": 49152,
}


def test_smollm2_as_published():
    assert from_hf(SMOLLM2) == DecoderConfig(
        vocab=49152,
        width=576,
        mlp_width=1536,
        layers=30,
        heads=9,
        kv_heads=3,
        head_dim=64,
        max_positions=8192,
        norm_eps=1e-5,
        rope_theta=100_000.0,
        tied=True,
    )


def test_qwen2_has_biases_on_queries_keys_and_values_only():
    config = from_hf(SMOLLM2 | {"model_type": "qwen2", "use_sliding_window": False,
                                "sliding_window": 4096, "max_window_layers": 21})  # fmt: skip
    assert (config.qkv_bias, config.o_bias, config.qk_norm) == (True, False, False)


def test_qwen3_normalises_queries_and_keys_and_has_wide_heads():
    config = from_hf(SMOLLM2 | {"model_type": "qwen3"})
    assert (config.qkv_bias, config.qk_norm, config.head_dim) == (False, True, 128)


def test_key_value_heads_default_to_all_heads():
    config = {k: v for k, v in SMOLLM2.items() if k != "num_key_value_heads"}
    assert from_hf(config).kv_heads == 9


@pytest.mark.parametrize("spelling", ["old", "old type", "new"])
def test_both_spellings_of_rope_scaling(spelling):
    scaling = {
        "factor": 32.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 2048,
    }
    changes = {
        "old": {"rope_scaling": {**scaling, "rope_type": "llama3"}, "rope_theta": 5e5},
        "old type": {"rope_scaling": {**scaling, "type": "llama3"}, "rope_theta": 5e5},
        "new": {
            "rope_parameters": {**scaling, "rope_type": "llama3", "rope_theta": 5e5},
            "rope_theta": None,
        },
    }[spelling]
    config = from_hf(SMOLLM2 | changes)
    assert config.rope_theta == 5e5
    assert config.rope_scaling == Llama3Scaling(32.0, 1.0, 4.0, 2048)


def test_linear_scaling():
    config = from_hf(SMOLLM2 | {"rope_scaling": {"type": "linear", "factor": 2}})
    assert config.rope_scaling == LinearScaling(2.0)


def test_yarn_lengthens_the_context_and_derives_its_attention_factor():
    rope = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8192}
    config = from_hf(SMOLLM2 | {"rope_scaling": rope})
    assert config.max_positions == 32_768
    assert isinstance(config.rope_scaling, YarnScaling)
    # 0.1 ln 4 + 1, the recommendation of the paper
    assert config.rope_scaling.attention_factor == pytest.approx(1.138629436)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"model_type": "gemma3"}, "model_type: 'gemma3'"),
        ({"model_type": "smollm3"}, "model_type: 'smollm3'"),
        ({"hidden_act": "gelu"}, "hidden_act: 'gelu'"),
        ({"quantization_config": {"bits": 4}}, "quantization_config"),
        ({"rope_scaling": {"type": "dynamic", "factor": 2.0}}, "rope_scaling.rope_type: 'dynamic'"),
        ({"rope_parameters": {"rope_type": "longrope"}}, "rope_parameters.rope_type: 'longrope'"),
        ({"rope_parameters": {"full_attention": {"rope_theta": 1e4}}}, "differ by layer"),
        ({"partial_rotary_factor": 0.5}, "partial_rotary_factor: 0.5"),
        ({"layer_types": ["full_attention", "sliding_attention"]}, "sliding_attention"),
        (
            {"use_sliding_window": True, "sliding_window": 64, "max_window_layers": 12},
            "use_sliding_window",
        ),
        ({"num_key_value_heads": 2}, "num_key_value_heads: 9 heads"),
        ({"head_dim": 65}, "head_dim: 65"),
    ],
)
def test_what_cannot_be_run_is_refused_by_name(changes, named):
    with pytest.raises(UnsupportedModelError) as error:
        from_hf(SMOLLM2 | changes)
    assert named in str(error.value)


@pytest.mark.parametrize("value", [None, 0, "576", True])
def test_a_missing_or_senseless_number_is_named(value):
    with pytest.raises(ModelFileError, match=f"hidden_size: {value!r}"):
        from_hf(SMOLLM2 | {"hidden_size": value})


def test_a_missing_scaling_factor_is_named():
    with pytest.raises(ModelFileError, match=r"rope_scaling\.factor: None"):
        from_hf(SMOLLM2 | {"rope_scaling": {"type": "linear"}})


def test_a_window_that_no_layer_uses_is_no_obstacle():
    window = {"use_sliding_window": True, "sliding_window": 64, "max_window_layers": 30}
    assert from_hf(SMOLLM2 | window).layers == 30
