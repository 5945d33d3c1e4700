"""Spans as an exporter gets them: their times, their attributes, and what is not in them."""

from __future__ import annotations

import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from support.fake_engine import FakeEngine
from support.service import BODY, NOUL, asked

from steelyard.cli.main import run
from steelyard.server.keys import parse_keys

pytest.importorskip("opentelemetry.exporter.otlp.proto.http")

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from steelyard.server.spans import Spans, exported

KEY = "sk-0123456789abcdef"
HEADERS = {"authorization": f"Bearer {KEY}"}
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"  # the example of W3C


class Kept:
    """Spans in memory, by name."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.spans = Spans(provider)

    def posted(self, path: str, body: Any, engine: FakeEngine | None = None, **headers: str) -> Any:
        calls = (
            lambda one: one.get("/health"),
            lambda one: one.post(path, json=body, headers={**HEADERS, **headers}),
        )
        keys = parse_keys([f"alice {KEY}"], "test")
        _, self.reply = asked(*calls, engine=engine, keys=keys, spans=self.spans)
        return {span.name: span for span in self.exporter.get_finished_spans()}


def test_a_call_is_a_span_of_its_wait_and_its_batch() -> None:
    kept = Kept()
    spans = kept.posted("/v1/systemone", BODY)
    assert set(spans) == {"POST /v1/systemone", "queue", "compute"}, "and none of /health"
    call, queue, compute = spans["POST /v1/systemone"], spans["queue"], spans["compute"]
    assert call.kind is SpanKind.SERVER and call.parent is None
    assert {span.parent.span_id for span in (queue, compute)} == {call.context.span_id}
    assert call.start_time <= queue.start_time <= queue.end_time == compute.start_time
    assert compute.start_time <= compute.end_time <= call.end_time
    stages = dict(part.split(";dur=") for part in kept.reply.headers["server-timing"].split(", "))
    ms = (compute.end_time - compute.start_time) / 1e6
    assert ms == pytest.approx(float(stages["compute"]), abs=0.01)


def test_the_attributes_are_those_of_the_log_and_hold_no_text() -> None:
    kept = Kept()
    spans = kept.posted("/v1/systemone", BODY)
    assert dict(spans["POST /v1/systemone"].attributes) == {
        "http.request.method": "POST",
        "http.route": "/v1/systemone",
        "http.response.status_code": 200,
        "steelyard.request_id": kept.reply.headers["x-request-id"],
        "steelyard.key": "alice",
        "steelyard.model": "fake",
        "steelyard.requests": 1,
        "steelyard.questions": 1,
    }
    for span in spans.values():
        assert "charged" not in span.to_json() and KEY not in span.to_json()


def test_the_states_of_a_batch_are_one_call() -> None:
    body = {"states": ["a", "b", "c"], "questions": {"urgent": NOUL}}
    call = Kept().posted("/v1/systemone/batch", body)["POST /v1/systemone/batch"]
    assert (call.attributes["steelyard.requests"], call.attributes["steelyard.questions"]) == (3, 3)


def test_a_refusal_is_a_span_alone_and_no_fault() -> None:
    spans = Kept().posted("/v1/systemone", {**BODY, "state": ""})
    [call] = spans.values()
    assert call.attributes["error.type"] == "invalid_request"
    assert call.attributes["http.response.status_code"] == 422
    assert call.status.status_code is StatusCode.UNSET


def test_an_error_of_ours_is_a_fault() -> None:
    def fail(requests: Any) -> None:
        raise ValueError("charged twice")

    [call] = Kept().posted("/v1/systemone", BODY, FakeEngine(fail)).values()
    assert call.status.status_code is StatusCode.ERROR
    assert "charged" not in call.to_json()


def test_a_call_belongs_to_the_trace_of_its_caller() -> None:
    spans = Kept().posted("/v1/systemone", BODY, traceparent=PARENT)
    call = spans["POST /v1/systemone"]
    assert f"{call.parent.span_id:016x}" == PARENT.split("-")[2]
    assert {f"{span.context.trace_id:032x}" for span in spans.values()} == {PARENT.split("-")[1]}


def test_a_caller_s_trace_that_cannot_be_read_is_left_alone() -> None:
    spans = Kept().posted("/v1/systemone", BODY, traceparent="zz")
    assert spans["POST /v1/systemone"].parent is None


def test_the_standard_variables_name_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    def named() -> Any:
        spans = exported()
        spans.close()
        return spans._provider.resource.attributes["service.name"]

    monkeypatch.delenv("OTEL_SERVICE_NAME", raising=False)
    assert named() == "steelyard"
    monkeypatch.setenv("OTEL_SERVICE_NAME", "desk")
    assert named() == "desk"


def test_what_is_exported_arrives_at_the_collector_before_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    received: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            received.append((self.path, body))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Collector) as collector:
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        endpoint = f"http://127.0.0.1:{collector.server_port}"
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        asked(lambda one: one.post("/v1/systemone", json=BODY), spans=exported())
        collector.shutdown()
    [(path, body)] = received
    assert path == "/v1/traces"
    assert b"POST /v1/systemone" in body and b"compute" in body and b"charged" not in body


def test_the_flag_without_the_packages_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "steelyard.server.spans")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    assert run(["serve", "--otel"]) == 1
    assert "steelyard[otel]" in capsys.readouterr().err
