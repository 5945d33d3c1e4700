"""A record says which code made it, and names no folder of one machine."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from benchmarks import record
from benchmarks.record import (
    ROOT,
    DirtyTreeError,
    Machine,
    Provenance,
    command_line,
    provenance,
    read_records,
    summarise,
    write_record,
)

ORIGIN = Provenance(
    commit="c" * 40,
    dirty=False,
    date="2026-11-29T12:00:00+00:00",
    machine=Machine(cpu="Test", cores=2, memory_bytes=1, load_average=0.0),
    versions={"python": "3.11"},
    command="python -m benchmarks.trial",
)


def test_a_record_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = write_record(
        tmp_path, "trial--a", ORIGIN, settings={"model": "m"}, results={"x": 1.5}, seed=7
    )
    assert path == tmp_path / "trial--a.json"
    (found,) = read_records(tmp_path, "trial")
    assert found["provenance"]["commit"] == "c" * 40
    assert (found["benchmark"], found["seed"], found["results"]) == ("trial", 7, {"x": 1.5})


def test_records_of_other_benchmarks_are_not_read(tmp_path: Path) -> None:
    for name in ("trial--b", "trial--a", "trial_two--a"):
        write_record(tmp_path, name, ORIGIN, settings={}, results={})
    assert [found["name"] for found in read_records(tmp_path, "trial")] == ["trial--a", "trial--b"]


def test_a_command_names_no_folder_of_one_machine() -> None:
    argv = [
        str(ROOT / "benchmarks/memory.py"),
        "--model",
        "/somewhere/deep/x.gguf",
        "--data",
        "d/e",
    ]
    assert command_line(argv) == "python -m benchmarks.memory --model x.gguf --data d/e"
    assert command_line(["x.py", str(ROOT / "docs")]) == "python -m benchmarks.x docs"


def test_a_summary_holds_median_and_extremes() -> None:
    found = summarise([3.0, 1.0, 2.0])
    assert (found.median, found.low, found.high, found.n) == (2.0, 1.0, 3.0, 3)


def test_a_dirty_tree_is_refused_or_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@t", *words], cwd=tmp_path, check=True
        )

    monkeypatch.setattr(record, "ROOT", tmp_path)
    monkeypatch.setattr(record, "RECORDS", tmp_path / "benchmarks" / "records")
    for name in ("src/a.py", "benchmarks/records/r.json", "pyproject.toml", "notes.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    assert not provenance().dirty

    (tmp_path / "benchmarks/records/r.json").write_text("2\n")
    (tmp_path / "notes.md").write_text("2\n")
    assert not provenance().dirty

    (tmp_path / "src/a.py").write_text("2\n")
    with pytest.raises(DirtyTreeError, match=r"src/a\.py"):
        provenance()
    assert provenance(allow_dirty=True).dirty


def test_provenance_is_plain_json() -> None:
    assert json.loads(json.dumps(provenance(allow_dirty=True).versions))["python"]
