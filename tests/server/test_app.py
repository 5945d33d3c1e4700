"""The service as clients see it: routes, headers, errors, keys, and many calls at once."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import re
import threading
import time
from collections.abc import Sequence
from typing import Any

import httpx
import pytest
from support.engines import tiny_engine
from support.fake_engine import FakeEngine, fake_response
from support.service import BODY, GOOD, NOUL, PATHS, asked, client, posted

from steelyard.server.body import zstd
from steelyard.server.keys import parse_keys
from steelyard.types.codec import decode_request, encode_response
from steelyard.types.request import Request

SECRET = "sk-0123456789abcdef"
KEYS = parse_keys([f"alice {SECRET}", "bob sk-fedcba9876543210"], "keys")


def with_key(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


# -- answers ----------------------------------------------------------------------------------


def test_system_one_answers_what_the_engine_says_under_its_own_name() -> None:
    response = posted("/v1/systemone", {"model": "jev-latest", **BODY})
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.json() == encode_response(fake_response(decode_request(BODY)))
    assert response.json()["model"] == "fake"
    assert response.headers["x-steelyard-weights"] == "f" * 64


@pytest.mark.parametrize("path", PATHS)
def test_every_format_answers_with_an_id_and_times(path: str) -> None:
    response = posted(path, GOOD[path])
    assert response.status_code == 200, response.text
    assert re.fullmatch("[0-9a-f]{32}", response.headers["x-typesafe-request-id"])
    number = r"\d+\.\d{3}"
    pattern = f"queue;dur={number}, compute;dur={number}, total;dur={number}"
    assert re.fullmatch(pattern, response.headers["server-timing"])


def test_the_same_request_gets_the_same_bytes() -> None:
    one, other = asked(*[lambda one: one.post("/v1/systemone", json=BODY)] * 2)
    assert one.content == other.content
    assert one.headers["x-request-id"] != other.headers["x-request-id"]


def test_extras_and_digits_are_the_servers_unless_the_request_says() -> None:
    plain = posted("/v1/systemone", BODY, digits=2).json()
    assert plain["answers"]["urgent"]["noul"] == round(plain["answers"]["urgent"]["noul"], 2)
    assert "x_audit" in posted("/v1/systemone", {**BODY, "x_extras": True}).json()
    assert "x_audit" in posted("/v1/systemone", BODY, extras=True).json()
    assert "x_audit" not in posted("/v1/systemone", {**BODY, "x_extras": False}, extras=True).json()


def test_a_form_is_answered_like_its_json_and_images_are_refused() -> None:
    request = (None, json.dumps(BODY), "application/json")
    asset = {"type": "image", "part": "asset-0"}
    with_image = json.dumps({**BODY, "assets": {"<image:1>": asset}})
    plain, form, image, unclaimed = asked(
        lambda one: one.post("/v1/systemone", json=BODY),
        lambda one: one.post("/v1/systemone", files={"request": request}),
        lambda one: one.post(
            "/v1/systemone",
            files={
                "request": (None, with_image, "application/json"),
                "asset-0": ("asset-0", b"\x89PNG\r\n", "image/png"),
            },
        ),
        lambda one: one.post("/v1/systemone", files={"request": request, "asset-0": b"x"}),
    )
    assert form.status_code == 200
    assert form.content == plain.content
    assert image.status_code == unclaimed.status_code == 422
    assert "reads text only" in image.text
    assert "belongs to no asset" in unclaimed.text


def test_compressed_bodies_are_answered() -> None:
    data = json.dumps(BODY).encode()

    def sent(encoding: str, content: bytes) -> httpx.Response:
        headers = {"content-type": "application/json", "content-encoding": encoding}
        [response] = asked(lambda one: one.post("/v1/systemone", content=content, headers=headers))
        return response

    plain = sent("identity", data)
    assert plain.status_code == 200
    assert sent("gzip", gzip.compress(data)).content == plain.content
    assert sent("zstd", zstd.compress(data)).content == plain.content


def test_many_clients_at_once_get_their_own_answers_from_few_calls() -> None:
    engine = FakeEngine()
    bodies = [{"state": f"state {n}", "questions": {"q": NOUL}} for n in range(50)]

    async def run() -> Sequence[httpx.Response]:
        async with client(engine, window_ms=20) as one:
            return await asyncio.gather(*(one.post("/v1/systemone", json=body) for body in bodies))

    for body, response in zip(bodies, asyncio.run(run()), strict=True):
        assert response.json() == encode_response(fake_response(decode_request(body)))
    assert len(engine.calls) < 25


def test_a_tiny_network_answers_all_formats_alike() -> None:
    engine = tiny_engine()
    with_fields = [
        posted("/v1/systemone", BODY, engine=engine).json()["answers"]["urgent"]["noul"],
        posted("/api/alpha/decisions", BODY, engine=engine).json()["answers"]["urgent"]["noul"],
        posted(
            "/v1/decisions",
            {
                "input": BODY["state"],
                "questions": [{"type": "predicate", "instructions": NOUL["instructions"]}],
            },
            engine=engine,
        ).json()["answers"][0]["probability"],
    ]
    assert with_fields == pytest.approx([with_fields[0]] * 3, abs=1e-5)


def test_a_state_too_long_for_the_model_is_refused_with_both_numbers() -> None:
    long = {"state": "word " * 5000, "questions": {"q": NOUL}}
    response = posted("/v1/systemone", long, engine=tiny_engine())
    assert response.status_code == 413
    detail = response.json()["detail"]
    assert detail["error_type"] == "max_tokens_exceeded"
    assert re.search(r"[\d,]+ tokens .* limit is [\d,]+", detail["message"])


# -- what is refused --------------------------------------------------------------------------

BAD_BYTES = [
    b"", b"{", b"[]", b"7", b"null", b'"text"', b'{"state": NaN}', b"\xff\xfe", b"[" * 100_000,
    b'{"state": "x", "state": "y", "questions": {}}', b"{}", b'{"state": 1e999}',
    b'{"state": "x", "questions": {"\\ud800": {"type": "noul", "instructions": "x"}}}',
    b'{"state": "\\ud800", "questions": {"q": {"type": "noul", "instructions": "x"}}}',
    b'{"states": ["x"], "questions": {"q": {"type": "\\ud800"}}}',
    b'{"input": "x", "questions": [{"type": "\\ud800"}]}',
    b'{"input": "x", "questions": [{"type": "predicate", "instructions": "x", "name": "\\ud800"}]}',
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_bad_bodies_are_the_callers_mistake_and_told_as_json(path: str) -> None:
    headers = {"content-type": "application/json"}
    calls = [
        lambda one, data=data: one.post(path, content=data, headers=headers) for data in BAD_BYTES
    ]
    for data, response in zip(BAD_BYTES, asked(*calls), strict=True):
        assert 400 <= response.status_code < 500, (data[:60], response.text)
        expected = ["detail"] if "systemone" in path else ["error"]
        assert list(response.json()) == expected
        assert "x-typesafe-request-id" in response.headers


@pytest.mark.parametrize(
    ("send", "status"),
    [
        ({"content": b"{}"}, 415),
        ({"data": {"a": "b"}}, 415),
        ({"files": {"request": b"{}"}}, 422),
        ({"files": {"other": b"{}"}}, 400),
        ({"files": {"request": b"{}"}, "headers": {"origin": "https://example.org"}}, 415),
        ({"files": {"request": b"{}"}, "headers": {"origin": "http://["}}, 415),
        ({"files": {"request": b"{}"}, "headers": {"origin": "http://test"}}, 422),
        ({"content": b"{}", "headers": {"content-type": "text/plain"}}, 415),
        ({"json": BODY, "headers": {"content-encoding": "br"}}, 415),
        ({"json": BODY, "headers": {"content-encoding": "gzip"}}, 400),
        ({"json": BODY, "headers": {"content-encoding": "zstd"}}, 400),
        ({"json": {"state": "x" * 2000, "questions": {"q": NOUL}}}, 413),
        ({"json": {**BODY, "model": "another"}}, 404),
        ({"json": {**BODY, "assets": {"a": {}}}}, 422),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_own_status(send: Any, status: int) -> None:
    [response] = asked(lambda one: one.post("/v1/systemone", **send), max_body_bytes=1000)
    assert response.status_code == status, response.text
    assert "detail" in response.json()


def test_a_bomb_is_refused() -> None:
    bomb = gzip.compress(bytes(20_000_000))
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    [response] = asked(lambda one: one.post("/v1/systemone", content=bomb, headers=headers))
    assert response.status_code == 413


def test_a_batch_names_the_state_that_the_engine_refuses() -> None:
    body = {"states": ["good", "refuse me"], "questions": {"q": NOUL}}
    response = posted("/v1/systemone/batch", body)
    assert response.status_code == 422
    assert response.json()["detail"][0]["msg"] == "refused"
    assert response.json()["detail"][0]["loc"][:3] == ["body", "states", 1]


def test_an_engine_that_breaks_is_a_500_without_details_and_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(requests: Sequence[Request]) -> None:
        raise RuntimeError("secret path")

    response = posted("/v1/systemone", BODY, engine=FakeEngine(broken))
    assert response.status_code == 500
    assert response.json() == {"detail": {"error_type": "unknown", "message": "internal error"}}
    assert "secret path" in caplog.text
    assert response.headers["x-typesafe-request-id"] in caplog.text


def test_other_routes_and_methods_are_refused_with_an_id() -> None:
    for response, status in zip(
        asked(
            lambda one: one.get("/nothing"),
            lambda one: one.get("/v1/systemone"),
            lambda one: one.post("/v1/systemone/", json=BODY),  # and not sent elsewhere
        ),
        (404, 405, 404),
        strict=True,
    ):
        assert response.status_code == status
        assert "x-typesafe-request-id" in response.headers


@pytest.mark.parametrize("path", ["/v1/systemone", "/v1/decisions", "/api/alpha/decisions", "/x"])
def test_a_route_that_there_is_not_is_told_in_the_form_of_its_format(
    path: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "steelyard.server.access")
    absent, method = asked(
        lambda one: one.post(f"{path}/absent", json=BODY), lambda one: one.get(path)
    )
    cases = [(absent, 404, "not_found")]
    if path != "/x":
        cases.append((method, 405, "method_not_allowed"))
        assert method.headers["allow"] == "POST"
        assert "GET; allowed: POST" in method.text
    for response, status, code in cases:
        assert response.status_code == status
        assert f"status={status} error={code}" in caplog.text
        body = response.json()
        if path == "/v1/decisions":
            error = body["error"]
            assert error.pop("message")
            assert error == {"type": "invalid_request_error", "param": None, "code": code}
        elif path == "/api/alpha/decisions":
            assert body["error"].pop("message") and body == {"error": {"code": status}}
        else:
            assert body["detail"].pop("message") and body == {"detail": {"error_type": code}}


def test_no_page_of_another_origin_may_read_answers() -> None:
    origin = {"origin": "https://example.org", "access-control-request-method": "POST"}
    preflight, answer = asked(
        lambda one: one.options("/v1/systemone", headers=origin),
        lambda one: one.post("/v1/systemone", json=BODY, headers=origin),
    )
    assert preflight.status_code == 405
    for response in (preflight, answer):
        assert not [name for name in response.headers if name.startswith("access-control")]


# -- keys -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS)
def test_with_keys_on_only_their_holders_are_answered(path: str) -> None:
    missing, wrong, right = asked(
        lambda one: one.post(path, json=GOOD[path]),
        lambda one: one.post(path, json=GOOD[path], headers=with_key("sk-wrong")),
        lambda one: one.post(path, json=GOOD[path], headers=with_key(SECRET)),
        keys=KEYS,
    )
    assert [one.status_code for one in (missing, wrong, right)] == [401, 401, 200]
    assert missing.headers["www-authenticate"] == "Bearer"


def test_the_list_of_models_needs_a_key_and_health_does_not() -> None:
    models, listed, health, ready = asked(
        lambda one: one.get("/v1/models"),
        lambda one: one.get("/v1/models", headers=with_key(SECRET)),
        lambda one: one.get("/health"),
        lambda one: one.get("/ready"),
        keys=KEYS,
    )
    assert [one.status_code for one in (models, listed, health, ready)] == [401, 200, 200, 200]
    names = [entry["name"] for entry in listed.json()["models"]]
    assert names[:2] == ["fake", "jev-latest"]
    assert all(
        re.fullmatch(r"\d{4}-\d\d-\d\d", entry["release_date"]) for entry in listed.json()["models"]
    )


def test_each_key_has_its_own_partition() -> None:
    engine = FakeEngine()
    asked(
        lambda one: one.post("/v1/systemone", json=BODY, headers=with_key(SECRET)),
        lambda one: one.post("/v1/systemone", json=BODY, headers=with_key("sk-fedcba9876543210")),
        engine=engine,
        keys=KEYS,
    )
    assert engine.partitions == [key.digest for key in KEYS.keys]


def test_with_keys_off_any_authorization_is_ignored() -> None:
    [response] = asked(
        lambda one: one.post("/v1/systemone", json=BODY, headers={"authorization": "nonsense"})
    )
    assert response.status_code == 200


# -- load, deadlines, clients that go ---------------------------------------------------------


def test_a_full_queue_answers_429_and_not_ready() -> None:
    gate, busy = threading.Event(), threading.Event()

    def hold(requests: Sequence[Request]) -> None:
        busy.set()
        assert gate.wait(60)

    async def run() -> tuple[httpx.Response, httpx.Response, Sequence[httpx.Response]]:
        async with client(FakeEngine(hold), max_queue=1) as one:
            first = asyncio.create_task(one.post("/v1/systemone", json=BODY))
            await asyncio.to_thread(busy.wait, 60)
            second = asyncio.create_task(one.post("/v1/systemone", json=BODY))
            while (await one.get("/health")).json()["waiting"] != {"fake": 1}:
                await asyncio.sleep(0.001)
            refused = await one.post("/v1/systemone", json=BODY)
            ready = await one.get("/ready")
            gate.set()
            return refused, ready, await asyncio.gather(first, second)

    refused, ready, answered = asyncio.run(run())
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) >= 1
    assert refused.json()["detail"]["error_type"] == "overloaded"
    assert ready.status_code == 503
    assert [one.status_code for one in answered] == [200, 200]


@pytest.mark.parametrize(
    ("path", "status"), [("/v1/systemone", 504), ("/api/alpha/decisions", 524)]
)
def test_a_deadline_that_passes_is_told(path: str, status: int) -> None:
    slow = FakeEngine(lambda requests: time.sleep(0.3))
    response = posted(path, GOOD[path], engine=slow, deadline_s=0.05)
    assert response.status_code == status


def test_a_client_that_goes_leaves_the_queue() -> None:
    gate, busy = threading.Event(), threading.Event()
    engine = FakeEngine(lambda requests: (busy.set(), gate.wait(60))[0])

    async def run() -> None:
        async with client(engine) as one:
            first = asyncio.create_task(one.post("/v1/systemone", json=BODY))
            await asyncio.to_thread(busy.wait, 60)
            app = one._transport.app  # type: ignore[attr-defined]
            gone = asyncio.create_task(ask_and_go(app))
            while (await one.get("/health")).json()["waiting"] != {"fake": 1}:
                await asyncio.sleep(0.001)
            leave.set()
            await gone
            assert (await one.get("/health")).json()["waiting"] == {"fake": 0}
            gate.set()
            assert (await first).status_code == 200

    leave = asyncio.Event()

    async def ask_and_go(app: Any) -> None:
        body = json.dumps({"state": "gone", "questions": {"q": NOUL}}).encode()
        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            if messages:
                return messages.pop()
            await leave.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            return None

        scope = {
            "type": "http", "method": "POST", "path": "/v1/systemone", "raw_path": b"",
            "query_string": b"", "root_path": "", "scheme": "http", "http_version": "1.1",
            "headers": [(b"content-type", b"application/json")], "client": ("test", 1),
            "server": ("test", 80), "asgi": {"version": "3.0"},
        }  # fmt: skip
        await app(scope, receive, send)

    asyncio.run(run())
    assert [str(one.state) for call in engine.calls for one in call] == [BODY["state"]]


def test_a_key_that_asks_for_more_than_it_may_is_told_when_to_come_back() -> None:
    keys = parse_keys([f"alice {SECRET} requests_per_min=2"], "keys")
    batch = GOOD["/v1/systemone/batch"]

    def post(one: httpx.AsyncClient, path: str, body: Any) -> Any:
        return one.post(path, json=body, headers=with_key(SECRET))

    first, second, models = asked(
        lambda one: post(one, "/v1/systemone/batch", batch),  # two states
        lambda one: post(one, "/v1/decisions", GOOD["/v1/decisions"]),
        lambda one: one.get("/v1/models", headers=with_key(SECRET)),
        keys=keys,
    )
    assert [one.status_code for one in (first, second, models)] == [200, 429, 200]
    assert 1 <= int(second.headers["retry-after"]) <= 30
    assert second.json()["error"]["type"] == "rate_limit_error"
    assert second.json()["error"]["code"] == "rate_limit_exceeded"


def test_tokens_are_charged_as_the_engine_counts_them() -> None:
    keys = parse_keys([f"alice {SECRET} tokens_per_min=100"], "keys")
    body = {"state": "x" * 120, "questions": {"q": NOUL}}  # 122 tokens, says the fake engine
    first, second = asked(
        *[lambda one: one.post("/v1/systemone", json=body, headers=with_key(SECRET))] * 2, keys=keys
    )
    assert [first.status_code, second.status_code] == [200, 429]


# -- health and metrics -----------------------------------------------------------------------


def test_health_says_what_is_degraded_and_what_models_warn_of() -> None:
    def broken(requests: Sequence[Request]) -> None:
        raise RuntimeError

    fine, _, degraded = asked(
        lambda one: one.get("/health"),
        lambda one: one.post("/v1/systemone", json=BODY),
        lambda one: one.get("/health"),
        engine=FakeEngine(broken),
    )
    assert fine.json()["status"] == "ok"
    assert fine.json()["warnings"] == {"fake": ["fake is untrained"]}
    assert degraded.status_code == 200
    assert degraded.json()["status"] == "degraded"
    assert degraded.json()["troubles"] == [
        "1 of 1 calls in the last 60 s ended in an internal error"
    ]


def test_metrics_count_calls_answers_tokens_and_errors() -> None:
    *_, refused, told = asked(
        lambda one: one.post("/v1/systemone", json=BODY, headers=with_key(SECRET)),
        lambda one: one.post("/v1/systemone/batch", json=GOOD["/v1/systemone/batch"],
                             headers=with_key(SECRET)),
        lambda one: one.post("/v1/systemone", json={}, headers=with_key(SECRET)),
        lambda one: one.get("/secret/path?query"),
        lambda one: one.get("/metrics"),
        lambda one: one.get("/metrics", headers=with_key(SECRET)),
        keys=KEYS,
    )  # fmt: skip
    assert refused.status_code == 401
    assert told.headers["content-type"].startswith("text/plain; version=0.0.4")
    for line in (
        'steelyard_calls_total{route="/v1/systemone",status="200"} 1.0',
        'steelyard_calls_total{route="/v1/systemone",status="422"} 1.0',
        'steelyard_calls_total{route="other",status="404"} 1.0',
        'steelyard_errors_total{code="invalid_request"} 1.0',
        'steelyard_call_seconds_count{stage="queue"} 2.0',
        'steelyard_tokens_total{how="computed",model="fake"} 30.0',
        'steelyard_prefix_requests_total{model="fake",result="miss"} 3.0',
        'steelyard_answers_total{calibrated="no",exit_layer="30",kind="noul",model="fake"} 3.0',
        'steelyard_batch_requests_count{model="fake"} 3.0',
        'steelyard_waiting_requests{model="fake"} 0.0',
    ):
        assert line in told.text.splitlines()
    for private in ("charged", "urgent", "secret", "alice"):
        assert private not in told.text


# -- the log ----------------------------------------------------------------------------------


def test_each_call_is_one_line_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="steelyard.server.access")
    secret_text = {"state": "my diagnosis", "questions": {"my id": NOUL}}
    [response] = asked(
        lambda one: one.post("/v1/systemone", json=secret_text, headers=with_key(SECRET)),
        keys=KEYS,
    )
    [line] = [one.getMessage() for one in caplog.records if one.name.endswith("access")]
    assert f"id={response.headers['x-request-id']}" in line
    assert "status=200" in line and "key=alice" in line and "questions=1" in line
    for private in ("diagnosis", "my id", SECRET, NOUL["instructions"]):
        assert private not in caplog.text


def test_a_path_cannot_forge_a_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="steelyard.server.access")
    asked(lambda one: one.get("/x%0aevent=request%20status=200"))
    [line] = [one.getMessage() for one in caplog.records if one.name.endswith("access")]
    assert "\n" not in line and "status=404" in line
