"""Calls that nobody should make: bodies, headers and sockets, malformed, hostile or on a boundary.

`case(seed, number)` is one of them, always the same one. None of them is right or wrong by itself:
what must hold is said in `benchmarks/fuzz.py`.
"""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from benchmarks import hostile_json
from benchmarks.hostile_json import good, spell
from benchmarks.http_client import JSON
from steelyard.server.body import zstd

MAX_BODY_BYTES = 2**20
"""What the server is told to accept: bombs and boundaries are made for it."""

POSTS = ("/v1/systemone", "/v1/systemone/batch", "/v1/decisions", "/api/alpha/decisions")
GETS = ("/", "/v1/models", "/health", "/ready", "/metrics", "/openapi.json")

Ending = Literal["read", "half-close", "leave"]


@dataclass(frozen=True, slots=True)
class Case:
    """What is sent over one connection.

    Attributes:
        kind: what is wrong with it, one of KINDS.
        route: the path it asks for, or "-".
        sends: (seconds to pause before, bytes), in order.
        ending: read the replies, first close our half, or go without reading.
        replies: how many there may be.
        must_reply: whether it is HTTP, so that a connection closed without a word is a failure.
        is_head: whether HEAD is asked.
    """

    kind: str
    route: str
    sends: tuple[tuple[float, bytes], ...]
    ending: Ending = "read"
    replies: int = 1
    must_reply: bool = True
    is_head: bool = False

    def dumps(self) -> str:
        """As JSON, to be kept."""
        sends = [
            [pause, base64.b64encode(zlib.compress(data)).decode()] for pause, data in self.sends
        ]
        fields = {name: getattr(self, name) for name in self.__slots__} | {"sends": sends}
        return json.dumps(fields, indent=1) + "\n"

    @classmethod
    def loads(cls, text: str) -> Case:
        fields: dict[str, Any] = json.loads(text)
        sends = (
            (pause, zlib.decompress(base64.b64decode(data))) for pause, data in fields["sends"]
        )
        return cls(**fields | {"sends": tuple(sends)})


def case(seed: int, number: int, pause_s: float = 2.0) -> Case:
    """Case `number` of those of `seed`.

    Args:
        pause_s: of the slow ones, between what they send.
    """
    random = Random(f"{seed}:{number}")
    kind = random.choices(list(KINDS), [weight for weight, _ in KINDS.values()])[0]
    if kind == "slow":
        return _slow(random, pause_s)
    return KINDS[kind][1](random)


# -- bodies -----------------------------------------------------------------------------------


def _mutated(random: Random) -> Case:
    path = random.choice(POSTS)
    value = good(random, path)
    for _ in range(random.choice((0, 1, 1, 1, 2, 3, 6))):
        value = hostile_json.mutate(random, value)
    return _post("json", path, spell(value, random))


def _boundary(random: Random) -> Case:
    path = random.choice(POSTS)
    return _post("boundary", path, spell(hostile_json.at_a_limit(random, path), random))


def _heavy(random: Random) -> Case:
    """Bodies within the bounds that a careless reader would spend minutes on."""
    path = random.choice(POSTS)
    return _post("heavy", path, spell(hostile_json.heavy(random, path), random))


def _damaged(random: Random) -> Case:
    path = random.choice(POSTS)
    data = bytearray(spell(good(random, path), random))
    for _ in range(random.choice((1, 1, 2, 8))):
        place = random.randrange(len(data) + 1)
        match random.randrange(7):
            case 0:
                data[place : place + 1] = bytes([random.randrange(256)])
            case 1:
                del data[place:]
            case 2:
                data[place:place] = random.choice(BYTES)
            case 3:
                del data[place : place + random.randrange(1, 20)]
            case 4:
                data[place:place] = data[place : place + random.randrange(1, 40)]
            case 5:
                data = bytearray(random.choice(BYTES) + bytes(data))
            case _:
                data += random.choice(BYTES)
    if random.random() < 0.05:
        encoding = random.choice(("utf-16", "utf-32", "latin-1", "utf-7", "cp037"))
        data = bytearray(data.decode("utf-8", "replace").encode(encoding, "replace"))
    if random.random() < 0.05:
        data = bytearray(random.randbytes(random.randrange(200)))
    return _post("bytes", path, bytes(data))


BYTES = (
    b"", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80", b"\x80", b"\xe2\x80\xa8", b'"', b"\\", b"\\u", b"\\ud800", b"{", b"}",
    b"[", b"]", b",", b":", b"null", b"//", b"/**/", b"'", b"NaN", b"-", b"1e5", b"0x1", b"01",
    b"\r\n", b"\x1b[2J", b"[" * 5000, b"{}",
)  # fmt: skip


def _compressed(random: Random) -> Case:
    path = random.choice(POSTS)
    data = spell(good(random, path), random)
    encoding = random.choice(("gzip", "zstd"))
    compress = gzip.compress if encoding == "gzip" else zstd.compress
    packed = bytes(compress(data))
    match random.randrange(10):
        case 0:
            packed = bytes(compress(bytes(MAX_BODY_BYTES * random.choice((1, 2, 50)))))
        case 1:
            packed = packed[: random.randrange(len(packed))]
        case 2:
            packed += random.choice(BYTES)
        case 3:
            packed *= random.choice((2, 50))
        case 4:
            place = random.randrange(len(packed))
            packed = packed[:place] + random.randbytes(2) + packed[place + 2 :]
        case 5:
            packed = bytes(compress(bytes(compress(bytes(2 * MAX_BODY_BYTES)))))
        case 6:
            packed = bytes.fromhex("28b52ffd") + random.randbytes(random.randrange(40))
        case 7:
            packed = b"\x50\x2a\x4d\x18\x04\x00\x00\x00\x00\x00\x00\x00" * 9 + packed
        case _:
            pass
    names = ("br", "deflate", "gzip, gzip", "GZIP", "", "x-gzip", "zstd", "gzip", "identity", "*")
    named = random.choice(names) if random.random() < 0.15 else encoding
    return _post("compressed", path, packed, {"content-encoding": named})


def _form(random: Random) -> Case:
    path = random.choice(("/v1/systemone",) * 8 + POSTS)
    boundary = random.choice(("b", "b" * 70, "b" * 71, "--", "a b", "a'()+_,-./:=?", "é", "b\tb"))
    body = good(random, "/v1/systemone")
    parts: list[tuple[str, bytes]] = []
    if random.random() < 0.4:
        body["assets"] = {
            "<image:1>": {"type": "image", "part": random.choice(("a", "request", 1))}
        }
        parts.append(('form-data; name="a"; filename="a.png"', b"\x89PNG"))
    text = spell(body if random.random() < 0.8 else hostile_json.mutate(random, body), random)
    parts.append(('form-data; name="request"', text))
    if random.random() < 0.6:
        parts.append(
            (random.choice(DISPOSITIONS), random.choice((b"", text, b"\r\n--b\r\n", b"x" * 999)))
        )
    if random.random() < 0.03:
        parts *= 300
    random.shuffle(parts)
    mark = f"--{boundary}".encode()
    line = random.choice((b"\r\n",) * 6 + (b"\n", b"\r"))
    data = b"".join(
        mark + line + b"content-disposition: " + head.encode() + line + line + content + line
        for head, content in parts
    ) + mark + random.choice((b"--\r\n",) * 6 + (b"--", b"", b"\r\n", b"--\r\nmore"))  # fmt: skip
    if random.random() < 0.15:
        data = data[: random.randrange(len(data) + 1)]
    content_type = random.choice(
        (f"multipart/form-data; boundary={boundary}",) * 3
        + (f'multipart/form-data; boundary="{boundary}"',) * 3
        + (
            "multipart/form-data",
            "multipart/form-data; boundary=",
            "multipart/mixed; boundary=b",
            f"multipart/form-data; boundary*0={boundary}",
            f"multipart/form-data; boundary*=utf-8''{boundary}",
            f"multipart/form-data; boundary={boundary}; boundary=c",
            "multipart/form-data" + ';"' * 2000,
            "multipart/form-data; boundary=b" + ";" * 3000,
        )
    )
    headers = {"content-type": content_type}
    if random.random() < 0.3:
        headers["origin"] = random.choice(ORIGINS)
    return _post("form", path, data, headers)


DISPOSITIONS = (
    "", "form-data", "form-data; name", "form-data; name=", 'form-data; name=""',
    "form-data; name=request", 'form-data; name="request"', 'form-data; name="request',
    'form-data; name="a\\"b"', "form-data; name*=utf-8''a", 'attachment; name="a"',
    'form-data; name="é"', 'form-data; name="a"; name="b"', "form-data" + ";" * 3000,
    "form-data" + ';"' * 1500, 'form-data; name="' + "\\" * 999,
    'form-data; name="a"\r\ncontent-transfer-encoding: base64', 'form-data; name="a"\r\nx',
    "form-data; name=a\r\n" + "x: y\r\n" * 900, "x" * 5000,
)  # fmt: skip
ORIGINS = (
    "null", "http://localhost", "https://localhost", "http://[", "http://]", "://", "", "localhost",
    "http://a@localhost", "http://localhost:99999999", "http://\xe9", "http://[::1]x", "data:",
    "//localhost",
)  # fmt: skip


# -- HTTP -------------------------------------------------------------------------------------


def _headers(random: Random) -> Case:
    path = random.choice(POSTS + GETS)
    method = "POST" if path in POSTS else random.choice(("GET",) * 6 + METHODS)
    body = spell(good(random, path), random) if path in POSTS else b""
    headers = dict(JSON)
    for _ in range(random.choice((1, 1, 2, 5))):
        headers[random.choice(NAMES)] = random.choice(VALUES)
    return Case(
        "headers",
        path,
        ((0.0, _request(method, path, body, headers)),),
        must_reply=False,
        is_head=method == "HEAD",
    )


NAMES = (
    "content-type", "content-type", "content-encoding", "content-length", "transfer-encoding",
    "host", "origin", "authorization", "expect", "connection", "upgrade", "accept",
    "accept-encoding", "cookie", "range", "te", "if-none-match", "x-forwarded-for", "forwarded",
    "x-request-id", "content-language", "x", "traceparent",
)  # fmt: skip
VALUES = (
    "", " ", "0", "-1", "1", "99999999999999999999", "1e3", "+5", "0x10", "chunked",
    "gzip, chunked", "identity", "application/json", "application/json; charset=utf-16",
    "application/problem+json", "application/+json", "Application/JSON;", "text/plain",
    "application/x-www-form-urlencoded", "json", "/", ";", ",", "*/*", "\xff\xfe", "100-continue",
    "200-ok", "close", "keep-alive", "upgrade", "websocket", "h2c", "Bearer", "Bearer ",
    "Basic eA==", "Bearer " + "x" * 5000, "http://[", "[", "localhost:x", "a" * 9000, "bytes=0-0",
    "\x7f", "a;b=\"", "%00", "\t",
)  # fmt: skip
METHODS = (
    "HEAD",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "get",
    "PRI",
    "X",
)


def _line(random: Random) -> Case:
    """A request line: methods, targets and versions."""
    path = random.choice(POSTS + GETS)
    method = random.choice((*METHODS, "GET", "POST"))
    target = random.choice((path, *(one.format(path) for one in TARGETS)))
    version = random.choice(("1.1",) * 8 + ("1.0", "0.9", "2.0", "9.9", "1", ""))
    line = f"{method} {target} HTTP/{version}\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n"
    if random.random() < 0.1:
        line = line.replace("\r\n", random.choice(("\n", "\r", "\r\n \r\n", "\x00")))
    return Case(
        "line", "-", ((0.0, line.encode()),), must_reply=False, is_head=method == "HEAD"
    )  # fmt: skip


TARGETS = (
    "{}/", "{}?" + "a=b&" * 500, "{}%00", "{}%ff%fe", "/{}", "{}/../health", "/%2e%2e/etc/passwd",
    "*", "/" + "a" * 9000, "http://other{}", "//other/", "{}#x", "{};x", "/\\", "/%", "/é", "", "x",
    "/docs", "/v1/systemone%2fbatch", "/V1/SystemOne", "/redoc",
)  # fmt: skip


def _chunked(random: Random) -> Case:
    path = random.choice(POSTS)
    data = spell(good(random, path), random)
    out, begin = bytearray(), 0
    while begin < len(data):
        size = random.choice((1, 7, 64, 4096))
        piece = data[begin : begin + size]
        length = random.choice(
            (f"{len(piece):x}",) * 30
            + ("", "-1", "x", "ffffffffffffffffffff", f"{len(piece) + 5:x}")
        )
        extension = random.choice(("",) * 9 + (";a=b", ";" + "x" * 300))
        out += f"{length}{extension}\r\n".encode() + piece + b"\r\n"
        begin += size
    out += random.choice(
        (b"0\r\n\r\n",) * 9 + (b"0\r\nx: y\r\n\r\n", b"0\r\n", b"", b"00000\r\n\r\n")
    )
    head = _head("POST", path, {**JSON, "transfer-encoding": "chunked"})
    return Case("chunked", path, ((0.0, head + bytes(out)),), "half-close", must_reply=False)


def _length(random: Random) -> Case:
    """A content-length that is not the body's."""
    path = random.choice(POSTS)
    data = spell(good(random, path), random)
    length = random.choice(
        (len(data) - 1, len(data) + 1, 0, 2 * len(data), MAX_BODY_BYTES + 1, 10**18)
    )
    head = _head("POST", path, {**JSON, "content-length": str(length)})
    ending: Ending = random.choice(("half-close", "leave"))
    return Case("length", path, ((0.0, head + data),), ending, must_reply=False)


def _large(random: Random) -> Case:
    """More bytes than are accepted, said before or not."""
    path = random.choice(POSTS)
    data = b" " * (MAX_BODY_BYTES + random.choice((1, MAX_BODY_BYTES)))
    if random.random() < 0.5:
        return _post("large", path, data)
    head = _head("POST", path, {**JSON, "transfer-encoding": "chunked"})
    return Case(
        "large", path, ((0.0, head + f"{len(data):x}\r\n".encode() + data + b"\r\n0\r\n\r\n"),)
    )


def _pipelined(random: Random) -> Case:
    number = random.choice((2, 3, 10, 40))
    paths = [random.choice(POSTS + GETS) for _ in range(number)]
    data = b"".join(
        _good(random, path)
        if path in POSTS
        else _request("GET", path, b"", {})
        for path in paths
    )  # fmt: skip
    return Case(
        "pipelined",
        "-",
        ((0.0, data),),
        random.choice(("read", "read", "half-close", "leave")),
        number,
        must_reply=False,
    )


def _closed(random: Random) -> Case:
    """A good request whose client closes its half, or goes, at any point."""
    path = random.choice(POSTS)
    data = _request("POST", path, spell(good(random, path), random), JSON)
    cut = random.choice((len(data), random.randrange(len(data))))
    ending: Ending = random.choice(("half-close", "leave"))
    return Case("closed", path, ((0.0, data[:cut]),), ending, must_reply=False)


def _slow(random: Random, pause_s: float) -> Case:
    """Heads and bodies that come in drips, or stop."""
    path = random.choice(POSTS)
    data = _request("POST", path, spell(good(random, path), random), JSON)
    number = random.choice((0, 2, 5))
    cuts = sorted(random.randrange(len(data)) for _ in range(number))
    pieces = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    if random.random() < 0.7:
        pieces = pieces[:-1]  # the rest never comes
    sends = tuple((pause_s * random.random(), piece) for piece in pieces)
    return Case("slow", path, sends, must_reply=False)


KINDS: Mapping[str, tuple[float, Callable[[Random], Case]]] = {
    "json": (45, _mutated),
    "bytes": (13, _damaged),
    "boundary": (6, _boundary),
    "heavy": (1, _heavy),
    "compressed": (7, _compressed),
    "form": (8, _form),
    "headers": (8, _headers),
    "line": (3, _line),
    "chunked": (3, _chunked),
    "length": (1.5, _length),
    "large": (0.5, _large),
    "pipelined": (1, _pipelined),
    "closed": (2, _closed),
    "slow": (1, lambda random: _slow(random, 2.0)),
}
"""Kind -> (how often, what makes one)."""


def _post(kind: str, path: str, body: bytes, headers: Mapping[str, str] | None = None) -> Case:
    sent = _request("POST", path, body, {**JSON, **(headers or {})})
    return Case(kind, path, ((0.0, sent),))


def _request(method: str, path: str, body: bytes, headers: Mapping[str, str]) -> bytes:
    lengths: Mapping[str, str] = (
        {} if "transfer-encoding" in headers else {"content-length": str(len(body))}
    )
    return _head(method, path, {**lengths, **headers}) + body


def _good(random: Random, path: str) -> bytes:
    return _request("POST", path, spell(good(random, path), random), JSON)


def _head(method: str, path: str, headers: Mapping[str, str]) -> bytes:
    fields = {"host": "localhost", **headers}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")
