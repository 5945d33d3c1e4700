from __future__ import annotations

import contextlib
import math
import struct
from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFReader, GGUFWriter
from hypothesis import given
from hypothesis import strategies as st

from steelyard.backbone.weights.gguf_header import GgufHeader, read_header
from steelyard.errors import ModelError, ModelFileError, UnsupportedModelError


def write(path: Path, *, alignment: int | None = None) -> Path:
    writer = GGUFWriter(path, "llama")
    if alignment is not None:
        writer.add_custom_alignment(alignment)
    writer.add_uint8("u8", 255)
    writer.add_int8("i8", -128)
    writer.add_uint16("u16", 65535)
    writer.add_int16("i16", -32768)
    writer.add_uint32("u32", 2**32 - 1)
    writer.add_int32("i32", -(2**31))
    writer.add_uint64("u64", 2**64 - 1)
    writer.add_int64("i64", -(2**63))
    writer.add_float32("f32", 1e-5)
    writer.add_float64("f64", math.pi)
    writer.add_bool("yes", True)
    writer.add_string("text", "naïve 東京")
    writer.add_array("texts", ["a", "", "Ġb"])
    writer.add_array("integers", [1, -2, 3])
    writer.add_tensor("matrix", np.arange(6, dtype=np.float32).reshape(2, 3))
    writer.add_tensor("blocks", np.zeros((2, 34), np.uint8), raw_dtype=GGMLQuantizationType.Q8_0)
    writer.add_tensor("row", np.ones(5, np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write(tmp_path_factory.mktemp("gguf") / "whole.gguf").read_bytes()


def test_every_kind_of_value_is_read_as_it_was_written(tmp_path: Path) -> None:
    values = read_header(write(tmp_path / "m.gguf")).metadata.values
    assert {key: value for key, value in values.items() if "." not in key} == {
        "u8": 255,
        "i8": -128,
        "u16": 65535,
        "i16": -32768,
        "u32": 2**32 - 1,
        "i32": -(2**31),
        "u64": 2**64 - 1,
        "i64": -(2**63),
        "f32": 1e-5,  # exactly: the shortest decimal of the float32
        "f64": math.pi,
        "yes": True,
        "text": "naïve 東京",
        "texts": ["a", "", "Ġb"],
        "integers": [1, -2, 3],
    }
    assert values["yes"] is True


@pytest.mark.parametrize("alignment", [None, 8, 256])
def test_tensors_lie_where_the_gguf_package_finds_them(
    tmp_path: Path, alignment: int | None
) -> None:
    path = write(tmp_path / "m.gguf", alignment=alignment)
    header = read_header(path)
    expected = GGUFReader(path).tensors
    assert [
        (tensor.name, tensor.kind, tensor.offset, tensor.num_bytes)
        for tensor in header.tensors.values()
    ] == [(t.name, t.tensor_type, t.data_offset, t.n_bytes) for t in expected]
    assert {name: tensor.shape for name, tensor in header.tensors.items()} == {
        "matrix": (2, 3),
        "blocks": (2, 32),
        "row": (5,),
    }


def test_a_file_cut_anywhere_is_refused_by_name(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "cut.gguf"
    last = max(t.offset + t.num_bytes for t in _read(path, whole).tensors.values())
    for length in (*range(0, last, 5), last - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(ModelFileError, match=r"cut\.gguf: .*(cut short|not a GGUF)"):
            read_header(path)


@given(data=st.data())
def test_corrupt_bytes_never_raise_anything_but_our_errors(
    whole: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    corrupt = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        corrupt[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(ModelError):
        _read(tmp_path_factory.getbasetemp() / "corrupt.gguf", bytes(corrupt))


def test_another_file_says_how_it_starts(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"not a GGUF file: it starts with b'\\x80\\x05ab'"):
        _read(tmp_path / "m.gguf", b"\x80\x05abcdef")


@pytest.mark.parametrize(
    ("version", "message"), [(1, "version 1; 2 and 3"), (3 << 24, "big-endian")]
)
def test_other_versions_and_byte_orders_are_refused(
    tmp_path: Path, whole: bytes, version: int, message: str
) -> None:
    with pytest.raises(UnsupportedModelError, match=message):
        _read(tmp_path / "m.gguf", whole[:4] + struct.pack("<I", version) + whole[8:])


def test_a_length_beyond_the_file_is_refused_before_it_is_allocated(tmp_path: Path) -> None:
    start = b"GGUF" + struct.pack("<IQQ", 3, 0, 1)
    with pytest.raises(ModelFileError, match="1152921504606846976 bytes, but the file ends at 32"):
        _read(tmp_path / "m.gguf", start + struct.pack("<Q", 2**60))
    key = struct.pack("<Q1s", 1, b"k")
    for item in (4, 8):  # numbers, strings
        array = struct.pack("<IIQ", 9, item, 2**60)
        with pytest.raises(ModelFileError, match="cut short"):
            _read(tmp_path / "m.gguf", start + key + array)


def test_what_occurs_twice_is_refused(tmp_path: Path) -> None:
    entry = struct.pack("<Q1sIB", 1, b"k", 0, 7)
    with pytest.raises(ModelFileError, match="'k' occurs twice"):
        _read(tmp_path / "m.gguf", b"GGUF" + struct.pack("<IQQ", 3, 0, 2) + entry * 2)
    tensor = struct.pack("<Q1sIQIQ", 1, b"t", 1, 1, 0, 0)
    with pytest.raises(ModelFileError, match="'t' occurs twice"):
        _read(tmp_path / "m.gguf", b"GGUF" + struct.pack("<IQQ", 3, 2, 0) + tensor * 2 + bytes(64))


@pytest.mark.parametrize(
    ("dimensions", "kind", "error", "message"),
    [
        ((33,), 8, ModelFileError, "no multiple of the 32 of Q8_0"),
        ((), 0, ModelFileError, "0 dimensions"),
        ((1, 1, 1, 1, 1), 0, ModelFileError, "5 dimensions"),
        ((1,), 250, UnsupportedModelError, "type 250"),
    ],
)
def test_impossible_tensors_are_refused(
    tmp_path: Path,
    dimensions: tuple[int, ...],
    kind: int,
    error: type[ModelError],
    message: str,
) -> None:
    count = len(dimensions)
    tensor = struct.pack(f"<Q1sI{count}QIQ", 1, b"t", count, *dimensions, kind, 0)
    with pytest.raises(error, match=message):
        _read(tmp_path / "m.gguf", b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + tensor + bytes(64))


def test_one_part_of_a_split_file_is_refused(tmp_path: Path) -> None:
    writer = GGUFWriter(tmp_path / "m.gguf", "llama")
    writer.add_uint16("split.count", 3)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    with pytest.raises(UnsupportedModelError, match="one of 3 parts"):
        read_header(tmp_path / "m.gguf")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"none\.gguf: cannot be read: No such file"):
        read_header(tmp_path / "none.gguf")


def _read(path: Path, content: bytes) -> GgufHeader:
    path.write_bytes(content)
    return read_header(path)
