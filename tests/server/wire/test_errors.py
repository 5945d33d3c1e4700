"""How errors are told: every class, in every format."""

from __future__ import annotations

import time
from typing import Any

import pytest

from steelyard import errors
from steelyard.errors import (
    AuthenticationError,
    InvalidJsonError,
    ModelFileError,
    OverloadedError,
    RateLimitError,
    RequestError,
    SteelyardError,
    TooLongError,
    TooManyOptionsError,
)
from steelyard.server.wire.errors import (
    STATUSES,
    location,
    statuses,
    tell_openai,
    tell_openrouter,
    tell_system_one,
)

CLASSES = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, SteelyardError)
]
TELLERS = {
    "system_one": tell_system_one, "openai": tell_openai, "openrouter": tell_openrouter,
}  # fmt: skip


def made(kind: type[SteelyardError]) -> SteelyardError:
    if issubclass(kind, OverloadedError | RateLimitError):
        return kind("the message", retry_after_s=2.5)
    if kind is errors.MissingExtraError:
        return errors.MissingExtraError("package", "extra")
    if kind is errors.TooFewRowsError:
        return errors.TooFewRowsError("the message", rows=1, needed=2)
    return kind("the message")


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("form", TELLERS)
def test_every_error_is_told_in_every_format(kind: type[SteelyardError], form: str) -> None:
    refusal = TELLERS[form](made(kind), None)
    assert refusal.status == getattr(statuses(made(kind)), form)
    body: Any = refusal.body
    assert list(body) == ["detail" if form == "system_one" else "error"]
    if issubclass(kind, RequestError):
        assert 400 <= refusal.status < 500
    if refusal.status == 500:
        assert "the message" not in str(body)
    elif kind is not errors.MissingExtraError:
        assert "the message" in str(body)


@pytest.mark.parametrize("form", TELLERS)
def test_a_callers_mistake_is_never_a_5xx(form: str) -> None:
    for kind, row in STATUSES.items():
        if issubclass(kind, RequestError | AuthenticationError | errors.UnknownModelError):
            assert 400 <= getattr(row, form) < 500


BODY: Any = {
    "state": {"a.b": [1, {"c": None}]},
    "questions": {
        "q.1": {"type": "choice", "criteria": {"x.y": 3}},
        "q": {"type": "score", "criteria": ["a", None]},
        "other": {"type": "nonsense"},
    },
}


@pytest.mark.parametrize(
    ("path", "loc"),
    [
        (None, ["body"]),
        ("state", ["body", "state"]),
        ("state.a.b.1.c", ["body", "state", "a.b", 1, "c"]),
        ("questions.q.1", ["body", "questions", "q.1", "choice"]),
        ("questions.q.1.criteria.x.y", ["body", "questions", "q.1", "choice", "criteria", "x.y"]),
        ("questions.q.criteria.1", ["body", "questions", "q", "score", "criteria", 1]),
        ("questions.q.instructions", ["body", "questions", "q", "score", "instructions"]),
        ("questions.other.type", ["body", "questions", "other", "type"]),
        ("missing", ["body", "missing"]),
        ("states.3", ["body", "states", "3"]),
        (".", ["body", "", ""]),
    ],
)
def test_a_path_is_followed_through_the_body(path: str | None, loc: list[str | int]) -> None:
    assert location(path, BODY) == loc
    assert location(path, None)[0] == "body"


def test_a_path_that_leads_nowhere_is_not_taken_apart_dot_by_dot() -> None:
    dots = "." * 10**6
    body: Any = {"state": {"x": {dots: None}, "x.": 0}}  # the longer key fits, and misleads
    begin = time.perf_counter()
    loc = location(f"state.x.{dots}", body)
    assert len(loc) < 20
    assert time.perf_counter() - begin < 10  # it was minutes


def test_system_one_tells_where_validation_failed() -> None:
    error = RequestError("missing; a score needs criteria", field="questions.q.criteria")
    body = {"questions": {"q": {"type": "score"}}}
    assert tell_system_one(error, body).body == {
        "detail": [
            {
                "loc": ["body", "questions", "q", "score", "criteria"],
                "msg": "missing; a score needs criteria",
                "type": "missing",
            }
        ]
    }


def test_system_one_tells_too_many_options_as_all_validation_in_the_live_services_words() -> None:
    error = TooManyOptionsError("Too many choices.", field="questions.q.criteria")
    refusal = tell_system_one(error, {"questions": {"q": {"type": "choice"}}})
    assert (refusal.status, refusal.body) == (
        422,
        {
            "detail": [
                {
                    "loc": ["body", "questions", "q", "choice", "criteria"],
                    "msg": "Too many choices.",
                    "type": "too_long",
                }
            ]
        },
    )


def test_system_one_tells_the_other_errors_as_the_live_service_does() -> None:
    assert tell_system_one(InvalidJsonError("not JSON"), None).body == {
        "detail": [{"loc": ["body"], "msg": "not JSON", "type": "json_invalid"}]
    }
    assert tell_system_one(TooLongError("9 tokens; the limit is 8"), None).body == {
        "detail": {"error_type": "max_tokens_exceeded", "message": "9 tokens; the limit is 8"}
    }
    assert tell_system_one(AuthenticationError("who?"), None).body == {
        "detail": {"error_type": "authentication_error", "message": "who?"}
    }
    assert tell_system_one(ModelFileError("/secret/path"), None).body == {
        "detail": {"error_type": "unknown", "message": "internal error"}
    }


def test_the_other_formats_have_their_own_bodies() -> None:
    error = RequestError("got 3", field="questions.0.type")
    assert tell_openai(error, None).body == {
        "error": {
            "message": "questions.0.type: got 3",
            "type": "invalid_request_error",
            "param": "questions.0.type",
            "code": "invalid_request",
        }
    }
    assert tell_openrouter(error, None).body == {
        "error": {"code": 400, "message": "questions.0.type: got 3"}
    }


def test_an_overloaded_server_says_when_to_come_back() -> None:
    refusal = tell_system_one(OverloadedError("full", retry_after_s=2.5), None)
    assert refusal.status == 429
    assert refusal.headers == {"retry-after": "3", "retry-after-ms": "2500"}
