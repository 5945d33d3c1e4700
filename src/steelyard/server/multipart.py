"""`multipart/form-data` (RFC 7578): a request and the files that it names.

System One's clients send the JSON as the part "request" and each image as a part of its own. The
reader is as strict as those clients are regular: what it does not expect, it refuses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from steelyard.errors import BodyError, RequestError
from steelyard.types.content import Json, describe

REQUEST_PART = "request"
MAX_PARTS = 256
MAX_HEADER_BYTES = 4096

_PARAMETER = re.compile(  # RFC 9110, section 5.6.6
    r""";[ \t]*([!#-'*+.0-9A-Z^-z|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))[ \t]*"""
)
_ESCAPED = re.compile(r"\\(.)")
_BOUNDARY = re.compile(r"[0-9A-Za-z'()+_,./:=? -]{1,70}")  # RFC 2046, section 5.1.1


def parse_parts(data: bytes, content_type: str) -> dict[str, bytes]:
    """The parts of a body by name, in the order sent.

    Args:
        content_type: of the body, with its boundary.
    Raises:
        BodyError: it is no such form, is cut short, or two parts have one name.
    """
    delimiter = b"\r\n--" + _boundary(content_type)
    if data.count(delimiter) > MAX_PARTS:  # counted first: a list of them would be large
        raise BodyError(f"more than {MAX_PARTS} parts; allowed: {MAX_PARTS}")
    before, *pieces = (b"\r\n" + data).split(delimiter)
    if before or not pieces:
        raise BodyError("the body does not begin with the boundary of its content-type")
    *pieces, end = pieces
    if end not in (b"--", b"--\r\n"):
        raise BodyError("the form is cut short: it does not end with its closing boundary")
    parts: dict[str, bytes] = {}
    for index, piece in enumerate(pieces):
        name, content = _part(piece, f"part {index}")
        if name in parts:
            raise BodyError(f"part {index}: a second one named {describe(name)}")
        parts[name] = content
    return parts


def check_claims(body: Json, parts: Mapping[str, bytes]) -> None:
    """Hold every part but the request to being the file of exactly one asset, and the reverse.

    Raises:
        RequestError: an asset names a part that is not there or another's, or a part is nobody's.
    """
    assets = body.get("assets") if isinstance(body, Mapping) else None
    claimed: set[str] = set()
    for reference, asset in assets.items() if isinstance(assets, Mapping) else ():
        part = asset.get("part") if isinstance(asset, Mapping) else None
        if part is None:
            continue
        field = f"assets.{reference}.part"
        if not isinstance(part, str) or part == REQUEST_PART or part not in parts:
            raise RequestError(f"{describe(part)} is no part of the form", field=field)
        if part in claimed:
            raise RequestError(f"{describe(part)} is the part of another asset", field=field)
        claimed.add(part)
    for name in parts:
        if name != REQUEST_PART and name not in claimed:
            raise RequestError(f"the part {describe(name)} belongs to no asset", field="assets")


def _boundary(content_type: str) -> bytes:
    boundary = _parameters(content_type, "the content-type of the form").get("boundary", "")
    if not _BOUNDARY.fullmatch(boundary):
        raise BodyError("the content-type of the form has no boundary")
    return boundary.encode("ascii")


def _part(piece: bytes, place: str) -> tuple[str, bytes]:
    head, blank, content = piece.partition(b"\r\n\r\n")
    if not blank or not head.startswith(b"\r\n") or len(head) > MAX_HEADER_BYTES:
        raise BodyError(f"{place}: no headers of at most {MAX_HEADER_BYTES} bytes")
    headers = dict(_field(line, place) for line in head[2:].split(b"\r\n"))
    if headers.get("content-transfer-encoding", "binary").lower() not in ("binary", "8bit", "7bit"):
        raise BodyError(f"{place}: a content-transfer-encoding, which forms do not use")
    disposition = headers.get("content-disposition", "")
    name = _parameters(disposition, f"{place}: its content-disposition").get("name")
    if not name:
        raise BodyError(f"{place}: no content-disposition with a name")
    return name, content


def _field(line: bytes, place: str) -> tuple[str, str]:
    name, colon, value = line.partition(b":")
    if not colon:
        raise BodyError(f"{place}: a header without a colon")
    try:
        return name.decode("ascii").lower(), value.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise BodyError(f"{place}: a header that is not UTF-8") from None


def _parameters(value: str, what: str) -> dict[str, str]:
    """The parameters of a header, `form-data; name="a"`, by lower-case name.

    In one pass: the standard library's own reader takes the square of a header's length.
    """
    parameters: dict[str, str] = {}
    place = len(value.partition(";")[0])
    end = len(value.rstrip("; \t"))
    while place < end:
        found = _PARAMETER.match(value, place)
        if not found or found[1].lower() in parameters:
            raise BodyError(f"{what} is not TYPE; NAME=VALUE; ...")
        quoted, plain = found[2], found[3]
        parameters[found[1].lower()] = plain if quoted is None else _ESCAPED.sub(r"\1", quoted)
        place = found.end()
    return parameters
