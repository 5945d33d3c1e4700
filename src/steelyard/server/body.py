"""The body of an HTTP request: its bytes, within bounds, and the JSON they spell."""

from __future__ import annotations

import asyncio
import sys
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Protocol

from steelyard.errors import (
    BodyError,
    BodyTooLargeError,
    InvalidJsonError,
    MediaTypeError,
    RequestError,
    SlowBodyError,
)
from steelyard.server.multipart import REQUEST_PART, check_claims, parse_parts
from steelyard.types.codec import loads
from steelyard.types.content import Json

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAX_WINDOW_LOG = 23  # 8 MiB, what RFC 9659 lets a sender use; more is memory for the taking


class Decompressor(Protocol):
    """What zlib and zstd have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def _gzip() -> Decompressor:
    return zlib.decompressobj(wbits=31)  # 15 bits of window, and gzip's header and checksum


def _zstd() -> Decompressor:
    return zstd.ZstdDecompressor(
        options={zstd.DecompressionParameter.window_log_max: MAX_WINDOW_LOG}
    )


ENCODINGS: dict[str, Callable[[], Decompressor]] = {"gzip": _gzip, "zstd": _zstd}


async def read_body(
    headers: Mapping[str, str],
    chunks: AsyncIterator[bytes],
    *,
    max_bytes: int,
    timeout_s: float,
    forms: bool = False,
) -> bytes:
    """All of a body, decompressed.

    Args:
        headers: of the request, looked up by lower-case names.
        chunks: the body as it arrives.
        max_bytes: bounds what is sent and what it decompresses to.
        forms: whether `multipart/form-data` is read beside JSON.
    Raises:
        MediaTypeError: another type, or an encoding other than gzip and zstd.
        BodyTooLargeError, SlowBodyError: over a bound.
        BodyError: compressed data that is damaged.
    """
    if forms and is_form(headers.get("content-type")):
        _check_origin(headers)
    else:
        check_type(headers.get("content-type"), forms=forms)
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding != "identity" and encoding not in ENCODINGS:
        raise MediaTypeError(
            f"content-encoding {encoding[:40]!r}; allowed: identity, {', '.join(ENCODINGS)}"
        )
    declared = headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and len(declared) < 20:
        _check_size(int(declared), max_bytes)
    received = bytearray()
    try:
        async with asyncio.timeout(timeout_s):
            async for chunk in chunks:
                received += chunk
                _check_size(len(received), max_bytes)
    except TimeoutError:
        raise SlowBodyError(f"the body did not arrive within {timeout_s:g} s") from None
    data = bytes(received)
    return data if encoding == "identity" else decompress(data, encoding, max_bytes)


def parse_body(data: bytes, content_type: str | None) -> Json:
    """The JSON value of a body, or of the part "request" of a form.

    Raises:
        InvalidJsonError: see `parse`. BodyError: a form that is none, or has no such part.
        RequestError: assets and parts that do not belong together.
    """
    if content_type is None or not is_form(content_type):
        return parse(data)
    parts = parse_parts(data, content_type)
    if REQUEST_PART not in parts:
        raise BodyError(f"a form without a part named {REQUEST_PART!r}")
    body = parse(parts[REQUEST_PART])
    check_claims(body, parts)
    return body


def parse(data: bytes) -> Json:
    """The value of JSON text.

    Raises:
        InvalidJsonError: see `steelyard.types.codec.loads`.
    """
    try:
        return loads(data)
    except RequestError as error:
        raise InvalidJsonError(error.message) from None


def is_form(content_type: str | None) -> bool:
    return _type(content_type) == "multipart/form-data"


def check_type(content_type: str | None, *, forms: bool = False) -> None:
    """Refuse what does not say that it is JSON.

    A web page can send other sites a form or plain text unasked; JSON it cannot. So a page that
    somebody reads does not reach a server on their machine.
    """
    given = _type(content_type)
    if given == "application/json" or (
        given.startswith("application/") and given.endswith("+json")
    ):
        return
    got = f"content-type {given[:60]!r}" if given else "no content-type"
    allowed = "application/json or multipart/form-data" if forms else "application/json"
    raise MediaTypeError(f"{got}; allowed: {allowed}")


def _type(content_type: str | None) -> str:
    return (content_type or "").partition(";")[0].strip().lower()


def _check_origin(headers: Mapping[str, str]) -> None:
    """Refuse a form that a page of another site has sent; browsers say so, and clients do not."""
    origin = headers.get("origin")
    if origin is not None and origin.partition("://")[2] != headers.get("host"):
        raise MediaTypeError("a form from a page of another origin; allowed: application/json")


def decompress(data: bytes, encoding: str, max_bytes: int) -> bytes:
    """What `data` decompresses to; never more than `max_bytes` and one are held.

    Raises:
        BodyTooLargeError: it is more than `max_bytes`.
        BodyError: damaged, cut short, or followed by something else (a second member, too: a
            body of many tiny ones would be slow to take apart).
    """
    decompressor = ENCODINGS[encoding]()
    try:
        plain = decompressor.decompress(data, max_bytes + 1)
    except (zlib.error, zstd.ZstdError):
        raise BodyError(f"the body is not {encoding}") from None
    if len(plain) > max_bytes:
        raise BodyTooLargeError(
            f"the body decompresses to more than {max_bytes:,} bytes; allowed: {max_bytes:,}"
        )
    if not decompressor.eof:
        raise BodyError(f"the {encoding} data of the body is cut short")
    if decompressor.unused_data:
        raise BodyError(f"the body goes on after its {encoding} data")
    return plain


def _check_size(num_bytes: int, max_bytes: int) -> None:
    if num_bytes > max_bytes:
        raise BodyTooLargeError(f"a body of more than {max_bytes:,} bytes; allowed: {max_bytes:,}")
