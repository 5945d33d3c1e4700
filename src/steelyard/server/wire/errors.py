"""How an error is told: one table of statuses, and one body for each format.

A caller's mistake is never a 5xx: clients would send it three times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TypeAlias

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
    SlowBodyError,
    SteelyardError,
    TooLongError,
    TooManyOptionsError,
    UnavailableError,
    UnknownModelError,
)
from steelyard.types.content import Json

Tell: TypeAlias = "Callable[[SteelyardError, Json], Refusal]"
"""(error, parsed body or None where it came to none) -> what is sent."""

MISSING_STEPS = 8  # of a path that leads nowhere; a key of a million dots is not taken apart


@dataclass(frozen=True, slots=True)
class Refusal:
    """What is sent in place of an answer."""

    status: int
    body: Json
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Statuses:
    """HTTP statuses of one class of errors, by format."""

    system_one: int
    openai: int
    openrouter: int


STATUSES: dict[type[SteelyardError], Statuses] = {
    RequestError: Statuses(422, 400, 400),
    TooManyOptionsError: Statuses(422, 400, 400),
    TooLongError: Statuses(413, 400, 413),
    BodyError: Statuses(400, 400, 400),
    InvalidJsonError: Statuses(422, 400, 400),
    MediaTypeError: Statuses(415, 415, 415),
    BodyTooLargeError: Statuses(413, 413, 413),
    SlowBodyError: Statuses(408, 408, 408),
    CapabilityError: Statuses(422, 400, 400),
    UnknownModelError: Statuses(404, 404, 404),
    AuthenticationError: Statuses(401, 401, 401),
    OverloadedError: Statuses(429, 429, 429),
    RateLimitError: Statuses(429, 429, 429),
    DeadlineError: Statuses(504, 504, 524),
    UnavailableError: Statuses(503, 503, 503),
    SteelyardError: Statuses(500, 500, 500),  # of a model or a file: not the caller's doing
}


def statuses(error: SteelyardError) -> Statuses:
    """The row of the nearest class that has one."""
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def tell_system_one(error: SteelyardError, body: Json) -> Refusal:
    """`detail`: a list of places for what fails validation, else an error_type and a message.

    The live service tells too many options otherwise, as 400 and bare text. The specification that
    jevcompat checks wants all validation told alike; its words are kept, since clients match them.
    """
    status = statuses(error).system_one
    detail: Json
    if status == 422:
        loc = location(error.field, body)
        detail = [{"loc": loc, "msg": error.message, "type": _validation_type(error)}]
    else:
        detail = {"error_type": _code(error), "message": _message(error)}
    return Refusal(status, {"detail": detail}, _headers(error))


def _validation_type(error: SteelyardError) -> str:
    """pydantic's name of what is wrong."""
    if isinstance(error, InvalidJsonError):
        return "json_invalid"
    if isinstance(error, TooManyOptionsError):
        return "too_long"
    return "missing" if error.message.startswith("missing") else "value_error"


def tell_openai(error: SteelyardError, body: Json) -> Refusal:
    """`error`, with the path of the value in `param`."""
    status = statuses(error).openai
    kinds = {401: "authentication_error", 429: "rate_limit_error"}
    kind = "server_error" if status >= 500 else kinds.get(status, "invalid_request_error")
    told = {"message": _message(error), "type": kind, "param": error.field, "code": _code(error)}
    return Refusal(status, {"error": told}, _headers(error))


def tell_openrouter(error: SteelyardError, body: Json) -> Refusal:
    """`error`, with the status as its code."""
    status = statuses(error).openrouter
    return Refusal(status, {"error": {"code": status, "message": _message(error)}}, _headers(error))


def tell_unmatched(status: int, message: str, path: str) -> tuple[str, Json]:
    """The code and the body for what came to no route: in the form that is spoken around `path`."""
    code = HTTPStatus(status).name.lower()
    if _is_below(path, "/v1/decisions"):
        kind = "invalid_request_error"
        return code, {"error": {"message": message, "type": kind, "param": None, "code": code}}
    if _is_below(path, "/api/alpha"):
        return code, {"error": {"code": status, "message": message}}
    return code, {"detail": {"error_type": code, "message": message}}


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def location(path: str | None, body: Json) -> list[str | int]:
    """An error's path as System One's `loc`: keys and indices from "body" down.

    Behind the id of a question stands its type, as the official service puts it. Keys may have dots
    in them, so the path is followed through the body, the longest key that fits first.
    """
    loc: list[str | int] = ["body"]
    value, rest = body, path or ""
    while rest:
        step = _step(value, rest)
        if step is None:  # missing, so there is nothing to tell dots in keys by
            return [*loc, *rest.split(".", MISSING_STEPS)]
        key, rest = step
        value = _below(value, key)
        loc.append(key)
        if loc[:2] == ["body", "questions"] and len(loc) == 3 and isinstance(value, Mapping):
            kind = value.get("type")
            if isinstance(kind, str) and kind in ("noul", "choice", "score", "box"):
                loc.append(kind)
    return loc


def _step(value: Json, path: str) -> tuple[str | int, str] | None:
    """The first key of `path` in `value`, and the rest of the path; None where it is not there."""
    if isinstance(value, Mapping):
        fitting = [key for key in value if path == key or path.startswith(f"{key}.")]
        if fitting:
            key = max(fitting, key=len)
            return key, path[len(key) + 1 :]
    if isinstance(value, list):
        index, _, rest = path.partition(".")
        if index.isascii() and index.isdigit():
            return int(index), rest
    return None


def _below(value: Json, key: str | int) -> Json:
    below: Json = None
    if isinstance(value, Mapping) and isinstance(key, str):
        below = value.get(key)
    elif isinstance(value, list) and isinstance(key, int) and key < len(value):
        below = value[key]
    return below


def _code(error: SteelyardError) -> str:
    return "unknown" if statuses(error).system_one == 500 else error.code


def _message(error: SteelyardError) -> str:
    # What a 500 is about (paths, devices) is for the log, not for the caller.
    return "internal error" if statuses(error).system_one == 500 else str(error)


def _headers(error: SteelyardError) -> dict[str, str]:
    if isinstance(error, OverloadedError | RateLimitError):
        return {
            "retry-after": str(math.ceil(error.retry_after_s)),
            "retry-after-ms": str(math.ceil(1000 * error.retry_after_s)),
        }
    if isinstance(error, UnavailableError):
        return {"retry-after": "1"}
    if isinstance(error, AuthenticationError):
        return {"www-authenticate": "Bearer"}
    return {}
