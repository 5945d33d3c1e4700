"""Configurations of Hugging Face folders, old and new, and what we refuse."""

from __future__ import annotations

import pytest

from steelyard.backbone.config import (
    DecoderConfig,
    LinearScaling,
    Llama3Scaling,
    RecurrentConfig,
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


QWEN3_5 = {
    "model_type": "qwen3_5",
    "architectures": ["Qwen3_5ForConditionalGeneration"],
    "image_token_id": 248056,
    "tie_word_embeddings": True,
    "vision_config": {"depth": 24, "hidden_size": 1024},
    "text_config": {
        "model_type": "qwen3_5_text",
        "attention_bias": False,
        "attn_output_gate": True,
        "full_attention_interval": 4,
        "head_dim": 256,
        "hidden_act": "silu",
        "hidden_size": 2560,
        "intermediate_size": 9216,
        "layer_types": [*["linear_attention"] * 3, "full_attention"] * 8,
        "linear_conv_kernel_dim": 4,
        "linear_key_head_dim": 128,
        "linear_num_key_heads": 16,
        "linear_num_value_heads": 32,
        "linear_value_head_dim": 128,
        "mamba_ssm_dtype": "float32",
        "max_position_embeddings": 262144,
        "mtp_num_hidden_layers": 1,
        "num_attention_heads": 16,
        "num_hidden_layers": 32,
        "num_key_value_heads": 4,
        "rms_norm_eps": 1e-06,
        "rope_parameters": {
            "mrope_interleaved": True,
            "mrope_section": [11, 11, 10],
            "partial_rotary_factor": 0.25,
            "rope_theta": 10000000,
            "rope_type": "default",
        },
        "vocab_size": 248320,
    },
}
"""In the manner of the 4B, whose sizes the Trutina report tells."""


def with_text(**changes):
    return QWEN3_5 | {"text_config": QWEN3_5["text_config"] | changes}


def test_qwen3_5_is_read_from_its_text_part():
    config = from_hf(QWEN3_5)
    assert config == DecoderConfig(
        vocab=248320,
        width=2560,
        mlp_width=9216,
        layers=32,
        heads=16,
        kv_heads=4,
        head_dim=256,
        max_positions=262144,
        rope_theta=1e7,
        rotary_share=0.25,
        qk_norm=True,
        gated=True,
        centred_norms=True,
        tied=True,
        recurrent=RecurrentConfig(
            frozenset(layer for layer in range(32) if layer % 4 != 3), 16, 32, 128, 128, 4
        ),
        foreign=("model.visual.", "mtp."),
    )
    assert (config.rotary_dim, config.recurrent.channels) == (64, 8192)
    assert [config.is_recurrent(layer) for layer in (2, 3)] == [True, False]


def test_qwen3_5_without_a_list_of_layers_has_attention_at_its_interval():
    text = {k: v for k, v in QWEN3_5["text_config"].items() if k != "layer_types"}
    assert from_hf(QWEN3_5 | {"text_config": text}) == from_hf(QWEN3_5)
    every_second = from_hf(text | {"full_attention_interval": 2})
    assert every_second.recurrent.layers == frozenset(range(0, 32, 2))
    assert not every_second.tied  # its text part alone does not say so


@pytest.mark.parametrize(
    ("config", "named"),
    [
        (with_text(layer_types=["linear_attention", "sliding_attention"]), "sliding_attention"),
        (with_text(linear_num_key_heads=12), "linear_num_key_heads: 32 value heads"),
        (with_text(linear_conv_kernel_dim=1), "linear_conv_kernel_dim: 1"),
        (QWEN3_5 | {"quantization_config": {"quant_method": "fp8"}}, "quantization_config"),
        (QWEN3_5 | {"model_type": "qwen3_5_moe"}, "model_type: 'qwen3_5_moe'"),
    ],
)
def test_variants_of_qwen3_5_are_refused_by_name(config, named):
    with pytest.raises(UnsupportedModelError) as error:
        from_hf(config)
    assert named in str(error.value)


@pytest.mark.parametrize(
    ("config", "named"),
    [
        (QWEN3_5 | {"text_config": None}, "text_config: None"),
        (with_text(layer_types=["linear_attention"]), "layer_types: 1 kinds for 32 layers"),
        (with_text(linear_num_value_heads=None), "linear_num_value_heads: None"),
    ],
)
def test_what_is_missing_in_qwen3_5_is_named(config, named):
    with pytest.raises(ModelFileError) as error:
        from_hf(config)
    assert named in str(error.value)


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
