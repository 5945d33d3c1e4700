"""Reading back what a calibration wrote: every key known, every value of its type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard.errors import InputFileError
from steelyard.models.manifest import COLDEST, HOTTEST
from steelyard.types.content import describe

LARGEST = 1e100
"""Scores times anything up to this are finite, and no fit comes near."""


def as_object(value: object, keys: Sequence[str], field: str) -> Mapping[str, object]:
    """A JSON object that has exactly these keys.

    Raises:
        InputFileError: it is none, or a key is missing or unknown.
    """
    if not isinstance(value, Mapping):
        raise InputFileError(f"got {describe(value)}; allowed: an object", field=field)
    for key in keys:
        if key not in value:
            raise InputFileError("missing", field=f"{field}.{key}")
    for key in value:
        if key not in keys:
            raise InputFileError(f"unknown; allowed: {', '.join(keys)}", field=f"{field}.{key}")
    return value


def as_list(value: object, field: str) -> Sequence[object]:
    """A JSON array."""
    if not isinstance(value, list | tuple):
        raise InputFileError(f"got {describe(value)}; allowed: an array", field=field)
    return value


def as_string(value: object, field: str, allowed: Sequence[str] = ()) -> str:
    """A non-empty JSON string, one of `allowed` where there are any."""
    if not isinstance(value, str) or not value or (allowed and value not in allowed):
        known = ", ".join(allowed) or "a non-empty string"
        got = repr(value) if isinstance(value, str) else describe(value)
        raise InputFileError(f"got {got}; allowed: {known}", field=field)
    return value


def as_count(value: object, field: str, least: int = 0, most: int | None = None) -> int:
    """A JSON integer from `least` up, to `most` where there is one."""
    if type(value) is not int or value < least or (most is not None and value > most):
        upto = "" if most is None else f" to {most}"
        raise InputFileError(f"got {value!r}; allowed: an integer from {least}{upto}", field=field)
    return value


def as_number(value: object, field: str) -> float:
    """A JSON number within +-LARGEST."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= LARGEST:
        raise InputFileError(
            f"got {value!r}; allowed: a number from {-LARGEST} to {LARGEST}", field=field
        )
    return float(value)


def as_numbers(value: object, field: str) -> tuple[float, ...]:
    """A JSON array of finite numbers."""
    return tuple(as_number(one, f"{field}.{i}") for i, one in enumerate(as_list(value, field)))


def as_between(value: object, field: str, low: float, high: float) -> float:
    """A JSON number from `low` to `high`."""
    number = as_number(value, field)
    if not low <= number <= high:
        raise InputFileError(f"got {number}; allowed: {low} to {high}", field=field)
    return number


def as_temperature(value: object, field: str) -> float:
    """A JSON number that a fit of a temperature may give."""
    return as_between(value, field, COLDEST, HOTTEST)


def as_share(value: object, field: str) -> float:
    """A JSON number strictly between 0 and 1."""
    number = as_number(value, field)
    if not 0 < number < 1:
        raise InputFileError(f"got {number}; allowed: above 0, below 1", field=field)
    return number
