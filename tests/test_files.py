"""A file is there whole or not at all, and every result is written that way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.full_disk import full_disk

from steelyard.calibration.card import Card
from steelyard.calibration.slotted import SlottedCalibrator
from steelyard.calibration.stored import Calibration, write_calibration
from steelyard.errors import OutputError
from steelyard.evaluation.effects import write_report
from steelyard.evaluation.run_folder import write_rows
from steelyard.files import whole, write_whole

CALIBRATION = Calibration(
    card=Card(
        data="d" * 64,
        rows=100,
        groups=100,
        teaching=0,
        targets="soft",
        model="a" * 64,
        layout="b" * 64,
        readout="letters",
        rotations=1,
        reread_below=0.0,
        exit_layers=(8,),
    ),
    calibrator=SlottedCalibrator({}),
)
WRITES: dict[str, Callable[[Path], None]] = {
    "text": lambda path: write_whole(path, "long" * 100),
    "rows": lambda path: write_rows(path, [{"n": n} for n in range(100)]),
    "effect": lambda path: write_report([{"n": n} for n in range(100)], path),
    "calibration": lambda path: write_calibration(CALIBRATION, path),
}


def test_it_replaces_what_was_there(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", "ä\n")
    write_whole(tmp_path / "a", "b\n")
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("a", "b\n")]


@pytest.mark.parametrize("kind", WRITES)
def test_a_full_disk_leaves_nothing_and_names_the_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    with full_disk(10), pytest.raises(OutputError, match=f"^{path}: File too large"):
        WRITES[kind](path)
    assert list(tmp_path.iterdir()) == []
    WRITES[kind](path)
    assert [one.name for one in tmp_path.iterdir()] == ["a"]


def test_what_fails_midway_leaves_what_was_there(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", "old")

    def parts() -> Iterator[bytes]:
        yield b"new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), whole(tmp_path / "a") as file:
        file.writelines(parts())
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("a", "old")]


@pytest.mark.parametrize("inside", ["nowhere", "file"])
def test_a_folder_that_is_none_is_an_error(inside: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=str(tmp_path / inside / "a")):
        write_whole(tmp_path / inside / "a", "text")
