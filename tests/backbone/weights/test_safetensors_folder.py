from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from support.tokenizer import byte_tokenizer
from transformers import LlamaConfig, LlamaForCausalLM

from steelyard.backbone.config import from_hf
from steelyard.backbone.decoder import Decoder
from steelyard.backbone.weights.safetensors_folder import open_folder
from steelyard.errors import ModelFileError, UnsupportedModelError
from steelyard.prompt.branch import Piece

INDEX = "model.safetensors.index.json"


def tensors() -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return {f"t{index}": torch.randn(4, 8, generator=generator) for index in range(5)}


@pytest.fixture
def single(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    save_file(tensors(), tmp_path / "model.safetensors")
    return tmp_path


@pytest.fixture
def sharded(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    names = list(tensors())
    shards = {"b.safetensors": names[:3], "a.safetensors": names[3:]}
    for file, held in shards.items():
        save_file({name: tensors()[name] for name in held}, tmp_path / file)
    weight_map = {name: file for file, held in shards.items() for name in held}
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": weight_map}))
    return tmp_path


@pytest.mark.parametrize("layout", ["single", "sharded"])
def test_tensors_are_read_as_they_were_saved(layout: str, request: pytest.FixtureRequest) -> None:
    weights = open_folder(request.getfixturevalue(layout))
    read = dict(weights.tensors())
    assert read.keys() == tensors().keys()
    assert all(torch.equal(read[name], value) for name, value in tensors().items())
    assert weights.config == {"model_type": "llama"}


def test_tensors_come_in_the_type_asked_for(single: Path) -> None:
    for name, value in open_folder(single).tensors(torch.bfloat16):
        assert torch.equal(value, tensors()[name].to(torch.bfloat16))


def test_tensors_outlive_a_rewriting_of_their_file(single: Path) -> None:
    read = dict(open_folder(single).tensors())
    path = single / "model.safetensors"
    with path.open("r+b") as file:
        file.write(bytes(path.stat().st_size))
    assert all(torch.equal(read[name], value) for name, value in tensors().items())


def test_the_digest_of_one_file_is_its_sha256(single: Path) -> None:
    expected = hashlib.sha256((single / "model.safetensors").read_bytes()).hexdigest()
    assert open_folder(single).digest == expected


def test_the_digest_of_shards_is_that_of_their_sorted_checksum_lines(sharded: Path) -> None:
    lines = "".join(
        f"{hashlib.sha256((sharded / name).read_bytes()).hexdigest()}  {name}\n"
        for name in ("a.safetensors", "b.safetensors")
    )
    assert open_folder(sharded).digest == hashlib.sha256(lines.encode()).hexdigest()


def test_the_digest_of_shards_does_not_depend_on_the_order_of_the_index(sharded: Path) -> None:
    before = open_folder(sharded).digest
    index = json.loads((sharded / INDEX).read_text())
    index["weight_map"] = dict(reversed(index["weight_map"].items()))
    (sharded / INDEX).write_text(json.dumps(index))
    assert open_folder(sharded).digest == before


def test_what_transformers_saves_is_read_by_the_decoder(tmp_path: Path) -> None:
    config = LlamaConfig(
        vocab_size=259,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
    )
    model = LlamaForCausalLM(config)
    model.save_pretrained(tmp_path, max_shard_size="20KB")
    byte_tokenizer().save(str(tmp_path / "tokenizer.json"))
    weights = open_folder(tmp_path)
    assert len(weights.shards) > 1
    decoder = Decoder.from_weights(from_hf(weights.config), weights.tensors())
    assert torch.equal(decoder.head, model.lm_head.weight)
    assert weights.tokenizer().encode([Piece("the")]) == tuple(byte_tokenizer().encode("the").ids)


def test_a_file_cut_anywhere_is_refused_by_name(single: Path) -> None:
    path = single / "model.safetensors"
    whole = path.read_bytes()
    for length in (0, 4, 8, 20, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(ModelFileError, match=r"model\.safetensors: cut short or corrupt"):
            open_folder(single)


@pytest.mark.parametrize(
    "header", [b"not JSON", b"\xff\xfe", b'{"t": 1}', b'{"t": {"dtype": "F99"}}']
)
def test_a_corrupt_header_is_refused(header: bytes, single: Path) -> None:
    content = struct.pack("<Q", len(header)) + header + bytes(64)
    (single / "model.safetensors").write_bytes(content)
    with pytest.raises(ModelFileError, match="cut short or corrupt"):
        open_folder(single)


def test_a_file_that_vanishes_after_it_was_opened_is_named(single: Path) -> None:
    weights = open_folder(single)
    (single / "model.safetensors").unlink()
    with pytest.raises(ModelFileError, match=r"model\.safetensors"):
        list(weights.tensors())


def _forget(folder: Path, name: str) -> None:
    index = json.loads((folder / INDEX).read_text())
    del index["weight_map"][name]
    (folder / INDEX).write_text(json.dumps(index))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "a.safetensors").unlink(), r"a\.safetensors: no such file"),
        (
            lambda folder: save_file({"t3": torch.zeros(1)}, folder / "a.safetensors"),
            r"a\.safetensors: the tensor 't4', which .*index\.json puts there, is missing",
        ),
        (lambda folder: _forget(folder, "t1"), r"no entry for the tensor 't1' of b\.safetensors"),
        (lambda folder: (folder / INDEX).write_text("{}"), "no 'weight_map'"),
        (
            lambda folder: (folder / INDEX).write_text('{"weight_map": {"t": "../x"}}'),
            r"'t' is in '\.\./x', which is no file name",
        ),
        (lambda folder: (folder / INDEX).write_text('{"weight'), "cannot be read as JSON"),
        (lambda folder: (folder / "config.json").unlink(), r"config\.json: no such file"),
        (lambda folder: (folder / "config.json").write_text("[]"), "holds a list, not an object"),
        (lambda folder: (folder / "config.json").write_bytes(b"\xff"), "cannot be read as JSON"),
    ],
)
def test_a_damaged_folder_says_which_file_is_wrong(
    damage: Callable[[Path], object], message: str, sharded: Path
) -> None:
    damage(sharded)
    with pytest.raises(ModelFileError, match=message):
        open_folder(sharded)


def test_pickles_are_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x02")
    with pytest.raises(ModelFileError, match=r"pickles \(pytorch_model\.bin\).*run any code"):
        open_folder(tmp_path)


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelFileError, match=r"neither model\.safetensors nor"):
        open_folder(tmp_path)


@pytest.mark.parametrize("dtype", [torch.int8, torch.float8_e4m3fn])
def test_quantised_tensors_are_refused(dtype: torch.dtype, single: Path) -> None:
    save_file({"packed": torch.zeros(4).to(dtype)}, single / "model.safetensors")
    with pytest.raises(UnsupportedModelError, match="'packed' is torch"):
        list(open_folder(single).tensors())
