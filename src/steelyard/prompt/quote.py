"""User text made harmless: it can close no fence and forge no line of ours.

Our own lines begin at column 0: the fence around the state, `Question:`, and options such as
`(B) text`. So continuation lines of quoted text are indented, and inside the state, whose lines
stay where they are, one that looks like a lettered option is moved by one space.
"""

from __future__ import annotations

import re

from steelyard.prompt.branch import Piece

INDENT = "  "

_CLOSING = re.compile(r"<(?=/\s*state\b)", re.IGNORECASE)
_BREAK = r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]"
_LINE_BREAK = re.compile(_BREAK)
_OPTION_LINE = re.compile(rf"(?P<before>\A|{_BREAK})(?=\([A-Z]\))")


def fenced(state: str) -> tuple[Piece, ...]:
    """The state between its fences, ending with a line break."""
    text = _OPTION_LINE.sub(lambda match: f"{match['before']} ", _close_no_fence(state))
    return ours("<state>\n"), Piece(text), ours("\n</state>\n")


def quoted(text: str) -> Piece:
    """A text of the user's that goes on in the line it begins in."""
    return Piece(_LINE_BREAK.sub(lambda match: match[0] + INDENT, _close_no_fence(text)))


def ours(text: str) -> Piece:
    """Our own wording."""
    return Piece(text, trusted=True)


def _close_no_fence(text: str) -> str:
    return _CLOSING.sub(r"<\\", text)
