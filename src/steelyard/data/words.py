"""Text as words, for finding the same passage in two places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from steelyard.data.normal import decoded


def words(text: str) -> list[str]:
    """The words and numbers of a text, without case, punctuation and HTML entities."""
    if text.isascii() and "&" not in text:  # what `decoded` would change are spaces only
        return re.findall(r"\w+", text.lower())
    return re.findall(r"\w+", decoded(text).casefold())


def leaves(value: object) -> Iterator[str]:
    """Every text and number within a JSON value, in reading order; keys are names, not text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
