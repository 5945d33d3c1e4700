"""The fields of a kept row, read back with the place of whatever is not as it was written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.errors import InputFileError
from steelyard.types.content import describe


@dataclass(frozen=True, slots=True)
class Fields:
    """An object and where it stands, such as `a.jsonl, line 3`.

    Every reader of a field raises InputFileError where it is missing or of another type.
    """

    place: str
    values: Mapping[str, Any]

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def only(self, names: Iterable[str]) -> None:
        """Refuse fields of other names."""
        allowed = list(names)
        for name in self.values:
            if name not in allowed:
                raise InputFileError(
                    f"{self.place}: {name}: no field of it; allowed: {', '.join(allowed)}"
                )

    def text(self, name: str) -> str:
        value = self._get(name)
        if not isinstance(value, str):
            raise self._wrong(name, "a string")
        return value

    def text_or_none(self, name: str) -> str | None:
        return None if self._get(name) is None else self.text(name)

    def one_of(self, name: str, allowed: Iterable[str]) -> str:
        value, names = self.text(name), list(allowed)
        if value not in names:
            raise self._wrong(name, ", ".join(names))
        return value

    def number(self, name: str) -> float:
        value = self._get(name)
        if not _is_number(value):
            raise self._wrong(name, "a finite number")
        return float(value)

    def whole(self, name: str) -> int:
        value = self._get(name)
        if not _is_whole(value):
            raise self._wrong(name, "a whole number")
        return int(value)

    def wholes(self, name: str) -> tuple[int, ...]:
        values = self._get(name)
        if not isinstance(values, list) or not all(map(_is_whole, values)):
            raise self._wrong(name, "an array of whole numbers")
        return tuple(values)

    def object(self, name: str) -> Mapping[str, Any]:
        value = self._get(name)
        if not isinstance(value, dict):
            raise self._wrong(name, "an object")
        return value

    def within(self, name: str) -> Fields:
        """The object in a field, as fields."""
        return Fields(f"{self.place}, {name}", self.object(name))

    def shares(self, name: str) -> tuple[float, ...]:
        """An array of numbers from 0 to 1."""
        values = self._get(name)
        if not isinstance(values, list) or not values or not all(map(_is_share, values)):
            raise self._wrong(name, "an array of numbers from 0 to 1")
        return tuple(values)

    def places(self, name: str, count: int) -> dict[int, float]:
        """An object of places below `count` and their shares."""
        places = list(map(str, range(count)))
        values = self.object(name)
        if not (values.keys() <= set(places) and all(map(_is_share, values.values()))):
            raise self._wrong(name, f"places from 0 to {count - 1}, with numbers from 0 to 1")
        return {int(place): share for place, share in values.items()}

    def _get(self, name: str) -> Any:
        if name not in self.values:
            raise InputFileError(f"{self.place}: {name}: missing; allowed: what was written of it")
        return self.values[name]

    def _wrong(self, name: str, allowed: str) -> InputFileError:
        value = describe(self._get(name))
        return InputFileError(f"{self.place}: {name}: got {value}; allowed: {allowed}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_share(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= 1
