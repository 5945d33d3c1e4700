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


def select(names: Sequence[str] | None, sources: Sequence[Source] = SOURCES) -> tuple[Source, ...]:
    """The sources of these names, in the order of the registry; all for None.

    Raises:
        RequestError: a name that no source has.
    """
    if names is None:
        return tuple(sources)
    known = {source.name for source in sources}
    for name in names:
        if name not in known:
            raise RequestError(
                f"got {name!r}; allowed: {', '.join(sorted(known))}", field="sources"
            )
    return tuple(source for source in sources if source.name in set(names))
