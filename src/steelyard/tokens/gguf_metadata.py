"""The key-value half of a GGUF file: typed look-ups that say which file and key are wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from steelyard.errors import ModelFileError

T = TypeVar("T", str, int, float, bool)


@dataclass(frozen=True, slots=True)
class GgufMetadata:
    """Metadata of one file.

    Attributes:
        path: the file, named in messages.
        values: key -> str, int, float, bool, or a list of one of these.
    """

    path: Path
    values: Mapping[str, object]

    def get(self, key: str, kind: type[T]) -> T | None:
        """The scalar at `key`, or None where the key is absent.

        Raises:
            ModelFileError: the value is not of that kind (a bool is no int here).
        """
        value = self.values.get(key)
        if value is None:
            return None
        # isinstance() would let True pass for the integer 1.
        if type(value) is not kind:
            raise self._wrong(key, value, kind.__name__)
        assert isinstance(value, kind)
        return value

    def need(self, key: str, kind: type[T]) -> T:
        """The scalar at `key`; its absence is a ModelFileError."""
        value = self.get(key, kind)
        if value is None:
            raise ModelFileError(f"{self.path}: the metadata key {key!r} is missing")
        return value

    def need_list(self, key: str, kind: type[T]) -> Sequence[T]:
        """The list at `key`; its absence, or an item of another kind, is a ModelFileError."""
        value = self.values.get(key)
        if value is None:
            raise ModelFileError(f"{self.path}: the metadata key {key!r} is missing")
        # A GGUF array has one type for all items, so the first speaks for them.
        if not isinstance(value, list) or (value and type(value[0]) is not kind):
            raise self._wrong(key, value, f"list of {kind.__name__}")
        return value

    def _wrong(self, key: str, value: object, wanted: str) -> ModelFileError:
        found = f"a list of {len(value)} items" if isinstance(value, list) else repr(value)
        return ModelFileError(f"{self.path}: the metadata key {key!r} is {found}; wanted: {wanted}")
