"""Files that appear whole or not at all, and files that one process holds at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from steelyard.errors import OutputError


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which takes its place at `path` once all of it is on the disk.

    Until then it lies beside; if anything fails it is removed, and what stood at `path` is left.

    Raises:
        OutputError: it cannot be written; the message names `path`.
    """
    scratch = path.with_name(f"{path.name}.part-{os.getpid()}")
    try:
        with scratch.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # a rename may reach the disk before what was written
        scratch.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            scratch.unlink()


def write_whole(path: Path, text: str) -> None:
    """Write text in UTF-8; what stood at `path` is replaced at once.

    Raises:
        OutputError: it cannot be written; what stood there is left.
    """
    with whole(path) as file:
        file.write(text.encode("utf-8"))


def lock(handle: int, busy: str) -> None:
    """Lock an open file or folder for this process; the lock goes with it, however it ends.

    Args:
        handle: file descriptor; closing it gives the lock up.
        busy: what to say where another process has the lock.
    Raises:
        OutputError: another process has it.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OutputError(busy) from None
