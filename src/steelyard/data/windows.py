"""Long documents in windows that end where a paragraph does."""

from __future__ import annotations


def windows(text: str, size: int) -> list[tuple[int, int]]:
    """(start, end) of consecutive windows that cover the text, each at most `size` characters.

    A window ends after the last line break in its second half, else after the last space there,
    else at its size.
    """
    cuts, start = [], 0
    while len(text) - start > size:
        limit = start + size
        middle = start + size // 2
        end = max(text.rfind("\n", middle, limit), -1) + 1
        end = end or text.rfind(" ", middle, limit) + 1 or limit
        cuts.append((start, end))
        start = end
    return [*cuts, (start, len(text))] if start < len(text) else cuts
