from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFWriter, dequantize
from gguf.quants import quantize
from support.gguf_files import as_stored, write_gguf
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    LlamaConfig,
    Qwen2Config,
    Qwen3Config,
)

from steelyard.backbone.config import from_hf
from steelyard.backbone.decoder import Decoder
from steelyard.backbone.weights import dequantise
from steelyard.backbone.weights.gguf_file import open_gguf
from steelyard.backbone.weights.gguf_header import read_header
from steelyard.errors import ModelFileError, UnsupportedModelError

SHAPE = {
    "vocab_size": 300,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "rope_parameters": {"rope_type": "default", "rope_theta": 12345.0},
}
CONFIGS = {
    "llama": LlamaConfig(**SHAPE, tie_word_embeddings=True),
    "llama with wide heads": LlamaConfig(**SHAPE, head_dim=32),
    "llama with biases": LlamaConfig(**SHAPE, attention_bias=True, mlp_bias=True),
    "qwen2": Qwen2Config(**SHAPE),
    "qwen3": Qwen3Config(**SHAPE, head_dim=32, tie_word_embeddings=True),
}
# The others of gguf's quantisations can only be written by llama.cpp.
WRITABLE = ("F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1")


def _dequantisable(kind: GGMLQuantizationType) -> bool:
    try:
        dequantize(np.zeros((1, GGML_QUANT_SIZES[kind][1]), np.uint8), kind)
    except NotImplementedError:
        return False
    return True


KINDS = [kind.name for kind in GGMLQuantizationType if _dequantisable(kind)]


def model_of(config: Any) -> Any:
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config)
    for parameter in model.parameters():  # biases and norms are constants otherwise
        torch.nn.init.normal_(parameter, std=0.3)
    return model.eval()


def weights_of(model: Any) -> dict[str, torch.Tensor]:
    tied = model.config.tie_word_embeddings
    state = model.state_dict()
    return {name: value for name, value in state.items() if not (tied and name == "lm_head.weight")}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_model_read_back_computes_what_the_original_computes(name: str, tmp_path: Path) -> None:
    model = model_of(CONFIGS[name])
    read = open_gguf(write_gguf(tmp_path / "m.gguf", model.config, weights_of(model)))
    tensors = dict(read.tensors())
    for key, original in weights_of(model).items():
        assert torch.equal(tensors.pop(key), original), key
    assert not tensors

    config = AutoConfig.for_model(**{k: v for k, v in read.config.items() if v is not None})
    again = AutoModelForCausalLM.from_config(config).eval()
    again.load_state_dict(dict(read.tensors()), strict=not config.tie_word_embeddings)
    again.tie_weights()
    ids = torch.randint(0, 300, (2, 20), generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        assert torch.equal(again(ids).logits, model(ids).logits)


@pytest.mark.parametrize("name", CONFIGS)
def test_the_decoder_takes_what_is_read(name: str, tmp_path: Path) -> None:
    model = model_of(CONFIGS[name])
    read = open_gguf(write_gguf(tmp_path / "m.gguf", model.config, weights_of(model)))
    decoder = Decoder.from_weights(from_hf(read.config), read.tensors())
    assert (decoder.config.heads, decoder.config.rope_theta) == (4, 12345.0)


@pytest.mark.parametrize("kind", WRITABLE)
def test_quantised_matrices_are_what_gguf_dequantises(kind: str, tmp_path: Path) -> None:
    stored = GGMLQuantizationType[kind]
    model = model_of(CONFIGS["qwen2"])
    path = write_gguf(tmp_path / "m.gguf", model.config, weights_of(model), kind=stored)
    for name, tensor in open_gguf(path).tensors():
        original = as_stored(model.config, name, weights_of(model)[name])
        if original.ndim == 2:
            original = dequantize(quantize(original, stored), stored)
        assert np.array_equal(tensor.numpy(), original), name


def test_quantised_rows_of_a_llama_are_put_in_order_after_dequantisation(tmp_path: Path) -> None:
    model = model_of(CONFIGS["llama"])
    kind = GGMLQuantizationType.Q8_0
    path = write_gguf(tmp_path / "m.gguf", model.config, weights_of(model), kind=kind)
    for name, tensor in open_gguf(path).tensors():
        original = weights_of(model)[name].numpy()
        if original.ndim == 2:  # blocks lie along rows, so order and quantisation commute
            original = dequantize(quantize(original, kind), kind)
        assert np.array_equal(tensor.numpy(), original), name


@pytest.mark.parametrize("kind", KINDS)
def test_every_quantisation_is_read_piece_by_piece(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dequantise, "PIECE_VALUES", 512)
    stored = GGMLQuantizationType[kind]
    block_size, block_bytes = GGML_QUANT_SIZES[stored]
    rows, columns = 5, 768
    generator = np.random.default_rng(0)
    # Bytes below 60 make scales that are small finite numbers wherever a kind keeps them.
    data = generator.integers(0, 60, (rows, columns // block_size * block_bytes), dtype=np.uint8)
    writer = GGUFWriter(tmp_path / "m.gguf", "llama")
    floats = {"F32": np.float32, "F16": np.float16}
    values = data.view(floats[kind]) if kind in floats else data
    writer.add_tensor("t", values, raw_dtype=stored)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    tensor = read_header(tmp_path / "m.gguf").tensors["t"]
    with (tmp_path / "m.gguf").open("rb") as handle:
        read = dequantise.read_tensor(handle, tensor)
    assert read.shape == (rows, columns)
    assert np.array_equal(read.numpy(), dequantize(data, stored))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_tensors_come_in_the_type_asked_for(dtype: torch.dtype, tmp_path: Path) -> None:
    model = model_of(CONFIGS["llama"])
    read = open_gguf(write_gguf(tmp_path / "m.gguf", model.config, weights_of(model)))
    for name, tensor in read.tensors(dtype):
        assert torch.equal(tensor, weights_of(model)[name].to(dtype)), name


def test_the_digest_is_that_of_the_file(tmp_path: Path) -> None:
    model = model_of(CONFIGS["llama"])
    path = write_gguf(tmp_path / "m.gguf", model.config, weights_of(model))
    assert open_gguf(path).digest == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_file_cut_after_it_was_opened_is_noticed(tmp_path: Path) -> None:
    model = model_of(CONFIGS["llama"])
    path = write_gguf(tmp_path / "m.gguf", model.config, weights_of(model))
    read = open_gguf(path)
    os.truncate(path, path.stat().st_size - 4096)
    with pytest.raises(ModelFileError, match=r"m\.gguf: the tensor '.*' is cut short"):
        list(read.tensors())


def llama3_factors(factor: float) -> np.ndarray:
    """As llama.cpp's converter computes them from a Llama 3.1 configuration (in its own words)."""
    factors = []
    for frequency in 1.0 / (12345.0 ** (np.arange(0, 16, 2) / 16)):
        wavelength = 2 * np.pi / frequency
        if wavelength < 8192 / 4.0:
            factors.append(1.0)
        elif wavelength > 8192 / 1.0:
            factors.append(factor)
        else:
            smooth = (8192 / wavelength - 1.0) / (4.0 - 1.0)
            factors.append(1 / ((1 - smooth) / factor + smooth))
    return np.array(factors, np.float32)


def test_the_rotary_factors_of_llama_3_become_its_configuration(tmp_path: Path) -> None:
    model = model_of(CONFIGS["llama"])
    read = open_gguf(
        write_gguf(
            tmp_path / "m.gguf",
            model.config,
            weights_of(model),
            edit=lambda writer: writer.add_tensor("rope_freqs.weight", llama3_factors(32.0)),
        )
    )
    assert read.config["rope_scaling"] == {
        "rope_type": "llama3",
        "factor": 32.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    }
    assert set(dict(read.tensors())) == set(weights_of(model))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"type": "none"}, None),
        ({"type": "linear", "factor": 4.0}, {"rope_type": "linear", "factor": 4.0}),
        (
            {"type": "yarn", "factor": 4.0, "original_context_length": 32, "finetuned": True},
            {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32},
        ),
    ],
)
def test_rotary_scaling_is_read(
    values: dict[str, object], expected: object, tmp_path: Path
) -> None:
    read = open_gguf(_with_keys(tmp_path, {f"rope.scaling.{k}": v for k, v in values.items()}))
    assert read.config["rope_scaling"] == expected


@pytest.mark.parametrize(
    ("keys", "named"),
    [
        ({"rope.scaling.type": "longrope", "rope.scaling.factor": 4.0}, "longrope"),
        ({"rope.scaling.type": "yarn", "rope.scaling.attn_factor": 2.0}, r"attn_factor = 2\.0"),
        ({"rope.dimension_count": 8}, "dimension_count = 8 beside a head of 16"),
        ({"attention.sliding_window": 64}, "sliding_window = 64"),
        ({"attention.causal": False}, "causal = False"),
        ({"expert_count": 8}, "expert_count = 8"),
        ({"logit_scale": 0.5}, r"logit_scale = 0\.5"),
    ],
)
def test_settings_that_change_the_arithmetic_are_refused(
    keys: dict[str, object], named: str, tmp_path: Path
) -> None:
    with pytest.raises(UnsupportedModelError, match=rf"{named}.*llama\.cpp runtime"):
        _ = open_gguf(_with_keys(tmp_path, keys)).config


def test_rotary_factors_of_another_rule_are_refused(tmp_path: Path) -> None:
    model = model_of(CONFIGS["llama"])
    odd = np.linspace(1, 4, 8, dtype=np.float32)
    path = write_gguf(
        tmp_path / "m.gguf",
        model.config,
        weights_of(model),
        edit=lambda writer: writer.add_tensor("rope_freqs.weight", odd),
    )
    with pytest.raises(UnsupportedModelError, match=r"rope_freqs\.weight"):
        _ = open_gguf(path).config


def test_another_architecture_gives_its_name_but_no_tensors(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    writer = GGUFWriter(path, "gemma2")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    read = open_gguf(path)
    assert read.config == {"model_type": "gemma2"}
    with pytest.raises(
        UnsupportedModelError, match=r"'gemma2'.*llama, qwen2, qwen3.*llama\.cpp runtime"
    ):
        next(read.tensors())


def test_a_tensor_without_a_place_is_refused(tmp_path: Path) -> None:
    model = model_of(CONFIGS["llama"])
    path = write_gguf(
        tmp_path / "m.gguf",
        model.config,
        weights_of(model),
        edit=lambda writer: writer.add_tensor("blk.0.ffn_gate_inp.weight", np.zeros((2, 2), "f4")),
    )
    with pytest.raises(UnsupportedModelError, match=r"'blk\.0\.ffn_gate_inp\.weight'"):
        next(open_gguf(path).tensors())


def test_a_quantisation_that_gguf_cannot_undo_is_refused_at_once(tmp_path: Path) -> None:
    model = model_of(CONFIGS["llama"])
    path = write_gguf(
        tmp_path / "m.gguf",
        model.config,
        weights_of(model),
        edit=lambda writer: writer.add_tensor("blk.0.attn_norm.bias", np.zeros(4, np.int32)),
    )
    with pytest.raises(UnsupportedModelError, match="quantisation I32"):
        next(open_gguf(path).tensors())


def test_a_projection_that_is_no_whole_number_of_heads_is_corrupt(tmp_path: Path) -> None:
    model = model_of(CONFIGS["llama"])
    tensors = weights_of(model)
    config = LlamaConfig(**SHAPE)
    config.head_dim = 8
    with pytest.raises(ModelFileError, match=r"attn_q\.weight' has 64 rows, but 4 heads of 8"):
        next(open_gguf(write_gguf(tmp_path / "m.gguf", config, tensors)).tensors())


def test_a_missing_or_mistyped_key_is_named(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_tensor("token_embd.weight", np.zeros((4, 8), np.float32))
    writer.add_string("llama.embedding_length", "8")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(ModelFileError, match=r"'llama\.embedding_length' is '8'; wanted: int"):
        _ = open_gguf(path).config


def _with_keys(folder: Path, keys: dict[str, object]) -> Path:
    def edit(writer: GGUFWriter) -> None:
        for key, value in keys.items():
            add: Any = {
                str: writer.add_string,
                int: writer.add_uint32,
                float: writer.add_float32,
                bool: writer.add_bool,
            }[type(value)]
            add(f"llama.{key}", value)

    model = model_of(CONFIGS["llama"])
    return write_gguf(folder / "m.gguf", model.config, weights_of(model), edit=edit)
