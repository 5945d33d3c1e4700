"""Variants of the recipe: what they change, and how a trained one is measured."""

from __future__ import annotations

import json
from dataclasses import replace
from string import ascii_lowercase

import numpy as np
import pytest
import torch
from support.training import small_run

from benchmarks import coded as coded_letters
from benchmarks import variants
from benchmarks.coded import Coded
from benchmarks.variants import VARIANTS, Setting, by_trainee, parser
from steelyard.data.dataset import read_examples, write_examples
from steelyard.evaluation.suites.registry import SUITES
from steelyard.evaluation.suites.suite import Suite
from steelyard.training.bundles import Bundle
from steelyard.training.micro_batch import Asker, placed
from steelyard.types import Choice, Example

RECIPE = """
[model]
base = "BASE"
rank = 4
dtype = "float32"
exits = [1]
[data]
train = ["unused"]
valid = "unused"
[optim]
steps = 7
step_tokens = 300
batch_tokens = 300
"""


@pytest.fixture
def options(tmp_path):
    small_run(tmp_path)  # writes the model and the examples
    data = tmp_path / "data"
    data.mkdir()
    for name in ("train", "valid"):
        examples = read_examples(tmp_path / f"{name}.jsonl")
        write_examples(data / f"{name}.jsonl.gz", examples)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(RECIPE.replace("BASE", str(tmp_path / "base")))
    words = ["--data", data, "--eval", tmp_path, "--recipe", recipe, "--folder", tmp_path / "runs"]
    words += ["--records", tmp_path / "records", "--steps", 3, "--questions", 9, "--threads", 1]
    parsed = parser().parse_args(["--no-compile", *map(str, words)])
    variants.draw_valid(parsed)
    return parsed


def wide(number):
    labels = [f"word {index}" for index in range(number)]
    target = tuple(float(index == number - 1) for index in range(number))
    return Example("ball", Choice("Which?", labels), target, "made", str(number), "MIT")


def test_every_variant_of_a_seed_differs_in_what_it_is_named_for(options):
    common = Setting("pointer-set", 5, options).config()
    assert (common.seed, common.model.exits, common.optim.steps) == (5, (), 3)
    changed = {
        name: {
            part
            for part in ("model", "data", "optim", "seed")
            if getattr(Setting(name, 5, options).config(), part) != getattr(common, part)
        }
        for name in VARIANTS
    }
    assert changed == {
        "pointer-set": set(),
        "pointer": {"model"},
        "letters": {"model"},
        "continuation": {"model"},
        "codes": {"model"},
        "sandwich": {"data"},
        "full": {"model", "optim"},
        "longer": {"optim"},
        "second": set(),
    }


def test_a_record_holds_qualities_and_the_sensitivity_to_orders(options, tmp_path, monkeypatch):
    suite = Suite(name="wide", load=lambda folder: [wide(40), wide(30)], what="made", licence="MIT")
    monkeypatch.setitem(SUITES, "wide", suite)
    monkeypatch.setattr(variants, "SUITES_ASKED", {"wide": 2})
    path = variants.measured(Setting("pointer-set", 1, options), variants.provenance(True))
    results = json.loads(path.read_text())["results"]
    assert set(results["qualities"]) == {
        *("valid", "valid noul", "valid choice", "valid score"),
        "wide",
    }
    assert results["qualities"]["valid"]["n"] == 9
    assert results["tokens"] > 0
    assert results["order"]["largest_distance"] < 1e-5  # a set has no order
    listed = variants.measured(Setting("pointer", 1, options), variants.provenance(True))
    assert json.loads(listed.read_text())["results"]["order"]["largest_distance"] > 1e-5


def test_the_trainee_answers_each_example_in_its_place(options):
    run = variants.prepared(
        Setting("pointer-set", 1, options).config(),
        Setting("pointer-set", 1, options),
        options.folder / "x",
    )
    examples = list(read_examples(options.data / "valid.jsonl.gz"))
    together = by_trainee(run)(examples)
    alone = [by_trainee(run)([example])[0] for example in reversed(examples)][::-1]
    for mine, theirs, example in zip(together, alone, examples, strict=True):
        assert mine.shape == (len(example.target),)
        np.testing.assert_allclose(mine, theirs, atol=1e-5)


def test_codes_go_on_where_letters_end(tmp_path, monkeypatch):
    # the tiny tokenizer has no pairs
    monkeypatch.setattr(coded_letters, "codes", lambda tokenizer: ascii_lowercase)
    run = small_run(tmp_path, model={"readout": "letters"})
    coded = Coded(run.asker.tokenizer)
    assert coded.most_options == 52
    asker = Asker(run.asker.tokenizer, run.asker.chat, coded)
    few, many = wide(5), wide(30)

    def scores(asker, readout, example):
        micro = placed([asker.ask(Bundle(example.state, (example,), "isolated-v1"))])
        trainee = replace(run.trainee, readout=readout)
        return trainee.scores(micro)[trainee.decoder.config.layers]

    with torch.no_grad():
        torch.testing.assert_close(
            scores(asker, coded, few), scores(run.asker, run.trainee.readout, few)
        )
        assert scores(asker, coded, many).shape == (1, 30)
    (prompt,) = asker.ask(Bundle("ball", (many,), "isolated-v1")).prompts[0]
    assert f"({coded.labels[29]}) word 29" in asker.tokenizer.decode(
        [token for node in prompt.plan.nodes for token in node.ids]
    )
