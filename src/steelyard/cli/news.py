"""How far a long reading is, on stderr, now and then."""

from __future__ import annotations

import time
from collections.abc import Callable

import typer

NEWS_SHARE = 0.05
"""How much of the work lies between two lines about it."""


def news() -> Callable[[int, int], None]:
    """Says on stderr how far the reading is and how long it may take, now and then."""
    told, first, began = 0, 0, time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal told, first, began
        if not told:  # what was kept from before, and the first call, tell nothing of the rate
            first, began = done, time.monotonic()
        elif done < total and done - told < NEWS_SHARE * total:
            return
        told = done
        text = f"{done:,} of {total:,} questions read"
        if first < done < total:
            minutes = (time.monotonic() - began) / (done - first) * (total - done) / 60
            text += f", about {minutes:.0f} minutes left"
        typer.echo(text, err=True)

    return tell
