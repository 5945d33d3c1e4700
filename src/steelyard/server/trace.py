"""What is told of every call: an id, times in a header, one line in the log without its text."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger("steelyard.server.access")

REQUEST_ID_HEADERS = ("x-typesafe-request-id", "x-request-id")
CONTEXT_HEADERS = ("traceparent", "tracestate")


@dataclass(slots=True)
class Trace:
    """Facts about one call, filled in as they become known.

    Attributes:
        begin, answered: readings of the performance counter, in seconds; None while nothing was
            answered.
        route: one of ours, or "other".
        asks: whether it asks for decisions.
        key: name of the API key, or "-".
        queue_ms, compute_ms: the longest of its requests'; None where nothing was computed.
        error: code of the error told, or "-".
        context: what the caller's own tracing sent along (W3C Trace Context).
        headers: sent with the reply.
    """

    id: str
    begin: float
    method: str = "-"
    context: Mapping[str, str] = field(default_factory=dict)
    route: str = "other"
    asks: bool = False
    key: str = "-"
    model: str = "-"
    requests: int = 0
    questions: int = 0
    queue_ms: float | None = None
    compute_ms: float | None = None
    answered: float | None = None
    error: str = "-"
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def total_ms(self) -> float:
        return 1e3 * (time.perf_counter() - self.begin)

    def server_timing(self) -> str:
        """As the Server-Timing header spells it, in milliseconds."""
        stages = {"queue": self.queue_ms, "compute": self.compute_ms, "total": self.total_ms}
        return ", ".join(f"{name};dur={ms:.3f}" for name, ms in stages.items() if ms is not None)


class Tracing:
    """ASGI middleware that gives every HTTP call a `Trace`, at `request.state.trace`.

    Args:
        observers: told of every call that has ended.
    """

    def __init__(self, app: ASGIApp, observers: Sequence[Callable[[Trace], None]] = ()) -> None:
        self._app = app
        self._observers = observers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        received = Headers(scope=scope)
        trace = Trace(
            id=uuid.uuid4().hex,
            begin=time.perf_counter(),
            method=scope["method"],
            context={name: received[name] for name in CONTEXT_HEADERS if name in received},
        )
        scope.setdefault("state", {})["trace"] = trace

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                trace.status = message["status"]
                headers = MutableHeaders(scope=message)
                for name in REQUEST_ID_HEADERS:
                    headers[name] = trace.id
                headers["server-timing"] = trace.server_timing()
                for name, value in trace.headers.items():
                    headers[name] = value
            await send(message)

        try:
            await self._app(scope, receive, tell)
        finally:
            _log(scope, trace)
            for observe in self._observers:
                observe(trace)


def _log(scope: Scope, trace: Trace) -> None:
    def ms(value: float | None) -> str:
        return "-" if value is None else f"{value:.1f}"

    logger.info(
        "event=request id=%s method=%s path=%r status=%d error=%s key=%s model=%s requests=%d "
        "questions=%d queue_ms=%s compute_ms=%s total_ms=%s",
        trace.id,
        trace.method,
        scope["path"][:200],
        trace.status,
        trace.error,
        trace.key,
        trace.model,
        trace.requests,
        trace.questions,
        ms(trace.queue_ms),
        ms(trace.compute_ms),
        ms(trace.total_ms),
    )
