from pathlib import Path

import pytest

from steelyard.errors import InputFileError, RequestError
from steelyard.training.config import read_config

LEAST = """
[model]
base = "mini"
[data]
train = ["a.jsonl"]
valid = "b.jsonl"
[optim]
steps = 10
"""


def read(tmp_path, text):
    path = tmp_path / "run.toml"
    path.write_text(text)
    return read_config(path)


def test_what_is_not_said_has_its_default(tmp_path):
    config = read(tmp_path, LEAST)
    assert config.model.readout == "pointer-set" and config.model.exits == ()
    assert config.data.train == ("a.jsonl",) and config.data.layouts == {"isolated-v1": 1.0}
    assert config.optim.steps == 10 and config.optim.brier == 0.5
    assert config.threads is None


def test_every_kind_of_value_is_read(tmp_path):
    text = LEAST.replace(
        'base = "mini"', 'base = "mini"\nexits = [1, 2]\nalpha = 8\nmethod = "full"'
    )
    text = "seed = 7\nthreads = 2\n" + text + "lr = 1\n[data.mix]\nfolio = 0.5\n"
    config = read(tmp_path, text)
    assert (config.seed, config.threads) == (7, 2)
    assert config.model.exits == (1, 2) and config.model.alpha == 8.0
    assert config.model.method == "full" and config.optim.lr == 1.0
    assert config.data.mix == {"folio": 0.5}


def test_the_recipes_of_the_repository_can_be_read():
    recipes = sorted((Path(__file__).parents[2] / "recipes").glob("*.toml"))
    assert recipes
    for path in recipes:
        read_config(path)


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("steps = 10", "steps = 0", "optim.steps"),
        ("steps = 10", "", "optim"),
        ("steps = 10", 'steps = "10"', "optim.steps"),
        ("steps = 10", "steps = true", "optim.steps"),
        ("steps = 10", "steps = 10\nstep = 1", "optim.step"),
        ("steps = 10", "steps = 10\nlr = -1.0", "optim.lr"),
        ("steps = 10", "steps = 10\nlr = nan", "optim.lr"),
        ("steps = 10", "steps = 10\nlr = inf", "optim.lr"),
        ("steps = 10", "steps = 10\nrps = inf", "optim.rps"),
        ('base = "mini"', "", "model"),
        ('base = "mini"', 'base = "mini"\nreadout = "spell"', "model.readout"),
        ('base = "mini"', 'base = "mini"\nexits = [1.5]', "model.exits.0"),
        ('train = ["a.jsonl"]', "train = []", "data.train"),
        ('train = ["a.jsonl"]', 'train = "a.jsonl"', "data.train"),
        ('valid = "b.jsonl"', 'valid = "b.jsonl"\nbare_share = -0.1', "data.bare_share"),
        ('valid = "b.jsonl"', 'valid = "b.jsonl"\nbare_share = 1.5', "data.bare_share"),
        ('valid = "b.jsonl"', 'valid = "b.jsonl"\nmix = {folio = 2}', "data.mix.folio"),
        ('valid = "b.jsonl"', 'valid = "b.jsonl"\nlayouts = {}', "data.layouts"),
        ("[model]", "models = 1\n[model]", "models"),
        ("[model]", "threads = 0\n[model]", "threads"),
        ("[model]", f"threads = {10**12}\n[model]", "threads"),
        ("[model]", f"seed = {2**63}\n[model]", "seed"),
        ("steps = 10", f"steps = 10\nlr = {10**400}", "optim.lr"),
        ('valid = "b.jsonl"', 'valid = "b.jsonl"\nwatch = {valid = "c"}', "data.watch.valid"),
        ('valid = "b.jsonl"', 'valid = "b.jsonl"\nwatch = {step = "c"}', "data.watch.step"),
    ],
)
def test_a_wrong_value_names_its_field(tmp_path, old, new, field):
    assert old in LEAST
    with pytest.raises(RequestError) as caught:
        read(tmp_path, LEAST.replace(old, new))
    assert caught.value.field == field


@pytest.mark.parametrize("text", ["[model", "a = \x00", "a = " + "[" * 100_000])
def test_what_is_no_toml_names_the_file(tmp_path, text):
    with pytest.raises(InputFileError, match=r"run\.toml"):
        read(tmp_path, text)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputFileError, match="none"):
        read_config(tmp_path / "none.toml")
