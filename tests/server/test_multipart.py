"""Forms: what a client's library builds is read back, and what is irregular is refused."""

from __future__ import annotations

import json
import time
from typing import Any

import httpx
import pytest

from steelyard.errors import BodyError, InvalidJsonError, RequestError
from steelyard.server.body import parse_body
from steelyard.server.multipart import MAX_PARTS, check_claims, parse_parts

TYPE = "multipart/form-data; boundary=xyz"
PNG = b"\x89PNG\r\n\x1a\n\r\n--xy\r\n\r\n\x00\xff"


def form(*parts: tuple[str, bytes], end: bytes = b"--xyz--\r\n") -> bytes:
    """A form as RFC 7578 writes it, built by hand."""
    heads = (f'--xyz\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n' for name, _ in parts)
    return b"".join(h.encode() + d + b"\r\n" for h, (_, d) in zip(heads, parts, strict=True)) + end


def test_what_httpx_sends_is_read_back() -> None:
    files: list[Any] = [
        ("request", (None, b'{"a": 1}', "application/json")),
        ("asset-0", ("asset-0", PNG, "image/png")),
        ("asset-1", ("asset-1", b"", "image/jpeg")),
    ]
    sent = httpx.Request("POST", "http://test", files=files)
    parts = parse_parts(sent.read(), sent.headers["content-type"])
    assert parts == {"request": b'{"a": 1}', "asset-0": PNG, "asset-1": b""}


def test_the_boundary_may_be_quoted() -> None:
    quoted = 'Multipart/Form-Data; charset=utf-8; boundary="xyz"'
    assert parse_parts(form(("a", b"1")), quoted) == {"a": b"1"}


def test_parameters_are_read_as_rfc_9110_writes_them() -> None:
    head = r'Form-Data ;FileName="a\"b; name=c.png" ; name="a\\\"b"; filename*=utf-8\'\'%e2;'
    data = b"--xyz\r\nContent-Disposition: " + head.encode() + b"\r\n\r\n1\r\n--xyz--"
    assert parse_parts(data, "multipart/form-data;boundary=xyz ;") == {r"a\"b": b"1"}


@pytest.mark.parametrize("junk", [";", ';"', ';a="\\"', ";a*0*=x", '; name="' + "\\"])
def test_headers_are_taken_apart_in_one_pass(junk: str) -> None:
    head = ("form-data" + junk * 4000)[:3900].encode()
    part = b"--xyz\r\ncontent-disposition: " + head + b"\r\n\r\n1\r\n"
    begin = time.process_time()
    with pytest.raises(BodyError):
        parse_parts(part * 200 + b"--xyz--", TYPE)
    with pytest.raises(BodyError):
        parse_parts(b"", f"multipart/form-data{junk * 20_000}")
    assert time.process_time() - begin < 5  # it was minutes


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"--xyz",
        b"--xy\r\n",
        form(("a", b"1"), end=b""),
        form(("a", b"1"), end=b"--xyz--\r\nmore"),
        b"before\r\n" + form(("a", b"1")),
        form(("a", b"1"), ("a", b"2")),
        form(("", b"1")),
        form(*[(str(n), b"") for n in range(MAX_PARTS + 1)]),
        b"--xyz\r\nContent-Disposition: form-data\r\n\r\n1\r\n--xyz--",
        b'--xyz\r\nContent-Disposition: form-data; name="a"\r\n--xyz--',
        b"--xyz\r\n\r\n\r\n1\r\n--xyz--",
        b"--xyz\r\nno colon\r\n\r\n1\r\n--xyz--",
        b"--xyz\r\n\xff: x\r\n\r\n1\r\n--xyz--",
        b"--xyz\r\nx: " + b"y" * 5000 + b"\r\n\r\n1\r\n--xyz--",
        form(("a", b"1")).replace(b"form-data", b"form-data\r\nContent-Transfer-Encoding: base64"),
    ],
)
def test_what_is_no_form_is_refused(data: bytes) -> None:
    with pytest.raises(BodyError):
        parse_parts(data, TYPE)


@pytest.mark.parametrize(
    "content_type",
    ["multipart/form-data", "multipart/form-data; boundary=", f"{TYPE}{'z' * 70}", f"{TYPE}\u00e9"],
)
def test_a_form_needs_a_boundary(content_type: str) -> None:
    with pytest.raises(BodyError, match="the content-type of the form"):
        parse_parts(form(("a", b"1")), content_type)


ASSET = {"type": "image", "part": "asset-0"}


@pytest.mark.parametrize(
    ("assets", "names", "field"),
    [
        ({"<a>": ASSET}, ("asset-0",), None),
        ({"<a>": ASSET, "<b>": {"data_base64": "x"}}, ("asset-0",), None),
        (None, (), None),
        ({"<a>": ASSET}, (), "assets.<a>.part"),
        ({"<a>": ASSET, "<b>": ASSET}, ("asset-0",), "assets.<b>.part"),
        ({"<a>": {"part": "request"}}, (), "assets.<a>.part"),
        ({"<a>": {"part": 1}}, (), "assets.<a>.part"),
        ({"<a>": ASSET}, ("asset-0", "asset-1"), "assets"),
        (None, ("asset-0",), "assets"),
        ([ASSET], ("asset-0",), "assets"),
    ],
)
def test_each_part_is_the_file_of_one_asset(
    assets: Any, names: tuple[str, ...], field: str | None
) -> None:
    parts = {"request": b"", **dict.fromkeys(names, PNG)}
    if field is None:
        check_claims({"assets": assets}, parts)
        return
    with pytest.raises(RequestError) as caught:
        check_claims({"assets": assets}, parts)
    assert caught.value.field == field


def test_the_request_of_a_form_is_strict_json() -> None:
    assert parse_body(form(("request", b'{"a": 1}')), TYPE) == {"a": 1}
    with pytest.raises(InvalidJsonError):
        parse_body(form(("request", b'{"a": 1, "a": 2}')), TYPE)
    with pytest.raises(BodyError, match="without a part named 'request'"):
        parse_body(form(("a", json.dumps({}).encode())), TYPE)
