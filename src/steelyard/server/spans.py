"""OpenTelemetry spans of what was asked: the call, its wait, its batch. Nothing of its text.

They are made when a call has ended, from its `Trace`, so that they cost it nothing. Where they go,
how many are kept and under which name the service is known is read from the standard variables
(`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_TRACES_SAMPLER`, `OTEL_SERVICE_NAME`, ...) by the packages of
OpenTelemetry themselves.
"""

from __future__ import annotations

import time

from opentelemetry import trace as api
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import (
    SERVICE_NAME,
    SERVICE_VERSION,
    OTELResourceDetector,
    Resource,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AttributeValue

from steelyard.__about__ import __version__
from steelyard.server.trace import Trace


class Spans:
    """Makes three spans of every call that asks for decisions, and one of a call that is refused.

    A call that came with a `traceparent` (W3C Trace Context) belongs to that trace.

    Args:
        provider: owned from here on.
    """

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("steelyard", __version__)

    def called(self, trace: Trace) -> None:
        """Tell of a call that has just ended."""
        if not trace.asks:
            return
        end_ns = time.time_ns()
        now_s = time.perf_counter()

        def at(moment_s: float) -> int:
            """A reading of the performance counter as nanoseconds since 1970."""
            return end_ns - round(1e9 * (now_s - moment_s))

        call = self._tracer.start_span(
            f"{trace.method} {trace.route}",
            TraceContextTextMapPropagator().extract(trace.context),
            kind=api.SpanKind.SERVER,
            attributes=_attributes(trace),
            start_time=at(trace.begin),
        )
        if trace.status >= 500:  # a refusal is no fault of the server's
            call.set_status(api.StatusCode.ERROR, trace.error)
        if trace.answered is not None:
            assert trace.queue_ms is not None and trace.compute_ms is not None
            # The longest of a call's requests, which may not be the same one for both.
            computing = max(trace.answered - trace.compute_ms / 1e3, trace.begin)
            waiting = max(computing - trace.queue_ms / 1e3, trace.begin)
            within = api.set_span_in_context(call)
            for name, begin, end in (
                ("queue", waiting, computing),
                ("compute", computing, trace.answered),
            ):
                part = self._tracer.start_span(name, within, start_time=at(begin))
                part.end(at(end))
        call.end(end_ns)

    def close(self) -> None:
        """Send what has not been sent; waits for that, though not for long."""
        self._provider.shutdown()


def exported() -> Spans:
    """Spans that are sent by OTLP over HTTP, in the background, to where the variables say."""
    known = Resource({SERVICE_NAME: "steelyard", SERVICE_VERSION: __version__})
    provider = TracerProvider(resource=known.merge(OTELResourceDetector().detect()))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Spans(provider)


def _attributes(trace: Trace) -> dict[str, AttributeValue]:
    """Those of HTTP by the names of OpenTelemetry's semantic conventions, ours under our own."""
    attributes: dict[str, AttributeValue] = {
        "http.request.method": trace.method,
        "http.route": trace.route,
        "http.response.status_code": trace.status,
        "steelyard.request_id": trace.id,
        "steelyard.key": trace.key,
        "steelyard.model": trace.model,
        "steelyard.requests": trace.requests,
        "steelyard.questions": trace.questions,
    }
    if trace.error != "-":
        attributes["error.type"] = trace.error
    return attributes
