"""Every source that a build draws from, one line each."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.data.convert import banking77
from steelyard.data.source import Source
from steelyard.errors import RequestError

SOURCES: tuple[Source, ...] = (
    # corpora
    banking77.SOURCE,
    # generators
)
"""What a build takes by itself."""

ELSEWHERE: tuple[Source, ...] = ()
"""Corpora whose files a user has to fetch; a build takes them by name only."""


def select(
    names: Sequence[str] | None,
    sources: Sequence[Source] = SOURCES,
    elsewhere: Sequence[Source] = ELSEWHERE,
) -> tuple[Source, ...]:
    """The sources of these names, in the order of the registry; all of `sources` for None.

    Raises:
        RequestError: a name that no source has.
    """
    if names is None:
        return tuple(sources)
    named = {source.name: source for source in (*sources, *elsewhere)}
    for name in names:
        if name not in named:
            raise RequestError(
                f"got {name!r}; allowed: {', '.join(sorted(named))}", field="sources"
            )
    return tuple(source for name, source in named.items() if name in set(names))
