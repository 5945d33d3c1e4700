"""What Prometheus reads: counts and times, and nothing of what was asked."""

from __future__ import annotations

import os
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from steelyard.server.scheduler import Served
from steelyard.server.trace import Trace
from steelyard.types.answer import Response
from steelyard.types.question import kind_of
from steelyard.types.request import Request

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Variable that prometheus_client looks at when it is imported: worker processes that find it set
write their numbers into that folder, and each of them tells those of all."""

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_REQUESTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Metrics:
    """The numbers of one server; a registry of its own lets a process hold several."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._calls = Counter(
            "steelyard_calls", "HTTP calls.", ("route", "status"), registry=registry
        )
        self._errors = Counter(
            "steelyard_errors", "Calls that were told an error.", ("code",), registry=registry
        )
        self._seconds = Histogram(
            "steelyard_call_seconds",
            "Time of a call by stage: waiting, computed in its batch, in all.",
            ("stage",),
            buckets=_SECONDS,
            registry=registry,
        )
        self._together = Histogram(
            "steelyard_batch_requests",
            "How many requests were computed together, seen by each.",
            ("model",),
            buckets=_REQUESTS,
            registry=registry,
        )
        self._tokens = Counter(
            "steelyard_tokens",
            "Tokens that went through a model, and those of stored prefixes that did not have to.",
            ("model", "how"),
            registry=registry,
        )
        self._prefixes = Counter(
            "steelyard_prefix_requests",
            "Requests that found a stored prefix (hit) or none (miss).",
            ("model", "result"),
            registry=registry,
        )
        self._answers = Counter(
            "steelyard_answers",
            "Answers by kind and by the layer they were read after.",
            ("model", "kind", "exit_layer", "calibrated"),
            registry=registry,
        )
        self._waiting = Gauge(
            "steelyard_waiting_requests",
            "Requests that wait.",
            ("model",),
            registry=registry,
            multiprocess_mode="livesum",
        )

    def called(self, trace: Trace) -> None:
        """Count a call that has ended."""
        self._calls.labels(trace.route, str(trace.status)).inc()
        if trace.error != "-":
            self._errors.labels(trace.error).inc()
        stages = {"queue": trace.queue_ms, "compute": trace.compute_ms, "total": trace.total_ms}
        for stage, ms in stages.items():
            if ms is not None:
                self._seconds.labels(stage).observe(ms / 1000)

    def answered(self, request: Request, served: Served) -> None:
        """Count a request that was answered."""
        response: Response = served.response
        model, audit = response.model, response.audit
        self._together.labels(model).observe(served.batch_requests)
        self._tokens.labels(model, "computed").inc(audit.computed_tokens)
        self._tokens.labels(model, "reused").inc(audit.reused_tokens)
        self._prefixes.labels(model, "hit" if audit.reused_tokens else "miss").inc()
        for name, answer in response.answers.items():
            basis = answer.basis
            calibrated = "no" if basis.calibration is None else "yes"
            kind = kind_of(request.questions[name])
            self._answers.labels(model, kind, str(basis.exit_layer), calibrated).inc()

    def now_waiting(self, waiting: Mapping[str, int]) -> None:
        for model, count in waiting.items():
            self._waiting.labels(model).set(count)

    def text(self) -> bytes:
        """All of it, of all worker processes, as Prometheus reads it."""
        if SHARED_FOLDER not in os.environ:
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
