"""HTTP/1.1 as measurements need it: connections that stay open, and little work of their own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

JSON = {"content-type": "application/json"}


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; header names in lower case, of equal ones the last."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Connection:
    """A connection to `host:port`, made when it is entered: `async with Connection(...) as one`."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)

    async def __aenter__(self) -> Self:
        self.reader, self.writer = await asyncio.open_connection(*self._address)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.transport.abort()

    async def ask(self, request: bytes) -> Reply:
        """The reply to one request.

        Raises:
            OSError: the connection broke, or ended before a reply.
        """
        self.writer.write(request)
        reply = await read_reply(self.reader)
        if reply is None:
            raise ConnectionResetError("the connection ended without a reply")
        return reply


def encode_request(
    method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> bytes:
    """A request with the length of its body."""
    fields = {"host": "localhost", "content-length": str(len(body)), **(headers or {})}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def encode_json(path: str, body: object) -> bytes:
    """`POST path` with a JSON body."""
    return encode_request("POST", path, json.dumps(body).encode(), JSON)


async def read_reply(reader: asyncio.StreamReader, *, is_head: bool = False) -> Reply | None:
    """The next final reply, or None where the connection ends instead of one.

    Args:
        is_head: whether HEAD was asked, whose reply has a length and no body.
    Raises:
        OSError: the connection broke.
    """
    while True:
        head = await _until_blank(reader)
        if head is None:
            return None
        status, headers = _parse(head)
        if status >= 200:  # before it may come 100, Continue
            break
    length = 0 if is_head or status in (204, 304) else int(headers.get("content-length", "0"))
    try:
        return Reply(status, headers, await reader.readexactly(length))
    except asyncio.IncompleteReadError:
        return None


async def _until_blank(reader: asyncio.StreamReader) -> bytes | None:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None


def _parse(head: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    fields = (line.partition(":") for line in lines)
    return int(first.split(" ")[1]), {name.lower(): value.strip() for name, _, value in fields}
