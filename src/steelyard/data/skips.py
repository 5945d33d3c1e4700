"""Rows that a converter leaves out, counted by reason; `steelyard -v data build` shows them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

logger = logging.getLogger(__name__)


@contextmanager
def counted_skips(source: str) -> Iterator[Counter[str]]:
    """A counter of reasons, logged as one line when the reading ends, however it ends."""
    counts: Counter[str] = Counter()
    try:
        yield counts
    finally:
        for reason, count in sorted((+counts).items()):
            logger.info("source=%s skipped=%d reason=%s", source, count, reason)
