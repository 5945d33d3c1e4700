"""Exported models answer as the trained weights did, and load elsewhere."""

import json

import numpy as np
import pytest
import torch
from support.examples import choice
from support.training import small_config, small_examples, small_run, write_examples

import steelyard
from steelyard.calibration.exit_temperature import ExitTemperature, Labelled
from steelyard.errors import InputFileError, ModelFileError, OutputError, RequestError
from steelyard.prompt.branch import Piece
from steelyard.prompt.options import option_set
from steelyard.training.export import choose_threshold, export
from steelyard.training.loop import train
from steelyard.training.shelf import shelved
from steelyard.types import NoulAnswer

READOUTS = ("pointer", "pointer-set", "letters", "continuation")


def trained(tmp_path, **changes):
    changes = {"optim": {"steps": 3, "lr": 2e-2}} | changes
    run = small_run(tmp_path, **changes)
    train(run)
    return run


def shares(answer):
    """The probability of each option, in the question's order."""
    if isinstance(answer, NoulAnswer):
        return [answer.noul, 1 - answer.noul]
    return list(answer.probabilities.values())


@pytest.mark.parametrize("readout", READOUTS)
@pytest.mark.parametrize("method", ["lora", "full"])
def test_the_engine_reads_the_scores_that_training_computed(tmp_path, readout, method):
    run = trained(tmp_path, model={"readout": readout, "method": method})
    export(run, tmp_path / "model", name="small", merged=torch.float32)
    examples = small_examples(3, seed=5)
    with torch.no_grad():
        (micro,) = run.asker.micro_batches(
            map(run.asker.ask, shelved(examples, "isolated-v1")), 10**6
        )
        scores = run.trainee.scores(micro)
    temperatures = json.loads((tmp_path / "model" / "steelyard.json").read_text())["exits"]
    engine = steelyard.load(tmp_path / "model")
    for row, example in enumerate(examples):
        answer = engine.decide(example.state, {"q": example.question}).answers["q"]
        options = option_set(example.question)
        size = len(options)
        warmth = temperatures["temperatures"]["3"][options.kind]
        expected = (scores[3][row, :size].double() / warmth).softmax(dim=0).numpy()
        found = shares(answer)
        np.testing.assert_allclose(found, expected, atol=2e-5)


def test_merged_weights_load_with_transformers(tmp_path):
    transformers = pytest.importorskip("transformers")
    run = trained(tmp_path)
    export(run, tmp_path / "model", name="small", merged=torch.float32)
    theirs = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "model")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "model")
    ids = tokenizer("ball 1 is red", return_tensors="pt").input_ids
    assert ids.tolist() == [list(run.asker.tokenizer.encode([Piece("ball 1 is red")]))]
    layer = theirs.model.layers[0].self_attn.q_proj.weight
    module = run.trainee.decoder.layers[0].self_attn.q_proj
    torch.testing.assert_close(layer, module.exact(), rtol=0, atol=0)


def test_a_base_without_a_name_needs_merged_weights(tmp_path):
    with pytest.raises(RequestError, match="merged") as caught:
        export(trained(tmp_path), tmp_path / "model", name="small")
    assert caught.value.field == "model.base"
    assert not (tmp_path / "model").exists()


def test_a_run_is_exported_with_its_own_configuration_only(tmp_path):
    trained(tmp_path)
    other = small_run(tmp_path, data={"layouts": {"sandwich-v1": 1.0}})
    with pytest.raises(InputFileError, match="another configuration"):
        export(other, tmp_path / "model", name="small", merged=torch.float32)


def test_letters_are_exported_though_validation_has_a_wide_choice(tmp_path):
    small_config(tmp_path)
    wide = choice("s", [f"option {index}" for index in range(40)])
    write_examples(tmp_path / "valid.jsonl", [*small_examples(2), wide])
    run = trained(tmp_path, model={"readout": "letters"})
    rule = export(run, tmp_path / "model", name="small", merged=torch.float32)
    assert rule is not None and 0 < rule.mean_layers <= 3


@pytest.mark.parametrize("change", ["lost", "other"])
def test_a_model_that_lost_a_part_or_has_another_is_refused(tmp_path, change):
    run = trained(tmp_path)
    export(run, tmp_path / "model", name="small", merged=torch.float32)
    head = tmp_path / "model" / "pointer.safetensors"
    if change == "lost":
        head.unlink()
    else:
        head.write_bytes(head.read_bytes()[:-4] + b"\0\0\0\0")
    with pytest.raises(ModelFileError, match=r"pointer\.safetensors"):
        steelyard.load(tmp_path / "model")


def test_an_existing_folder_is_refused(tmp_path):
    run = trained(tmp_path)
    (tmp_path / "model").mkdir()
    with pytest.raises(OutputError, match="exists"):
        export(run, tmp_path / "model", name="small", merged=torch.float32)


def readings(sure, right):
    """Two options; layer -> questions, each (probability of the likeliest, is it right)."""
    return {
        layer: [
            Labelled(
                "noul",
                np.log([p, 1 - p]),
                np.array([1.0, 0.0]) if hit else np.array([0.0, 1.0]),
            )
            for p, hit in zip(sure[layer], right[layer], strict=True)
        ]
        for layer in sure
    }


def test_the_threshold_is_the_lowest_that_loses_no_more_than_allowed():
    sure = {1: [0.605, 0.7, 0.8, 0.95], 2: [0.99] * 4}
    right = {1: [False, True, True, True], 2: [True] * 4}
    plain = ExitTemperature({1: {"noul": 1.0}, 2: {"noul": 1.0}})
    rule = choose_threshold(readings(sure, right), plain, most_loss=0.0)
    assert rule.threshold == pytest.approx(0.61) and rule.accuracy == rule.full_accuracy == 1.0
    assert rule.mean_layers == pytest.approx((2 + 1 + 1 + 1) / 4)
    generous = choose_threshold(readings(sure, right), plain, most_loss=0.25)
    assert generous.mean_layers == 1.0 and generous.accuracy == 0.75


def test_without_a_safe_exit_the_threshold_is_full_depth():
    sure = {1: [0.999, 0.999], 2: [0.9, 0.9]}
    right = {1: [False, False], 2: [True, True]}
    plain = ExitTemperature({1: {"noul": 1.0}, 2: {"noul": 1.0}})
    rule = choose_threshold(readings(sure, right), plain, most_loss=0.0)
    assert rule.threshold == 1.0 and rule.mean_layers == 2.0


def continued(tmp_path, **model):
    return small_run(
        tmp_path, "second", model={"start": "model", **model}, optim={"steps": 2, "lr": 1e-4}
    )


def test_training_goes_on_from_what_an_exported_model_learned(tmp_path, monkeypatch):
    run = trained(tmp_path)
    monkeypatch.setattr("steelyard.training.export.CATALOG", {run.config.model.base: None})
    export(run, tmp_path / "model", name="small")
    second = continued(tmp_path)
    mine, theirs = dict(second.trainee.named_parameters()), dict(run.trainee.named_parameters())
    for name, value in theirs.items():
        if not name.endswith("log_scale"):
            torch.testing.assert_close(mine[name], value, rtol=0, atol=0)
    for change, error in (
        ({"readout": "pointer"}, RequestError),
        ({"rank": 2}, RequestError),
        ({"exits": (1,)}, ModelFileError),
    ):
        with pytest.raises(error):
            continued(tmp_path, **change)
