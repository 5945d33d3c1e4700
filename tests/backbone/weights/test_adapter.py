"""Adapters in peft's files: the sum, against peft's own arithmetic, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from support.adapters import MODULES, tiny_adapter
from support.folders import write_model
from support.tiny import hybrid_config, tiny_config, tiny_weights
from transformers import AutoModelForCausalLM

from steelyard.backbone.weights.adapter import (
    AdaptedWeights,
    Adapter,
    read_adapter,
    write_adapter,
)
from steelyard.backbone.weights.source import open_weights
from steelyard.errors import ModelFileError, UnsupportedModelError
from steelyard.tokens.tokenizer import Tokenizer

KEY = "base_model.model.model.layers.1.self_attn.q_proj.lora_A.weight"


class Base:
    """The tiny weights, stored in bfloat16."""

    path = Path("base")
    kind = "safetensors"
    config: Mapping[str, object] = {"num_hidden_layers": 3}
    digest = "0" * 64

    def tensors(self, dtype: torch.dtype | None = None) -> Iterator[tuple[str, torch.Tensor]]:
        for name, tensor in tiny_weights(tiny_config()):
            yield name, tensor.to(dtype or torch.bfloat16)

    def tokenizer(self) -> Tokenizer:
        raise NotImplementedError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_adapter(tiny_adapter(), tmp_path, base="tiny")
    return tmp_path


def test_files_are_those_of_peft_and_come_back(folder: Path) -> None:
    assert KEY in load_file(folder / "adapter_model.safetensors")
    config = json.loads((folder / "adapter_config.json").read_text())
    assert (config["peft_type"], config["r"], config["lora_alpha"]) == ("LORA", 4, 8.0)
    assert config["target_modules"] == sorted(module.split(".")[1] for module in MODULES)
    again, first = read_adapter(folder, tiny_config()), tiny_adapter()
    assert again.alpha == first.alpha and again.pairs.keys() == first.pairs.keys()
    for name, pair in again.pairs.items():
        assert all(np.array_equal(x, y) for x, y in zip(pair, first.pairs[name], strict=True))


def test_updates_are_summed_in_float32_before_the_cast() -> None:
    adapter = tiny_adapter()
    base = dict(Base().tensors())
    for dtype in (torch.float32, torch.bfloat16, None):
        merged = dict(AdaptedWeights(Base(), adapter).tensors(dtype))
        assert merged.keys() == base.keys()
        for name, weight in base.items():
            expected = weight.double().numpy()
            if name in adapter.pairs:
                a, b = (x.astype(np.float64) for x in adapter.pairs[name])
                expected = expected + 8.0 / 4 * (b @ a)
            kept = dtype or torch.bfloat16
            assert merged[name].dtype == kept
            exact = torch.from_numpy(expected).float().to(kept).double().numpy()
            bound = 1e-5 if kept == torch.float32 else 0.04  # a last place, where float32 rounded
            np.testing.assert_allclose(merged[name].double().numpy(), exact, atol=bound)
            if kept == torch.bfloat16:
                assert (merged[name].double().numpy() == exact).mean() > 0.99


def test_an_adapter_of_another_model_is_refused_while_it_is_merged() -> None:
    adapter = tiny_adapter()
    a, b = adapter.pairs["model.layers.0.mlp.up_proj.weight"]
    wide = Adapter(8.0, {"model.layers.0.mlp.up_proj.weight": (a, np.concatenate([b, b]))})
    with pytest.raises(ModelFileError, match=r"is \(96, 32\) and the base's \(48, 32\)"):
        list(AdaptedWeights(Base(), wide).tensors())
    deep = Adapter(8.0, {"model.layers.9.mlp.up_proj.weight": (a, b)})
    with pytest.raises(ModelFileError, match=r"layers\.9\.mlp\.up_proj\.weight, which the base"):
        list(AdaptedWeights(Base(), deep).tensors())


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"peft_type": "IA3"}, UnsupportedModelError, "whose peft_type is LORA"),
        ({"use_dora": True}, UnsupportedModelError, "use_dora: got True"),
        ({"bias": "all"}, UnsupportedModelError, "bias: got 'all'"),
        ({"rank_pattern": {"q_proj": 8}}, UnsupportedModelError, "rank_pattern: got"),
        ({"modules_to_save": ["lm_head"]}, UnsupportedModelError, "modules_to_save: got"),
        ({"r": 0}, ModelFileError, "r: got 0"),
        ({"r": 8}, ModelFileError, "needed: a matrix of rank 8"),
        ({"lora_alpha": "8"}, ModelFileError, "lora_alpha: got '8'"),
        ({"target_modules": "all-linear"}, ModelFileError, "target_modules: got 'all-linear'"),
        ({"target_modules": ["q_proj", "w1"]}, ModelFileError, "no update of w1"),
    ],
)
def test_a_configuration_that_asks_for_more_is_refused(
    folder: Path, change: dict[str, Any], error: type[Exception], message: str
) -> None:
    path = folder / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(error, match=message):
        read_adapter(folder, tiny_config())


def test_tensors_that_do_not_fit_are_named(folder: Path) -> None:
    path = folder / "adapter_model.safetensors"
    good = load_file(path)
    with pytest.raises(ModelFileError, match=r"in 3 layers, 0 to 2; the base has 4, 0 to 3"):
        read_adapter(folder, tiny_config(layers=4))
    for changed, error, message in (
        ({k: v for k, v in good.items() if k != KEY}, ModelFileError, "has only its B"),
        (
            {k: v for k, v in good.items() if not k.startswith(KEY[:-14])},
            ModelFileError,
            r"self_attn\.q_proj is updated in 2 layers",
        ),
        (good | {KEY: torch.full((4, 32), torch.inf)}, ModelFileError, "or not finite"),
        (good | {KEY: torch.zeros(3)}, ModelFileError, "needed: a matrix of rank 4"),
        (
            good | {"base_model.model.lm_head.lora_A.weight": torch.zeros(4, 32)},
            UnsupportedModelError,
            r"lm_head\.lora_A\.weight' is no low-rank half",
        ),
    ):
        save_file(changed, path)
        with pytest.raises(error, match=message):
            read_adapter(folder, tiny_config())
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(ModelFileError, match=r"adapter_model\.safetensors: cut short or corrupt"):
        read_adapter(folder, tiny_config())
    path.unlink()
    with pytest.raises(ModelFileError, match="no such file"):
        read_adapter(folder, tiny_config())


def test_names_below_a_vision_tower_mean_the_same(folder: Path) -> None:
    path = folder / "adapter_model.safetensors"
    named = {
        name.replace(".model.layers.", ".model.language_model.layers."): tensor
        for name, tensor in load_file(path).items()
    }
    assert named.keys().isdisjoint(load_file(path))
    save_file(named, path)
    assert read_adapter(folder, tiny_config()).pairs.keys() == tiny_adapter().pairs.keys()


def test_a_map_is_asked_of_the_layers_that_have_it(tmp_path: Path) -> None:
    config = hybrid_config()  # the third of five layers attends

    def written(*names: str) -> Path:
        pairs = {
            f"model.layers.{name}.weight": (torch.ones(2, 3), torch.ones(3, 2)) for name in names
        }
        write_adapter(Adapter(4.0, pairs), tmp_path, base="tiny")
        return tmp_path

    recurrent = [f"{layer}.linear_attn.out_proj" for layer in (0, 1, 3, 4)]
    assert read_adapter(written("2.self_attn.q_proj", *recurrent), config).rank == 2
    with pytest.raises(ModelFileError, match=r"in 3 layers, 0 to 3; the base has 4, 0 to 4"):
        read_adapter(written(*recurrent[:-1]), config)
    with pytest.raises(ModelFileError, match=r"in 1 layers, 0 to 0; the base has 1, 2 to 2"):
        read_adapter(written("0.self_attn.q_proj"), config)


@pytest.mark.filterwarnings("ignore")  # those of peft itself
def test_peft_merges_our_files_and_we_its_own_to_the_same_weights(tmp_path: Path) -> None:
    peft = pytest.importorskip("peft")
    base = write_model(tmp_path / "base")

    def plain() -> Any:
        return AutoModelForCausalLM.from_pretrained(base)

    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    write_adapter(tiny_adapter(), ours, base=str(base))
    loaded = peft.PeftModel.from_pretrained(plain(), ours)
    config = peft.LoraConfig(r=3, target_modules="all-linear", init_lora_weights=False)
    trained = peft.get_peft_model(plain(), config)
    trained.save_pretrained(theirs)
    for folder, model in ((ours, loaded), (theirs, trained)):
        expected = model.merge_and_unload().state_dict()
        adapter = read_adapter(folder, tiny_config())
        for name, tensor in AdaptedWeights(open_weights(base), adapter).tensors(torch.float32):
            torch.testing.assert_close(tensor, expected[name])
