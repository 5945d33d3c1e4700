"""All generators, and the first rows of each."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from random import Random

import steelyard.data.generate as package
from steelyard.data.source import Source
from steelyard.types.example import Example

NOWHERE = Path("no-such-folder")


def sources() -> dict[str, Source]:
    """The sources in the package, by name."""
    found = {}
    for module in pkgutil.iter_modules(package.__path__):
        source = getattr(
            importlib.import_module(f"{package.__name__}.{module.name}"), "SOURCE", None
        )
        if source is not None:
            found[source.name] = source
    return found


def draw(source: Source, count: int, seed: int = 0) -> Iterator[Example]:
    return islice(source.read(NOWHERE, Random(seed)), count)


@lru_cache
def drawn(name: str) -> tuple[Example, ...]:
    """The first 2,000 examples of a source."""
    return tuple(draw(sources()[name], 2000))
