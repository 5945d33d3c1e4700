from __future__ import annotations

from pathlib import Path

import pytest
import torch
from support.gguf_files import write_gguf
from transformers import LlamaConfig, LlamaForCausalLM

from steelyard.backbone.weights.source import open_weights
from steelyard.errors import ModelFileError, UnknownModelError
from steelyard.prompt.branch import Piece


@pytest.fixture(scope="module")
def model() -> LlamaForCausalLM:
    torch.manual_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=320,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=1,
            num_attention_heads=4,
            num_key_value_heads=2,
        )
    )


def test_a_folder_and_a_gguf_of_one_model_hold_the_same(
    model: LlamaForCausalLM, tmp_path: Path
) -> None:
    model.save_pretrained(tmp_path / "folder")
    write_gguf(tmp_path / "model.gguf", model.config, model.state_dict())
    folder, gguf = open_weights(tmp_path / "folder"), open_weights(str(tmp_path / "model.gguf"))
    assert (folder.kind, gguf.kind) == ("safetensors", "gguf")
    of_folder, of_gguf = dict(folder.tensors()), dict(gguf.tensors())
    assert of_folder.keys() == of_gguf.keys()
    assert all(torch.equal(of_folder[name], of_gguf[name]) for name in of_folder)
    same = gguf.config.keys() & folder.config.keys()
    assert {"hidden_size", "num_key_value_heads", "rms_norm_eps", "head_dim"} <= same
    assert {k: gguf.config[k] for k in same - {"bos_token_id", "eos_token_id"}} == {
        k: folder.config[k] for k in same - {"bos_token_id", "eos_token_id"}
    }


def test_a_gguf_brings_its_tokenizer(model: LlamaForCausalLM, tmp_path: Path) -> None:
    weights = open_weights(write_gguf(tmp_path / "m.gguf", model.config, model.state_dict()))
    tokenizer = weights.tokenizer()
    text = "<|im_start|>user\nthe state\n"
    ids = tokenizer.encode([Piece(text, trusted=True)])
    assert ids[0] == tokenizer.special_tokens["<|im_start|>"]
    assert tokenizer.decode(ids) == text
    assert (tokenizer.bos, tokenizer.eos) == ("<|endoftext|>", "<|im_end|>")
    assert tokenizer.chat_template is not None and not tokenizer.adds_bos


def test_nothing_at_the_path_is_an_unknown_model(tmp_path: Path) -> None:
    with pytest.raises(UnknownModelError, match="none: no such folder or file"):
        open_weights(tmp_path / "none")


def test_another_file_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"PK\x03\x04")
    with pytest.raises(ModelFileError, match=r"model\.bin: .*not a GGUF file"):
        open_weights(tmp_path / "model.bin")
