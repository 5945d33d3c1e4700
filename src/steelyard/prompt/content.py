"""Structured content as text."""

from __future__ import annotations

import json

from steelyard.types.content import Content


def content_text(content: Content) -> str:
    """What the model reads: a string as it is, anything else as one line of JSON.

    The JSON is stable: the caller's key order, `", "` and `": "` between items, non-ASCII kept.
    """
    if isinstance(content, str):
        return content
    return json.dumps(content, ensure_ascii=False, allow_nan=False)
