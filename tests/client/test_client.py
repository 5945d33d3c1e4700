"""Both clients: what is sent, what comes back, when a call is sent again, and what is raised."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from support.fake_engine import fake_response

from steelyard.client import AsyncClient, Client, ModelEntry, Refused, ReplyError
from steelyard.errors import (
    AuthenticationError,
    BodyTooLargeError,
    CapabilityError,
    DeadlineError,
    InvalidJsonError,
    OverloadedError,
    RateLimitError,
    RequestError,
    ServiceError,
    SteelyardError,
    TooLongError,
    TooManyOptionsError,
    UnavailableError,
    UnknownModelError,
)
from steelyard.types.codec import decode_request, encode_response
from steelyard.types.question import Choice, Noul, Score
from steelyard.types.request import Request

STATE = "I was charged twice."
ASKED = {
    "urgent": Noul("Is it urgent?"),
    "queue": Choice("Which team?", {"billing": None, "sales": None, "other": "anything else"}),
    "a.b": Score("How angry?", ["calm", {"en": "annoyed"}, "furious"]),
}
Handler = Callable[[httpx.Request], httpx.Response]


def told(request: httpx.Request) -> dict[str, Any]:
    """What a server with a fake engine answers."""
    response = fake_response(decode_request(json.loads(request.content)), "fake")
    return encode_response(response, extras=True)


def answered(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json=told(request))


@pytest.fixture(params=["sync", "async"])
def ask(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """One call of a method of a fresh client, whose network is a handler."""

    def blocking(handler: Handler, method: str, *args: Any, **how: Any) -> Any:
        with Client("http://host", transport=httpx.MockTransport(handler), **how) as client:
            return getattr(client, method)(*args)

    def awaited(handler: Handler, method: str, *args: Any, **how: Any) -> Any:
        async def run() -> Any:
            transport = httpx.MockTransport(handler)
            async with AsyncClient("http://host", transport=transport, **how) as client:
                return await getattr(client, method)(*args)

        return asyncio.run(run())

    return blocking if request.param == "sync" else awaited


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits of both clients, none of which takes time; jitter is nil."""
    waits: list[float] = []

    async def awaited(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("steelyard.client.client.sleep", waits.append)
    monkeypatch.setattr("steelyard.client.async_client.sleep", awaited)
    monkeypatch.setattr("random.random", lambda: 0.0)
    return waits


def one_by_one(*outcomes: httpx.Response | Exception) -> tuple[Handler, list[httpx.Request]]:
    """A handler that gives one outcome after another, then answers; and what it was sent."""
    left: Iterator[httpx.Response | Exception] = iter(outcomes)
    seen: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        outcome = next(left, None)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome or answered(request)

    return handle, seen


def test_the_response_is_the_engine_s(ask):
    expected = fake_response(Request(STATE, ASKED), "fake")
    got = ask(answered, "decide", STATE, ASKED)
    assert got == expected
    assert list(got.answers) == list(ASKED)


def test_a_calibrated_answer_names_its_calibrator(ask):
    def handle(request):
        body = told(request)
        body["x_audit"]["calibrator"] = "c0ffee"
        body["answers"]["urgent"]["x_calibrated"] = True
        return httpx.Response(200, json=body)

    answers = ask(handle, "decide", STATE, ASKED).answers
    assert answers["urgent"].basis.calibration == "c0ffee"
    assert answers["queue"].basis.calibration is None


def test_what_is_sent(ask):
    handle, seen = one_by_one()
    ask(handle, "decide", STATE, {"q": Noul("?")}, api_key="sk-1")
    [request] = seen
    assert str(request.url) == "http://host/v1/systemone"
    assert request.headers["authorization"] == "Bearer sk-1"
    assert request.headers["content-type"] == "application/json"
    assert json.loads(request.content) == {
        "state": STATE,
        "questions": {"q": {"type": "noul", "instructions": "?"}},
        "x_extras": True,
        "x_digits": None,
    }


def test_a_path_of_the_address_is_kept_and_no_key_sends_none():
    handle, seen = one_by_one()
    with Client("http://host/below/", transport=httpx.MockTransport(handle)) as client:
        client.decide(STATE, ASKED, model="mini")
    assert seen[0].url.path == "/below/v1/systemone"
    assert "authorization" not in seen[0].headers
    assert json.loads(seen[0].content)["model"] == "mini"


def test_a_batch_is_one_call_and_its_answers_are_in_order(ask):
    states = ["one", {"two": 2}, "three"]

    def handle(request):
        body = json.loads(request.content)
        assert request.url.path == "/v1/systemone/batch" and "state" not in body
        asked = [Request(state, ASKED) for state in body["states"]]
        results = [encode_response(fake_response(one, "fake"), extras=True) for one in asked]
        return httpx.Response(200, json={"results": results, "total_usage": {}})

    expected = [fake_response(Request(state, ASKED), "fake") for state in states]
    assert ask(handle, "decide_batch", states, ASKED) == expected


def test_a_batch_with_a_result_too_few_is_a_bad_reply(ask):
    with pytest.raises(ReplyError, match=r"^results: got an array .* an array of 2 items"):
        ask(lambda _: httpx.Response(200, json={"results": []}), "decide_batch", ["a", "b"], ASKED)


def test_models(ask):
    entry = {"name": "mini", "description": "small", "release_date": "2026-11-29"}
    got = ask(lambda request: httpx.Response(200, json={"models": [entry]}), "models")
    assert got == [ModelEntry("mini", "small", "2026-11-29")]


def test_a_bad_question_is_not_sent(ask):
    handle, seen = one_by_one()
    with pytest.raises(RequestError, match=r"^state: "):
        ask(handle, "decide", "", ASKED)
    with pytest.raises(RequestError, match=r"^states\.1\.a: "):
        ask(handle, "decide_batch", ["good", {"a": float("nan")}], ASKED)
    with pytest.raises(RequestError, match=r"^questions\.q: "):
        ask(handle, "decide_batch", ["good"], {"q": "?"})
    assert seen == []


# -- what a refusal is ------------------------------------------------------------------------


def detail(code: str) -> dict[str, Any]:
    return {"detail": {"error_type": code, "message": "told"}}


def invalid(*loc: str | int, kind: str = "value_error") -> dict[str, Any]:
    return {"detail": [{"loc": ["body", *loc], "msg": "told", "type": kind}]}


@pytest.mark.parametrize(
    ("status", "body", "kind", "field"),
    [
        (400, {"detail": "Too many choices. Must have 255."}, TooManyOptionsError, None),
        (400, detail("invalid_body"), RequestError, None),
        (401, detail("authentication_error"), AuthenticationError, None),
        (403, {"detail": "told"}, AuthenticationError, None),
        (404, detail("unknown_model"), UnknownModelError, None),
        (404, {"detail": "Not Found"}, ServiceError, None),
        (405, {"detail": "Method Not Allowed"}, ServiceError, None),
        (408, detail("slow_body"), RequestError, None),
        (413, detail("max_tokens_exceeded"), TooLongError, None),
        (413, "<html>nginx</html>", BodyTooLargeError, None),
        (415, detail("unsupported_media_type"), RequestError, None),
        (422, invalid(kind="json_invalid"), InvalidJsonError, None),
        (422, invalid("questions", "q", "choice", "x"), RequestError, "questions.q.x"),
        (422, invalid("states", 3), RequestError, "states.3"),
        (422, invalid("questions", "q", "choice", "criteria", kind="too_long"),
         TooManyOptionsError, "questions.q.criteria"),
        (422, detail("unsupported_capability"), CapabilityError, None),
        (429, detail("overloaded"), OverloadedError, None),
        (429, detail("rate_limit_exceeded"), RateLimitError, None),
        (429, "", RateLimitError, None),
        (500, detail("unknown"), ServiceError, None),
        (502, "bad gateway", UnavailableError, None),
        (503, detail("unavailable"), UnavailableError, None),
        (504, detail("timeout"), DeadlineError, None),
        (529, {}, OverloadedError, None),
        (302, "", ServiceError, None),
    ],
)  # fmt: skip
def test_a_refusal_is_an_error_of_the_tree_with_status_and_id(ask, status, body, kind, field):
    content = body if isinstance(body, str) else json.dumps(body)
    reply = httpx.Response(status, text=content, headers={"x-request-id": "abc"})
    with pytest.raises(kind) as caught:
        ask(lambda request: reply, "decide", STATE, ASKED, max_retries=0)
    error = caught.value
    assert isinstance(error, Refused) and isinstance(error, SteelyardError)
    assert (error.status, error.request_id, error.field) == (status, "abc", field)
    assert error.code == kind.code or kind in (RequestError, ServiceError)
    assert error.message


# -- sending again ----------------------------------------------------------------------------

LOST = httpx.ConnectError("connection refused")


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_what_another_moment_may_cure_is_sent_again_after_growing_waits(ask, slept, status):
    handle, seen = one_by_one(httpx.Response(status), httpx.Response(status))
    assert ask(handle, "decide", STATE, ASKED).model == "fake"
    assert slept == [0.5, 1.0]
    assert len({request.content for request in seen}) == 1 and len(seen) == 3


@pytest.mark.parametrize("status", [400, 401, 404, 408, 413, 422, 500, 501, 529])
def test_any_other_refusal_stands(ask, slept, status):
    handle, seen = one_by_one(httpx.Response(status))
    with pytest.raises(Refused):
        ask(handle, "decide", STATE, ASKED)
    assert slept == [] and len(seen) == 1


@pytest.mark.parametrize(
    "lost", [LOST, httpx.ReadError(""), httpx.RemoteProtocolError(""), httpx.ConnectTimeout("")]
)
def test_a_connection_that_is_lost_is_made_again(ask, slept, lost):
    handle, _ = one_by_one(lost)
    assert ask(handle, "decide", STATE, ASKED).model == "fake"
    assert slept == [0.5]


def test_no_connection_is_an_error_that_names_the_address(ask, slept):
    handle, seen = one_by_one(LOST, LOST, LOST, LOST)
    with pytest.raises(UnavailableError, match="no connection to http://host/: connection refused"):
        ask(handle, "decide", STATE, ASKED, max_retries=3)
    assert slept == [0.5, 1.0, 2.0] and len(seen) == 4


def test_a_silent_server_is_not_asked_again(ask, slept):
    handle, seen = one_by_one(httpx.ReadTimeout(""))
    with pytest.raises(DeadlineError, match="no answer from http://host/ within 7 s"):
        ask(handle, "decide", STATE, ASKED, timeout=7)
    assert slept == [] and len(seen) == 1


def test_the_last_refusal_says_when_to_come_back(ask, slept):
    handle, _ = one_by_one(*[httpx.Response(429, headers={"retry-after": "3"})] * 2)
    with pytest.raises(RateLimitError) as caught:
        ask(handle, "decide", STATE, ASKED, max_retries=1)
    assert slept == [3.0] and caught.value.retry_after_s == 3.0


# -- replies that are none --------------------------------------------------------------------


def put(value: Any, *path: str) -> Handler:
    """Answers with `value` at a path of the reply; None takes the field away."""

    def handle(request: httpx.Request) -> httpx.Response:
        body = told(request)
        at = body
        for name in path[:-1]:
            at = at[name]
        if value is None:
            del at[path[-1]]
        else:
            at[path[-1]] = value
        return httpx.Response(200, json=body)

    return handle


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (None, "model"),
        (7, "model"),
        (None, "answers"),
        ([], "answers"),
        ("choice", "answers.urgent.type"),
        (1.5, "answers.urgent.noul"),
        (True, "answers.urgent.noul"),
        ("0.5", "answers.urgent.noul"),
        ("nobody", "answers.queue.choice"),
        ({"billing": 1.0}, "answers.queue.probabilities"),
        ({"billing": 0.5, "sales": 0.2, "other": 0.2}, "answers.queue.probabilities"),
        (-0.1, "answers.queue.confidence"),
        (2.5, "answers.a.b.score"),
        (10**400, "x_timings.total_ms"),
        (None, "answers.urgent.x_margin"),
        (True, "answers.urgent.x_calibrated"),
        (1.0, "usage.input_tokens"),
        (-1, "usage.output_tokens"),
        (None, "x_audit"),
        (["last"], "x_audit.exit_layers"),
        (None, "x_timings.total_ms"),
        ("none", "x_warnings"),
    ],
)
def test_a_reply_that_does_not_fit_is_an_error_with_its_path(value, path):
    names = path.replace("a.b", "A").split(".")
    handle = put(value, *[name.replace("A", "a.b") for name in names])
    with (
        Client(transport=httpx.MockTransport(handle)) as client,
        pytest.raises(ReplyError) as caught,
    ):
        client.decide(STATE, ASKED)
    assert caught.value.field is not None and caught.value.field.startswith(path)


def test_an_answer_to_another_question_is_a_bad_reply(ask):
    with pytest.raises(ReplyError, match="answers to 'other' and no others"):
        ask(put({}, "answers"), "decide", STATE, {"other": Noul("?")})


def test_a_reply_whose_encoding_is_broken_is_a_bad_reply(ask, slept):
    handle, seen = one_by_one(httpx.DecodingError("incorrect header check"))
    with pytest.raises(ReplyError, match="cannot be read: incorrect header check"):
        ask(handle, "decide", STATE, ASKED)
    assert len(seen) == 1


@pytest.mark.parametrize("text", ["", "<html>", '{"model": NaN}', "[1", '"\ud800"'])
def test_a_reply_that_is_no_json_is_a_bad_reply(ask, text):
    reply = httpx.Response(200, content=text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ReplyError, match="the reply cannot be read"):
        ask(lambda request: reply, "models")


def test_a_service_without_extras_is_told_apart(ask):
    with pytest.raises(ReplyError, match="x_audit: missing in the reply; only a steelyard server"):
        ask(put(None, "x_audit"), "decide", STATE, ASKED)


# -- how a client is made ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "field"),
    [
        ({"base_url": "host:8000"}, "base_url"),
        ({"base_url": "ftp://host"}, "base_url"),
        ({"base_url": "http://"}, "base_url"),
        ({"api_key": ""}, "api_key"),
        ({"api_key": "two words"}, "api_key"),
        ({"api_key": "line\n"}, "api_key"),
        ({"timeout": 0}, "timeout"),
        ({"max_retries": -1}, "max_retries"),
        ({"base_url": 5}, "base_url"),
        ({"base_url": None}, "base_url"),
        ({"base_url": "http://" + "a" * 300}, "base_url"),
        ({"base_url": "http://host:99999"}, "base_url"),
        ({"base_url": "http://host:0"}, "base_url"),
        ({"base_url": "http://host:port"}, "base_url"),
        ({"base_url": "http://host?key=1"}, "base_url"),
        ({"base_url": "http://host/#part"}, "base_url"),
        ({"api_key": b"x"}, "api_key"),
        ({"timeout": None}, "timeout"),
        ({"timeout": "5"}, "timeout"),
        ({"timeout": True}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"max_retries": None}, "max_retries"),
        ({"max_retries": 1.5}, "max_retries"),
        ({"max_retries": True}, "max_retries"),
    ],
)
@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_what_cannot_be_meant_is_refused(kind, how, field):
    with pytest.raises(RequestError) as caught:
        kind(**how)
    assert caught.value.field == field
    assert "two words" not in str(caught.value)
    assert "allowed: " in str(caught.value)


@pytest.mark.parametrize(
    "url", ["http://host/", "https://[::1]:65535/path", "http://b\u00fccher.de"]
)
def test_addresses_that_can_be_reached_are_taken(url):
    Client(url).close()


@pytest.mark.parametrize("states", [None, "abc", b"abc", 5, {"a": 1}])
def test_what_is_no_list_of_states_is_refused_and_not_sent(ask, states):
    handle, seen = one_by_one()
    with pytest.raises(RequestError, match=r"states: got .*; allowed: a list of states"):
        ask(handle, "decide_batch", states, ASKED)
    assert not seen


def test_a_closed_client_says_so():
    client = Client(transport=httpx.MockTransport(answered))
    client.close()
    with pytest.raises(RequestError, match="this client is closed"):
        client.decide(STATE, ASKED)

    async def run():
        client = AsyncClient(transport=httpx.MockTransport(answered))
        await client.aclose()
        await client.decide(STATE, ASKED)

    with pytest.raises(RequestError, match="this client is closed"):
        asyncio.run(run())
