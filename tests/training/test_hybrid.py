"""Training through recurrent layers: gradients of packed trees, runs, and what is exported."""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np
import pytest
import torch
from support.folders import FOREIGN, write_hybrid
from support.training import small_config, small_examples, small_run
from torch import Tensor

import steelyard
from steelyard.backbone.weights.adapter import AdaptedWeights, read_adapter
from steelyard.backbone.weights.source import open_weights
from steelyard.errors import RequestError
from steelyard.training.export import export
from steelyard.training.loop import LOG, Run, identity_of, losses, train
from steelyard.training.lora import LoraLinear, adapted
from steelyard.training.merged import write_merged
from steelyard.training.micro_batch import placed
from steelyard.training.shelf import Bundle, shelved

MIXERS = {
    "self_attn": ["q_proj", "k_proj", "v_proj", "o_proj"],
    "linear_attn": ["in_proj_qkv", "in_proj_z", "in_proj_b", "in_proj_a", "out_proj"],
}
MLP = [f"mlp.{name}_proj" for name in ("gate", "up", "down")]


def hybrid_run(folder, name="run", **changes) -> Run:
    """A run on a small Qwen3.5 read by letters, whose low-rank terms are no longer zero."""
    model = {"readout": "letters", "exits": (1, 3)} | changes.pop("model", {})
    run = small_run(folder, name, write=write_hybrid, model=model, **changes)
    torch.manual_seed(1)
    for _, module in adapted(run.trainee.decoder):
        torch.nn.init.normal_(module.lora_B, std=0.1)
    run.trainee.merge()
    return run


def gradients(run: Run, bundles: Iterable[Bundle]) -> dict[str, Tensor]:
    """Of the sum of the questions' losses, computed in one batch."""
    for _, parameter in run.trainee.named_parameters():
        parameter.grad = None
    micro = placed([run.asker.ask(bundle) for bundle in bundles], join=True)
    loss, _ = losses(run.trainee, micro, run.config.optim)
    loss.backward()
    return {name: parameter.grad for name, parameter in run.trainee.named_parameters()}


@pytest.mark.parametrize("readout", ["letters", "pointer", "continuation"])
def test_gradients_of_a_packed_tree_are_the_sum_of_each_questions_own(tmp_path, readout):
    run = hybrid_run(tmp_path, model={"readout": readout, "recompute": readout == "letters"})
    examples = small_examples(3)
    packed = gradients(run, shelved(examples, "isolated-v1"))
    alone = [gradients(run, [Bundle(one.state, (one,), "isolated-v1")]) for one in examples]
    for name, found in packed.items():
        expected = sum(each[name] for each in alone)
        if name == "head.key.bias":
            continue  # it moves all options alike, so its gradient is 0
        scale = float(sum(each[name].abs() for each in alone).max())  # they may nearly cancel
        assert scale > 1e-5, f"{name} learns nothing"
        torch.testing.assert_close(found, expected, rtol=0, atol=2e-5 * scale, msg=name)


def test_recomputing_changes_no_gradient_and_no_identity(tmp_path):
    plain = hybrid_run(tmp_path)
    again = hybrid_run(tmp_path, model={"recompute": True})
    assert (
        again.identity
        == plain.identity
        != identity_of(small_config(tmp_path, model={"rank": 5}), tmp_path, "")
    )
    bundles = shelved(small_examples(2), "isolated-v1")
    found, expected = gradients(again, bundles), gradients(plain, bundles)
    assert all(torch.equal(found[name], value) for name, value in expected.items())


def test_low_rank_terms_stand_on_every_projection_of_either_kind_of_layer(tmp_path):
    run = hybrid_run(tmp_path)
    names = {name for name, _ in adapted(run.trainee.decoder)}
    kinds = ["linear_attn"] * 3 + ["self_attn"]
    assert names == {
        f"layers.{layer}.{name}"
        for layer, kind in enumerate(kinds)
        for name in (*(f"{kind}.{one}" for one in MIXERS[kind]), *MLP)
    }


def test_options_side_by_side_are_refused(tmp_path):
    with pytest.raises(RequestError, match="letters, pointer, continuation") as caught:
        small_run(tmp_path, write=write_hybrid)
    assert caught.value.field == "model.readout"


def log_of(run: Run) -> list[dict]:
    lines = [json.loads(line) for line in (run.folder / LOG).read_text().splitlines()]
    return [{k: v for k, v in line.items() if k != "seconds"} for line in lines]


def test_a_run_that_is_cut_goes_on_to_the_same_losses_and_its_export_answers_alike(tmp_path):
    optim = {"steps": 4, "lr": 1e-2}
    whole = hybrid_run(tmp_path, "whole", optim=optim)
    train(whole)
    cut = hybrid_run(tmp_path, "cut", optim=optim)

    def stop(line):
        if line["step"] == 3 and "loss" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(cut, report=stop)
    again = hybrid_run(tmp_path, "cut", optim=optim)
    train(again, resume=True)
    assert log_of(again) == log_of(whole)

    export(again, tmp_path / "model", name="small", merged=torch.float32)
    examples = small_examples(2, seed=5)
    micro = placed([again.asker.ask(bundle) for bundle in shelved(examples, "isolated-v1")])
    with torch.no_grad():
        scores = again.trainee.scores(micro)[4]
    engine = steelyard.load(tmp_path / "model", calibrated=False)
    for row, example in zip(scores, examples, strict=True):
        answer = engine.decide(example.state, {"q": example.question}).answers["q"]
        expected = row[: len(example.target)].double().softmax(dim=0).numpy()
        found = [answer.noul] if isinstance(answer, steelyard.NoulAnswer) else None
        found = found or list(answer.probabilities.values())
        np.testing.assert_allclose(found, expected[: len(found)], atol=2e-5)


def test_merged_weights_keep_files_and_names_and_what_is_not_ours_bit_by_bit(tmp_path):
    run = hybrid_run(tmp_path)
    (tmp_path / "merged").mkdir()
    write_merged(run, tmp_path / "merged", torch.bfloat16)
    before, after = (open_weights(tmp_path / name) for name in ("base", "merged"))
    assert after.files == before.files
    assert len(after.files) == 2
    trained = {f"model.language_model.{name}.weight": m for name, m in adapted(run.trainee.decoder)}
    assert len(trained) == 3 * 5 + 4 + 4 * 3
    old, new = dict(before.tensors()), dict(after.tensors())
    for name, tensor in new.items():
        if name in trained:
            assert torch.equal(tensor, trained[name].exact().bfloat16()), name
            assert not torch.equal(tensor, old[name].bfloat16()), name
        elif tensor.ndim == 2 and name not in FOREIGN:
            assert torch.equal(tensor, old[name].bfloat16()), name
        else:
            assert torch.equal(tensor, old[name]), name
            assert tensor.dtype == old[name].dtype, name
    config = json.loads((tmp_path / "merged" / "config.json").read_text())
    assert config["text_config"]["dtype"] == config["torch_dtype"] == "bfloat16"
    assert config["vision_config"] == {"depth": 1}
    for name in ("preprocessor_config.json", "tokenizer.json", "tokenizer_config.json"):
        assert (tmp_path / "merged" / name).read_bytes() == (tmp_path / "base" / name).read_bytes()


def test_an_adapter_goes_onto_a_checkpoint_with_a_vision_tower(tmp_path, monkeypatch):
    run = hybrid_run(tmp_path, optim={"steps": 1})
    train(run)
    monkeypatch.setattr("steelyard.training.export.CATALOG", {run.config.model.base: None})
    export(run, tmp_path / "model", name="small")
    adapter = read_adapter(tmp_path / "model", run.trainee.decoder.config)
    trained = dict(adapted(run.trainee.decoder))
    count = 0
    for name, tensor in AdaptedWeights(run.weights, adapter).tensors(torch.float32):
        module = trained.get(name.removeprefix("model.language_model.").removesuffix(".weight"))
        if module is not None:
            assert isinstance(module, LoraLinear)
            torch.testing.assert_close(tensor, module.exact())
            count += 1
    assert count == len(trained)
    second = hybrid_run(tmp_path, "second", model={"start": "model"})
    assert second.config.model.start == "model"
