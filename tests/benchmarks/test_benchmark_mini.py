"""The evaluation of a model writes a record per suite, and its tables show what records say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.fake_engine import FakeEngine
from support.published import write_json

from benchmarks import mini, mini_table
from benchmarks.record import Machine, Provenance
from steelyard.evaluation.suites.registry import SUITES

ORIGIN = Provenance(
    commit="0123456789abcdef",
    dirty=False,
    date="2026-11-29T12:00:00+00:00",
    machine=Machine(cpu="Test CPU", cores=2, memory_bytes=1, load_average=0.0),
    versions={},
    command="python -m benchmarks.mini --model fake",
)


def evaluated(folder: Path, mode: str = "full", sample: int = 4) -> dict[str, object]:
    """The record of a fake model on six questions of StrategyQA."""
    rows = [
        {"qid": f"q{n}", "question": f"Is it {n}?", "answer": n % 3 == 0, "facts": ["One."]}
        for n in range(6)
    ]
    write_json(folder / "data" / "strategyqa" / "dev.json.gz", rows)
    words = ["--data", str(folder / "data"), "--records", str(folder / "records")]
    words += ["--answers", str(folder / "answers"), "--model", "fake", "--mode", mode]
    options = mini.parser().parse_args([*words, "--sample", str(sample), "--how", "rotations=2"])
    path = mini.record_suite(FakeEngine(), SUITES["strategyqa"], options, ORIGIN)
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_record_says_what_was_asked_and_how(tmp_path: Path) -> None:
    record = evaluated(tmp_path)
    assert record["name"] == "mini--fake-float32-full--strategyqa"
    settings = record["settings"]
    assert settings["how"] == {"rotations": 2}
    assert (settings["suite"], settings["sample"], settings["questions"]) == ("strategyqa", 4, 6)
    assert (settings["weights"], settings["commits"]) == ("f" * 64, ["0123456789ab"])
    noul = record["results"]["noul"]
    assert noul["n"] == 4
    assert noul["majority"] >= 0.5
    assert record["results"]["answers_by_layer"] == {"30": 4}
    kept = tmp_path / "answers" / "fake-float32-full" / "strategyqa.jsonl"
    assert len(kept.read_text().splitlines()) == 1 + 4


def test_a_larger_sample_keeps_the_answers_that_are_there(tmp_path: Path) -> None:
    evaluated(tmp_path)
    assert evaluated(tmp_path, sample=6)["results"]["noul"]["n"] == 6
    kept = tmp_path / "answers" / "fake-float32-full" / "strategyqa.jsonl"
    assert len(kept.read_text().splitlines()) == 1 + 6


def test_arguments_are_json_or_text() -> None:
    assert mini.argument("rotations=4") == ("rotations", 4)
    assert mini.argument("readout=continuation") == ("readout", "continuation")
    assert mini.argument("layers=[1, 2]") == ("layers", [1, 2])
    with pytest.raises(mini.argparse.ArgumentTypeError, match="allowed: NAME=VALUE"):
        mini.argument("rotations")


def test_modes_stand_beside_each_other_with_their_baselines(tmp_path: Path) -> None:
    full = evaluated(tmp_path)["results"]["noul"]
    evaluated(tmp_path, mode="untrained", sample=6)
    tables = mini_table.render(tmp_path / "records")
    assert "| suite | kind | n | chance | majority | fake, untrained | fake, full |" in tables
    low, high = full["accuracy"]["interval"]
    shown = f"{full['accuracy']['value']:.2f} [{low:.2f}, {high:.2f}]"
    begin = "| strategyqa | noul | 6 / 4 | 0.50 | 0.67 |"  # two of six are a yes
    (row,) = [line for line in tables.splitlines() if line.startswith(begin)]
    assert row.endswith(f"| {shown} |")
    assert "| strategyqa | noul | fake, full |" in tables
    assert "30.0 of 30" in tables
    assert "`benchmarks/records/mini--fake-float32-full--*.json`, commits 0123456789," in tables


def test_distances_stand_beside_the_uniform_and_the_prior(tmp_path: Path) -> None:
    found = evaluated(tmp_path)["results"]["noul"]["kl"]
    tables = mini_table.render(tmp_path / "records")
    beside = f"| strategyqa | noul | {found['uniform']:.3f} | {found['prior']:.3f} | "
    assert f"{beside}{found['model']['value']:.3f} [" in tables
    assert "Ranked probability" not in tables  # no scores here
