"""What a server told in place of an answer, as an error of the library's tree.

The class is the one whose `code` the body names; failing that, the one that the status stands for.
So the same `except` serves an engine in this process and one behind HTTP.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

from steelyard.errors import (
    AuthenticationError,
    BodyError,
    BodyTooLargeError,
    CapabilityError,
    DeadlineError,
    InvalidJsonError,
    MediaTypeError,
    OverloadedError,
    RateLimitError,
    RequestError,
    ServiceError,
    SlowBodyError,
    SteelyardError,
    TooLongError,
    TooManyOptionsError,
    UnavailableError,
    UnknownModelError,
)
from steelyard.types.codec import loads
from steelyard.types.content import Json

# Those that a server tells; any other code is no class of ours.
BY_CODE: dict[str, type[SteelyardError]] = {
    kind.code: kind
    for kind in (
        AuthenticationError, BodyError, BodyTooLargeError, CapabilityError, DeadlineError,
        InvalidJsonError, MediaTypeError, OverloadedError, RateLimitError, RequestError,
        SlowBodyError, TooLongError, TooManyOptionsError, UnavailableError, UnknownModelError,
    )
}  # fmt: skip

# By the type of a place where validation failed; any other is a RequestError.
BY_TYPE: dict[str, type[SteelyardError]] = {
    "json_invalid": InvalidJsonError,
    "too_long": TooManyOptionsError,
}

BY_STATUS: dict[int, type[SteelyardError]] = {
    400: RequestError,
    401: AuthenticationError,
    403: AuthenticationError,
    408: SlowBodyError,
    413: BodyTooLargeError,
    415: MediaTypeError,
    422: RequestError,
    429: RateLimitError,
    502: UnavailableError,
    503: UnavailableError,
    504: DeadlineError,
    529: OverloadedError,
}
NO_HINT_S = 1.0  # what a refusal for load says where its server gave no retry-after
_SHOWN = 200  # characters of a body that is not ours to read


class Refused(SteelyardError):
    """An error that a server told. It is also an instance of the class that its code names.

    Attributes:
        status: of the HTTP reply.
        request_id: under which the server logged the call, or None where it named none.
    """

    status: int
    request_id: str | None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reply that is no 200."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def error(self) -> Refused:
        """What to raise."""
        message, field, code = self._told()
        kind = BY_CODE.get(code or "") or BY_STATUS.get(self.status, ServiceError)
        about: dict[str, Any] = {"field": field}
        if issubclass(kind, OverloadedError | RateLimitError):
            hint_s = self.retry_after_s()
            about = {"retry_after_s": NO_HINT_S if hint_s is None else hint_s}
        error = _MIXED[kind](message, **about)
        error.status = self.status
        error.request_id = self.headers.get("x-request-id") or self.headers.get(
            "x-typesafe-request-id"
        )
        return error

    def retry_after_s(self) -> float | None:
        """Seconds after which the server wants to be asked again; None where it does not say.

        `retry-after-ms` is the finer of the two; `retry-after` is seconds or a date (RFC 9110,
        10.2.3). What cannot be read is as good as not said.
        """
        try:
            if (ms := self.headers.get("retry-after-ms")) is not None:
                return max(0.0, float(ms) / 1000)
            after = self.headers.get("retry-after")
            if after is None:
                return None
            if after.strip().isdigit():
                return float(after)
            return max(0.0, (parsedate_to_datetime(after) - datetime.now(UTC)).total_seconds())
        except (ValueError, TypeError):  # no number or date; a date without a zone
            return None

    def _told(self) -> tuple[str, str | None, str | None]:
        """(message, path of the value, code): as far as the body tells them."""
        try:
            body = loads(self.body)
        except RequestError:
            body = None
        detail = body.get("detail") if isinstance(body, Mapping) else None
        if isinstance(detail, str):
            return detail, None, _code_of(self.status, detail)
        if isinstance(detail, Mapping) and isinstance(detail.get("message"), str):
            code = detail.get("error_type")
            return str(detail["message"]), None, code if isinstance(code, str) else None
        if isinstance(detail, list) and detail and isinstance(detail[0], Mapping):
            told = detail[0]
            code = BY_TYPE.get(str(told.get("type")), RequestError).code
            return str(told.get("msg")), _path(told.get("loc")), code
        shown = self.body[:_SHOWN].decode("utf-8", "replace").strip() or "an empty body"
        return f"HTTP {self.status}: {shown}", None, None


_KINDS: set[type[SteelyardError]] = {ServiceError, *BY_CODE.values(), *BY_STATUS.values()}

# Each class that is both one of the tree and Refused, under the name of the former.
_MIXED: dict[type[SteelyardError], type[Refused]] = {
    kind: cast(type[Refused], type(kind.__name__, (Refused, kind), {"__module__": __name__}))
    for kind in _KINDS
}


def _code_of(status: int, detail: str) -> str | None:
    # The one error that the live System One tells as bare text; clients match on its words.
    many = status == 400 and detail.startswith("Too many ")
    return TooManyOptionsError.code if many else None


def _path(loc: Json) -> str | None:
    """System One's `loc` as a path: without the body, and without the type behind a question."""
    if not isinstance(loc, list):
        return None
    keys = [str(key) for key in loc[1:]]
    if keys[:1] == ["questions"] and len(keys) > 2 and keys[2] in ("noul", "choice", "score"):
        del keys[2]
    return ".".join(keys) or None
