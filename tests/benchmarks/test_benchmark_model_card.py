"""A model card tells what build, run and export wrote."""

from __future__ import annotations

import json

from benchmarks import model_card
from steelyard.models.directory import file_digest

RECIPE = """
[model]
base = "mini"
[data]
train = ["t"]
valid = "v"
mix = { desk = 0.25 }
[optim]
steps = 2
"""


def test_a_card_has_data_licences_leaks_validation_and_files(tmp_path) -> None:
    build, run, model = (tmp_path / name for name in ("build", "run", "model"))
    for folder in (build, run, model):
        folder.mkdir()
    desk = {"name": "desk", "about": "tickets", "licences": {"CC0-1.0": 7}, "train": 1234}
    other = {"name": "shop", "about": "orders", "licences": {"MIT": 1}, "train": 5, "dropped": {}}
    report = {
        "seed": 3,
        "cap": 50,
        "sources": [desk | {"dropped": {"leak": 8, "other": 2}}, other],
        "evaluation": ["a", "b"],
        "outputs": {"train.jsonl.gz": "0" * 64},
    }
    (build / "build.json").write_text(json.dumps(report))
    step = {"tokens": 300.0, "questions": 10.0, "seconds": 1800.0}
    valid = {"30": {"all": [0.9, 0.5, 40]}}, {"30": {"all": [0.8, 0.625, 40]}}
    lines = [
        {"step": 0, "valid": valid[0], "best_step": 0},
        {"step": 1, **step},
        {"step": 2, **step},
        {"step": 2, "valid": valid[1], "best_step": 2},
    ]
    (run / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (model / "steelyard.json").write_text(json.dumps({"base": "mini", "base_digest": "a" * 64}))
    recipe, prose = tmp_path / "desk.toml", tmp_path / "prose.md"
    recipe.write_text(RECIPE)
    prose.write_text("# desk\n")
    words = [prose, "--build", build, "--recipe", recipe, "--run", run, "--model", model]
    model_card.main(list(map(str, words)))
    text = (model / "README.md").read_text()
    assert text.startswith("# desk\n")
    assert "| desk | tickets | CC0-1.0 | 1,234 | 0.25 |" in text
    assert "| shop | orders | MIT | 5 | 1 |" in text
    assert "8 examples were removed: desk 8." in text
    assert "2 steps of 300 tokens and 10 questions, in 1.0 hours. Kept: step 2." in text
    assert "| 30 | 0.625 / 0.800 |" in text
    assert file_digest(model / "steelyard.json") in text
