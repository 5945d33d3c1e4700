"""Content: text, or structured JSON that stands for text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias, Union

from steelyard.errors import RequestError

Json: TypeAlias = Union[
    str, int, float, bool, None, Mapping[str, "Json"], Sequence["Json"]
]
Content: TypeAlias = Union[str, Mapping[str, Json], Sequence[Json]]

MAX_DEPTH = 64


def check_content(value: object, field: str) -> None:
    """Refuse what is not a non-empty string, object or array of finite, encodable JSON.

    Raises:
        RequestError: with `field` as the path of the whole value.
    """
    if not isinstance(value, str | Mapping | list | tuple):
        name = "null" if value is None else type(value).__name__
        raise RequestError(f"got {name}; allowed: a string, an object or an array", field=field)
    if len(value) == 0:
        raise RequestError(
            "empty; allowed: a non-empty string, object or array", field=field
        )
    _check_json(value, field, MAX_DEPTH)


def _check_json(value: object, field: str, depth: int) -> None:
    if depth < 0:
        raise RequestError(f"nested deeper than {MAX_DEPTH} levels", field=field)
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise RequestError(
                f"a lone surrogate {value[error.start]!r} at character {error.start}; "
                "allowed: text that can be encoded as UTF-8",
                field=field,
            ) from None
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise RequestError(f"object key {key!r}; allowed: strings", field=field)
            _check_json(key, field, depth - 1)
            _check_json(item, field, depth - 1)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_json(item, field, depth - 1)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise RequestError(f"the number {value!r}; allowed: finite numbers", field=field)
    elif value is not None and not isinstance(value, int):
        raise RequestError(
            f"a value of type {type(value).__name__}; allowed: JSON values", field=field
        )
