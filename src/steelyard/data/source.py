"""Where examples come from, and whether they may go into a model that is shipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal, TypeAlias

from steelyard.types.example import Example

SHIPPABLE = frozenset(
    {
        "Apache-2.0",
        "BSD-3-Clause",
        "CC-BY-3.0",
        "CC-BY-4.0",
        "CC-BY-SA-3.0",
        "CC-BY-SA-4.0",
        "CC0-1.0",
        "MIT",
    }
)
"""The only licences under which a text may train a model that is given away. A text whose licence
nobody states may not, nor one whose terms restrict the use of a model's output."""

Read: TypeAlias = Callable[[Path, Random], Iterator[Example]]


@dataclass(frozen=True, slots=True)
class Source:
    """A corpus or a generator.

    Attributes:
        name: as it stands in examples, such as "banking77".
        licence: SPDX identifier of all its rows; "per row" where rows differ; else what is known,
            such as "not stated", which is then not shippable.
        read: from the folder that holds the data, and a seeded source of chance, its examples. A
            generator ignores the folder, and never ends or ends at its own limit.
        kind: whether the rows are somebody's or computed by us.
        about: who made it, and where it was published.
        cap: most examples that a build takes of it.
    """

    name: str
    licence: str
    read: Read
    about: str
    kind: Literal["corpus", "generator"] = "corpus"
    cap: int = 30_000


def is_shippable(licence: str) -> bool:
    """Whether text under this licence may train a model that we ship."""
    return licence in SHIPPABLE
