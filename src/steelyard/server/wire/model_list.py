"""The list of models: `GET /v1/models`, in System One's form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from steelyard.server.wire.call import Reply


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One name that can be asked for.

    Attributes:
        release_date: YYYY-MM-DD; the form demands one.
    """

    name: str
    description: str
    release_date: str


def encode(entries: Sequence[ModelEntry]) -> Reply:
    return {"models": [asdict(entry) for entry in entries]}
