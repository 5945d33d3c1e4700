"""One row of an input file, ready to be asked, or the reason why it cannot be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from steelyard.errors import RequestError
from steelyard.types.content import Json
from steelyard.types.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of an input file.

    Attributes:
        line: where it begins, from 1, growing from row to row: the line of a text file, the row
            number of a Parquet file.
        end: how much of the source lies before the next row, in the unit of `Source.size`.
        id: the row's own id, returned unchanged; None where it has none.
        asked: the request, or what is wrong with the row.
        names: choice label -> the name to answer with, for rows whose labels are only names for
            descriptions (SemIf); empty otherwise.
    """

    line: int
    end: int
    id: Json
    asked: Request | RequestError
    names: Mapping[str, str] = field(default_factory=dict)
