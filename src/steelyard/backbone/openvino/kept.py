"""What is kept on disk for the next start: each file with a checksum at its end.

A damaged graph is imported without complaint and computes something else, so nothing is used that
was not compared. CRC-32 finds accidents, not malice; it reads some 2 GB a second.
"""

from __future__ import annotations

import io
import logging
import zlib
from pathlib import Path

import numpy as np

from steelyard.errors import OutputError
from steelyard.files import whole

logger = logging.getLogger(__name__)

END = b"\ncrc32 %08x\n"
"""The last bytes of a file: the checksum of all before them."""

END_BYTES = len(END % 0)
BLOCK = 1 << 20


def keep(path: Path, *parts: bytes | memoryview) -> bool:
    """Write a file of these bytes and their checksum; False, with a warning, where it cannot be."""
    checksum = 0
    try:
        with whole(path) as file:
            for part in parts:
                file.write(part)
                checksum = zlib.crc32(part, checksum)
            file.write(END % checksum)
    except OutputError as error:
        logger.warning("event=nothing_kept path=%s reason=%r", path, error.message)
        return False
    return True


def keep_table(path: Path, table: np.ndarray) -> bool:
    """Write a table that `np.load` can map, as `keep` does."""
    table = np.ascontiguousarray(table)
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, np.lib.format.header_data_from_array_1_0(table))
    return keep(path, head.getvalue(), table.data.cast("B"))


def intact(path: Path) -> bool:
    """Whether a file is there and is what was kept; of one that is not, the log warns.

    It is read block by block rather than mapped, so that it takes up no memory.
    """
    try:
        left = path.stat().st_size - END_BYTES
        checksum = 0
        with path.open("rb") as file:
            while left > 0 and (block := file.read(min(BLOCK, left))):
                checksum = zlib.crc32(block, checksum)
                left -= len(block)
            end = file.read()
    except FileNotFoundError:
        return False
    except OSError as error:
        logger.warning("event=kept_unreadable path=%s reason=%r", path, error.strerror)
        return False
    if end != END % checksum:
        logger.warning("event=kept_damaged path=%s", path)
        return False
    return True
