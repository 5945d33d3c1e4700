"""Content: text, or structured JSON that stands for text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from steelyard.errors import RequestError

Json: TypeAlias = str | int | float | bool | Mapping[str, "Json"] | Sequence["Json"] | None
Content: TypeAlias = str | Mapping[str, Json] | Sequence[Json]

MAX_DEPTH = 64
ALLOWED = "a non-empty string, object or array"


def as_content(value: object, field: str) -> Content:
    """A plain copy of `value` (str, dict and list all the way down), checked.

    The copy is what makes a frozen value safe: later changes to the caller's objects do not reach
    it, and it can be pickled and written as JSON. Empty strings are refused only at the top.

    Raises:
        RequestError: blank, empty, null, a number, nested deeper than MAX_DEPTH, or containing what
            JSON or UTF-8 cannot express; its field is `field` or a path below it.
    """
    if not isinstance(value, str | Mapping | list | tuple):
        raise RequestError(f"got {describe(value)}; allowed: {ALLOWED}", field=field)
    try:
        content = _copy(value, MAX_DEPTH)
    except RequestError as error:
        raise error.within(field) from None
    assert isinstance(content, str | dict | list)
    if not content:
        raise RequestError(f"empty; allowed: {ALLOWED}", field=field)
    if isinstance(content, str) and content.isspace():
        raise RequestError(f"blank; allowed: {ALLOWED}", field=field)
    return content


def as_text(value: str, field: str | None = None) -> str:
    """`value` as a plain str that can be encoded as UTF-8.

    Raises:
        RequestError: it contains a lone surrogate.
    """
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RequestError(
            f"a lone surrogate {value[error.start]!r} at character {error.start}; "
            "allowed: text that can be encoded as UTF-8",
            field=field,
        ) from None
    return str.__str__(value)  # a subclass may format itself otherwise: class Team(str, Enum)


def describe(value: object) -> str:
    """A value as error messages name it: short, and encodable whatever it holds."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(str.__str__(value) if len(value) <= 60 else value[:60] + "...")
    if isinstance(value, float):
        return f"the number {float(value)!r}"
    if isinstance(value, int):  # Python refuses to print integers of more than 4,300 digits
        return f"the number {int(value)}" if abs(value) < 10**20 else "an integer above 1e20"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "an array"
    return f"a value of type {type(value).__name__}"


def _copy(value: object, depth: int) -> Json:
    """A copy of `value`; the field of an error is the path below it."""
    if depth < 0:
        raise RequestError(f"nested deeper than {MAX_DEPTH} levels")
    if value is None or isinstance(value, bool):  # before int, of which bool is a subclass
        return value
    if isinstance(value, str):
        return as_text(value)
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, Mapping):
        return {_key(key): _copy_below(key, item, depth) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_copy_below(index, item, depth) for index, item in enumerate(value)]
    raise RequestError(f"got {describe(value)}; allowed: JSON values")


def _copy_below(key: object, item: object, depth: int) -> Json:
    # Paths are spelt on the way out, of errors only. On the way in, all that is below a key of a
    # million characters would cost a million characters each.
    try:
        return _copy(item, depth - 1)
    except RequestError as error:
        raise error.within(str(key)) from None


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise RequestError(f"{describe(key)} as an object key; allowed: strings")
    return as_text(key)


def _number(value: int | float) -> int | float:
    try:
        finite = math.isfinite(value)
    except OverflowError:  # an integer beyond the largest float: most readers of JSON lose it
        finite = False
    if not finite:
        raise RequestError(
            f"got {describe(value)}; allowed: finite numbers within the range of a double"
        )
    return int(value) if isinstance(value, int) else float(value)
