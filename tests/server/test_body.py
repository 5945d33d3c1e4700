"""Bodies: what is read, what is refused, and that no small body becomes a large one."""

from __future__ import annotations

import asyncio
import gzip
import sys
from collections.abc import AsyncIterator

import pytest

from steelyard.errors import (
    BodyError,
    BodyTooLargeError,
    InvalidJsonError,
    MediaTypeError,
    SlowBodyError,
)
from steelyard.server.body import check_type, decompress, parse, read_body

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

JSON = {"content-type": "application/json"}
COMPRESS = {"gzip": gzip.compress, "zstd": zstd.compress}
ENCODINGS = pytest.mark.parametrize("encoding", COMPRESS)


def read(*chunks: bytes, max_bytes: int = 1000, pause_s: float = 0.0, **headers: str) -> bytes:
    async def arriving() -> AsyncIterator[bytes]:
        for chunk in chunks:
            await asyncio.sleep(pause_s)
            yield chunk

    named = JSON | {name.replace("_", "-"): value for name, value in headers.items()}
    return asyncio.run(read_body(named, arriving(), max_bytes=max_bytes, timeout_s=0.1))


def test_chunks_are_joined() -> None:
    assert read(b'{"a":', b"", b"1}") == b'{"a":1}'


@ENCODINGS
def test_compressed_bodies_are_read(encoding: str) -> None:
    text = b'{"state": "' + b"long " * 100 + b'"}'
    assert read(COMPRESS[encoding](text), content_encoding=encoding) == text
    assert read(COMPRESS[encoding](b""), content_encoding=encoding.upper()) == b""


@ENCODINGS
def test_a_bomb_is_refused(encoding: str) -> None:
    bomb = COMPRESS[encoding](bytes(50_000_000))
    with pytest.raises(BodyTooLargeError, match="decompresses to more than 100,000 bytes"):
        decompress(bomb, encoding, 100_000)


@ENCODINGS
def test_the_bound_is_exact(encoding: str) -> None:
    assert len(decompress(COMPRESS[encoding](bytes(1000)), encoding, 1000)) == 1000
    with pytest.raises(BodyTooLargeError):
        decompress(COMPRESS[encoding](bytes(1001)), encoding, 1000)


@ENCODINGS
@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: b"x" + data,
                                    lambda data: data + b"x", lambda data: data + data,
                                    lambda data: b""])  # fmt: skip
def test_damaged_data_is_refused(encoding: str, damage) -> None:
    with pytest.raises(BodyError):
        decompress(damage(COMPRESS[encoding](b"some text")), encoding, 1000)


def test_a_zstd_window_larger_than_a_sender_may_use_is_refused() -> None:
    options = {zstd.CompressionParameter.window_log: 24}
    compressor = zstd.ZstdCompressor(options=options)
    data = compressor.compress(b"x" * 100) + compressor.flush()
    with pytest.raises(BodyError, match="not zstd"):
        decompress(data, "zstd", 1000)


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "deflate", "x"])
def test_other_encodings_are_refused(encoding: str) -> None:
    with pytest.raises(MediaTypeError, match="allowed: identity, gzip, zstd"):
        read(b"{}", content_encoding=encoding)


def test_too_many_bytes_are_refused_announced_or_not() -> None:
    assert len(read(b"x" * 1000)) == 1000
    with pytest.raises(BodyTooLargeError):
        read(b"x" * 600, b"x" * 401)
    with pytest.raises(BodyTooLargeError):
        read(content_length="1001")
    with pytest.raises(BodyTooLargeError):
        read(content_length="9" * 19)


def test_a_body_that_takes_too_long_is_refused() -> None:
    with pytest.raises(SlowBodyError):
        read(b"x", pause_s=5.0)


@pytest.mark.parametrize(
    "allowed",
    ["application/json", "Application/JSON; charset=utf-8", "application/vnd.api+json"],
)
def test_json_by_any_of_its_names_is_read(allowed: str) -> None:
    check_type(allowed)


@pytest.mark.parametrize(
    "refused",
    [None, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
     "text/json+json", "json"],
)  # fmt: skip
def test_what_does_not_say_that_it_is_json_is_refused(refused: str | None) -> None:
    with pytest.raises(MediaTypeError, match="allowed: application/json"):
        check_type(refused)


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b'{"a": NaN}', b'{"a": 1, "a": 2}', b'"\xff"', b"[" * 100_000, b"9" * 5000,
     b"\xef\xbb\xbf{}"],
)  # fmt: skip
def test_what_is_not_strict_json_is_refused(text: bytes) -> None:
    with pytest.raises(InvalidJsonError):
        parse(text)
