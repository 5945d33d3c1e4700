"""The trust benchmarks on a few rows: figures worked by hand, and records that hold them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from support.forecasts import readings

from benchmarks import calibration, guarantees
from benchmarks.calibration import noul_figures
from steelyard.evaluation.run import Maker
from steelyard.readout.scores import softmax


def test_competence_counts_an_abstention_as_wrong() -> None:
    yes = np.array([0.9, 0.8, 0.5, 0.2, 0.1])
    truths = np.array([1.0, 0.0, 1.0, 0.0, 0.0])
    found = noul_figures(yes, truths)
    assert found["competence"] == pytest.approx(200 * (3 / 5 - 0.5))
    assert found["undecided"] == pytest.approx(1 / 5)


def test_guarantees_are_counted() -> None:
    found = guarantees.measured(4, seed=1)
    assert list(found) == [
        "sets_lac", "sets_aps", "sets_raps", "sets_interval", "scan", "ltt", "exit", "temperature"
    ]  # fmt: skip
    assert json.loads(json.dumps(found)) == found


def test_kept_answers_are_measured_before_and_after(tmp_path: Path) -> None:
    paths = [
        answers(tmp_path / "one.jsonl", temperature=8.0, seed=0),
        answers(tmp_path / "two.jsonl", temperature=1.0, seed=1),
    ]
    command = ["--name", "test", "--draws", "20", "--allow-dirty", "--records", str(tmp_path)]
    calibration.main([*map(str, paths), *command])
    results = json.loads((tmp_path / "calibration--test.json").read_text())["results"]
    assert results["own"]["one"]["noul"]["nll"]["verdict"] == "better"
    assert results["own"]["two"]["noul"]["nll"]["verdict"] == "not shown"
    there, back = results["elsewhere"]
    assert (there["taught"], there["asked"]) == ("one", "two")
    assert there["nll"]["after"]["value"] > there["nll"]["before"]["value"]
    assert back["nll"]["after"]["value"] == pytest.approx(back["nll"]["before"]["value"], rel=0.5)
    assert "too_few" in results["committed"]["one"]  # 100 rows teach, 200 are needed


def answers(path: Path, *, temperature: float, seed: int) -> Path:
    """A file of 200 answered nouls whose scores are `temperature` times too large."""
    maker = Maker(
        weights="a" * 64,
        tokenizer="t",
        layout="b" * 64,
        calibrator=None,
        runtime="torch",
        dtype="float32",
        exit_layers=(8,),
        settings={},
    )
    lines: list[object] = [{"maker": asdict(maker)}]
    rows = readings(200, kind="noul", options=(2,), temperature=temperature, seed=seed)
    for index, one in enumerate(rows):
        lines.append(
            {
                "suite": path.stem,
                "example": str(index),
                "group": one.group,
                "kind": "noul",
                "probabilities": softmax(one.scores).tolist(),
                "target": {str(one.label): 1.0},
                "exit_layer": 8,
                "seconds": 0.1,
                "code": "",
            }
        )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
