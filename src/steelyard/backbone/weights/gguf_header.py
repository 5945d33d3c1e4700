"""The header of a GGUF file: its metadata, and where each tensor lies.

The gguf package has a reader too; this one exists because that one keeps a numpy view of every
vocabulary entry (5 s and 170 MB for SmolLM2, where this takes 0.2 s), maps the whole file, and
does not notice a file that was cut. Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFValueType

from steelyard.errors import ModelFileError, UnsupportedModelError
from steelyard.tokens.gguf_metadata import GgufMetadata

MAGIC = b"GGUF"
VERSIONS = (2, 3)
DEFAULT_ALIGNMENT = 32
MAX_DIMENSIONS = 4

_NUMBERS = {
    GGUFValueType.UINT8: "<u1",
    GGUFValueType.INT8: "<i1",
    GGUFValueType.UINT16: "<u2",
    GGUFValueType.INT16: "<i2",
    GGUFValueType.UINT32: "<u4",
    GGUFValueType.INT32: "<i4",
    GGUFValueType.FLOAT32: "<f4",
    GGUFValueType.BOOL: "?",
    GGUFValueType.UINT64: "<u8",
    GGUFValueType.INT64: "<i8",
    GGUFValueType.FLOAT64: "<f8",
}


@dataclass(frozen=True, slots=True)
class GgufTensor:
    """Where a tensor lies.

    Attributes:
        shape: slowest dimension first, as in torch (the file says it the other way round).
        kind: how the values are quantised; blocks lie along the last dimension.
        offset, num_bytes: its place in the file, checked to be inside.
    """

    name: str
    shape: tuple[int, ...]
    kind: GGMLQuantizationType
    offset: int
    num_bytes: int


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """Metadata, and the tensors by their GGUF names in file order."""

    metadata: GgufMetadata
    tensors: Mapping[str, GgufTensor]


def read_header(path: Path) -> GgufHeader:
    """Parse the header of `path` and check that all tensor data lies inside the file.

    Raises:
        ModelFileError: not a GGUF, cut short at any point, or corrupt.
        UnsupportedModelError: big-endian, another version, one part of several, or tensors of a
            type that the installed gguf package does not know.
    """
    try:
        with path.open("rb") as handle:
            return _parse(_Cursor(handle, path))
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be read: {error.strerror or error}") from error


TEXT_BYTES = 1 << 24  # of a list of texts that are read at once


class _Cursor:
    """Reads forward through a file and refuses to pass its end."""

    def __init__(self, handle: BinaryIO, path: Path) -> None:
        self.handle = handle
        self.path = path
        self.position = 0
        self.size = path.stat().st_size

    def take(self, num_bytes: int, what: str) -> bytes:
        # Compared before reading: a corrupt length may ask for more than memory holds.
        data = self.handle.read(num_bytes) if num_bytes <= self.size - self.position else b""
        if len(data) != num_bytes:
            raise self.error(
                f"{what} needs {num_bytes} bytes, but the file ends at {self.size}: cut short or "
                "corrupt"
            )
        self.position += num_bytes
        return data

    def number(self, code: str, what: str) -> int:
        layout = struct.Struct("<" + code)
        value: int = layout.unpack(self.take(layout.size, what))[0]
        return value

    def text(self, what: str) -> str:
        data = self.take(self.number("Q", what), what)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.error(f"{what} is not UTF-8: corrupt") from error

    def texts(self, count: int, what: str) -> list[str]:
        """Many texts: a vocabulary has a hundred thousand, each only a few bytes long."""
        block = self.handle.read(min(TEXT_BYTES, self.size - self.position))
        found: list[str] = []
        at = 0
        while len(found) < count:
            begin = at + 8
            end = begin + int.from_bytes(block[at:begin], "little")
            if end > len(block):
                break
            try:
                found.append(block[begin:end].decode("utf-8"))
            except UnicodeDecodeError:
                break
            at = end
        self.position += at
        self.handle.seek(self.position)
        # What lies beyond the block, or is corrupt: read one by one, which says what is wrong.
        return found + [self.text(what) for _ in range(count - len(found))]

    def error(self, problem: str) -> ModelFileError:
        return ModelFileError(f"{self.path}: at byte {self.position}: {problem}")


def _parse(cursor: _Cursor) -> GgufHeader:
    magic = cursor.take(4, "the magic number")
    if magic != MAGIC:
        raise cursor.error(f"not a GGUF file: it starts with {magic!r} instead of {MAGIC!r}")
    version = cursor.number("I", "the version")
    if version & 0xFFFF == 0:
        raise UnsupportedModelError(f"{cursor.path}: a big-endian GGUF; only little-endian is read")
    if version not in VERSIONS:
        raise UnsupportedModelError(f"{cursor.path}: GGUF version {version}; 2 and 3 can be read")
    num_tensors = cursor.number("Q", "the tensor count")
    num_keys = cursor.number("Q", "the metadata count")

    values: dict[str, object] = {}
    for _ in range(num_keys):
        key = cursor.text("a metadata key")
        if key in values:
            raise cursor.error(f"the metadata key {key!r} occurs twice: corrupt")
        values[key] = _value(cursor, cursor.number("I", f"the type of {key!r}"), repr(key))
    metadata = GgufMetadata(cursor.path, values)
    num_parts = metadata.get("split.count", int)
    if num_parts is not None and num_parts > 1:
        raise UnsupportedModelError(
            f"{cursor.path}: one of {num_parts} parts of a split GGUF; join them first "
            "(llama-gguf-split --merge)"
        )
    return GgufHeader(metadata, _tensors(cursor, num_tensors, _alignment(metadata)))


def _value(cursor: _Cursor, code: int, what: str) -> object:
    kind = _kind(cursor, code, what)
    if kind == GGUFValueType.STRING:
        return cursor.text(what)
    if kind == GGUFValueType.ARRAY:
        item_kind = _kind(cursor, cursor.number("I", what), what)
        count = cursor.number("Q", what)
        if item_kind == GGUFValueType.STRING:
            return cursor.texts(count, what)
        if item_kind == GGUFValueType.ARRAY:
            raise UnsupportedModelError(f"{cursor.path}: the metadata key {what} nests arrays")
        return _numbers(cursor, item_kind, count, what).tolist()
    number = _numbers(cursor, kind, 1, what)[0]
    # The shortest decimal that means this float32: 1e-05, not 9.999999747378752e-06.
    return float(str(number)) if kind == GGUFValueType.FLOAT32 else number.item()


def _numbers(cursor: _Cursor, kind: GGUFValueType, count: int, what: str) -> np.ndarray:
    dtype = np.dtype(_NUMBERS[kind])
    return np.frombuffer(cursor.take(count * dtype.itemsize, what), dtype)


def _kind(cursor: _Cursor, code: int, what: str) -> GGUFValueType:
    try:
        return GGUFValueType(code)
    except ValueError as error:
        raise cursor.error(f"the value of {what} has unknown type {code}: corrupt") from error


def _alignment(metadata: GgufMetadata) -> int:
    alignment = metadata.get("general.alignment", int)
    if alignment is None:
        return DEFAULT_ALIGNMENT
    if alignment <= 0 or alignment & (alignment - 1):
        raise ModelFileError(
            f"{metadata.path}: the alignment {alignment} is not a power of two: corrupt"
        )
    return alignment


def _tensors(cursor: _Cursor, count: int, alignment: int) -> dict[str, GgufTensor]:
    """The tensor table; offsets in the file count from the aligned end of the header."""
    table = [_tensor(cursor) for _ in range(count)]
    data_start = -(-cursor.position // alignment) * alignment
    tensors: dict[str, GgufTensor] = {}
    for name, shape, kind, relative in table:
        block_size, block_bytes = GGML_QUANT_SIZES[kind]
        if name in tensors:
            raise ModelFileError(f"{cursor.path}: the tensor {name!r} occurs twice: corrupt")
        if shape[-1] % block_size:
            raise ModelFileError(
                f"{cursor.path}: the tensor {name!r} has rows of {shape[-1]} values, no multiple "
                f"of the {block_size} of {kind.name}: corrupt"
            )
        num_bytes = math.prod(shape) // block_size * block_bytes
        offset = data_start + relative
        if offset + num_bytes > cursor.size:
            raise ModelFileError(
                f"{cursor.path}: the tensor {name!r} ends at byte {offset + num_bytes}, but the "
                f"file has {cursor.size}: cut short or corrupt"
            )
        tensors[name] = GgufTensor(name, shape, kind, offset, num_bytes)
    return tensors


def _tensor(cursor: _Cursor) -> tuple[str, tuple[int, ...], GGMLQuantizationType, int]:
    name = cursor.text("a tensor name")
    num_dimensions = cursor.number("I", f"the shape of {name!r}")
    if not 1 <= num_dimensions <= MAX_DIMENSIONS:
        raise cursor.error(f"the tensor {name!r} has {num_dimensions} dimensions: corrupt")
    sizes = [cursor.number("Q", f"the shape of {name!r}") for _ in range(num_dimensions)]
    code = cursor.number("I", f"the type of {name!r}")
    offset = cursor.number("Q", f"the offset of {name!r}")
    try:
        kind = GGMLQuantizationType(code)
    except ValueError as error:
        raise UnsupportedModelError(
            f"{cursor.path}: the tensor {name!r} has the type {code}, which the installed gguf "
            "package does not know"
        ) from error
    return name, tuple(reversed(sizes)), kind, offset
