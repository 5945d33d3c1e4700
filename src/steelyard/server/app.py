"""The application: routes, each a format of one core."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from steelyard.__about__ import __version__
from steelyard.server import metrics
from steelyard.server.answering import Format, Service, endpoint, reply_json, told
from steelyard.server.audit import AuditLog
from steelyard.server.config import ServeConfig
from steelyard.server.health import Recent
from steelyard.server.keys import KeyRing
from steelyard.server.limits import Limiter
from steelyard.server.metrics import Metrics
from steelyard.server.models import Models, Offer
from steelyard.server.openapi import describe, describe_answer, describe_call, describe_errors
from steelyard.server.page import page, page_headers
from steelyard.server.trace import Trace, Tracing
from steelyard.server.wire import model_list, openai, openrouter, system_one, system_one_batch
from steelyard.server.wire.errors import (
    tell_openai,
    tell_openrouter,
    tell_system_one,
    tell_unmatched,
)

if TYPE_CHECKING:
    from steelyard.server.spans import Spans


def create_app(
    offers: Sequence[Offer],
    config: ServeConfig | None = None,
    keys: KeyRing | None = None,
    *,
    limiter: Limiter | None = None,
    audit: Path | None = None,
    spans: Spans | None = None,
) -> FastAPI:
    """The service, as an ASGI application whose lifespan loads the first model and drains all.

    There are no CORS headers: a page of another origin gets no answer to read.

    Args:
        offers: one or more models, of different names.
        keys: who may ask; None or an empty ring lets everybody.
        limiter: of those keys, where several processes share one.
        audit: a file in which every decision is recorded.
        spans: told of every call, and closed at the end.
    """
    config, keys = config or ServeConfig(), keys or KeyRing()
    service = Service(
        models=Models(offers, config),
        keys=keys,
        config=config,
        limiter=limiter or Limiter(keys.keys),
        metrics=Metrics(),
        audit=None if audit is None else AuditLog(audit),
    )
    recent = Recent()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as until:
            if service.audit is not None:
                await until.enter_async_context(service.audit)
            if spans is not None:  # after the models: the last calls are told of as well
                until.push_async_callback(asyncio.to_thread, spans.close)
            await until.enter_async_context(service.models)
            yield

    def called(trace: Trace) -> None:
        recent.called(trace)
        service.metrics.called(trace)
        service.metrics.now_waiting(service.models.waiting)
        if spans is not None:
            spans.called(trace)

    app = FastAPI(
        title="steelyard",
        version=__version__,
        description="Typed decisions with a probability for every allowed answer.",
        lifespan=lifespan,
        docs_url=None,  # these pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,  # a redirect would go where the Host header says
    )
    app.add_middleware(Tracing, observers=(called,))
    for form in formats(config):
        app.add_api_route(
            form.path,
            endpoint(service, form),
            methods=["POST"],
            summary=form.summary,
            response_class=Response,
            openapi_extra=dict(form.description),
        )
    app.add_exception_handler(HTTPException, _unmatched)
    _add_page(app)
    _add_for_key_holders(app, service)
    _add_health(app, service, recent)
    describe(app, secured=bool(keys.keys))
    return app


def formats(config: ServeConfig) -> tuple[Format, ...]:
    """Every format that is spoken."""
    show = system_one.Show(config.extras, config.digits)
    ours = partial(describe_call, error="SystemOneError", status_of=attrgetter("system_one"))
    return (
        Format(
            "/v1/systemone",
            "System One: questions about one state",
            partial(system_one.decode, show=show),
            tell_system_one,
            ours("SystemOneRequest", "SystemOneReply", forms=True),
            forms=True,
        ),
        Format(
            "/v1/systemone/batch",
            "The same questions about many states",
            partial(system_one_batch.decode, show=show),
            tell_system_one,
            ours("BatchRequest", "BatchReply", forms=False),
        ),
        Format(
            "/v1/decisions",
            "OpenAI Decisions",
            openai.decode,
            tell_openai,
            describe_call(
                "DecisionsRequest",
                "DecisionsReply",
                "DecisionsError",
                attrgetter("openai"),
                forms=False,
            ),
        ),
        Format(
            "/api/alpha/decisions",
            "OpenRouter Decisions",
            openrouter.decode,
            tell_openrouter,
            describe_call(
                "OpenRouterRequest",
                "SystemOneReply",
                "OpenRouterError",
                attrgetter("openrouter"),
                forms=False,
            ),
        ),
    )


async def _unmatched(request: Request, error: Exception) -> Response:
    """What is told where no route is, or none for that method."""
    assert isinstance(error, HTTPException), "it is registered for these"
    said, allowed = error.detail, (error.headers or {}).get("Allow")
    if allowed is not None:
        said = f"{said}: {request.method}; allowed: {allowed}"
    trace: Trace = request.state.trace
    trace.error, body = tell_unmatched(error.status_code, said, request.url.path)
    return reply_json(error.status_code, body, error.headers)


def _add_page(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False, summary="A page to try questions on")
    async def shown(request: Request) -> Response:
        request.state.trace.route = "/"
        return Response(page(), headers=page_headers(), media_type="text/html")


def _add_for_key_holders(app: FastAPI, service: Service) -> None:
    def check(request: Request, route: str) -> None:
        request.state.trace.route = route
        key = service.keys.holder(request.headers.get("authorization"))
        request.state.trace.key = "-" if key is None else key.name

    refused = describe_errors("SystemOneError", (401, 500))

    def read(media_type: str = "application/json") -> dict[str, Any]:
        return {
            "responses": {**describe_answer(200, media_type=media_type)["responses"], **refused}
        }

    @app.get(
        "/v1/models",
        summary="The models, and the names that stand for them",
        response_class=Response,
        openapi_extra=read(),
    )
    async def models(request: Request) -> Response:
        try:
            check(request, "/v1/models")
            return reply_json(200, model_list.encode(service.models.listing()))
        except Exception as error:  # the request's boundary: told, and logged if it is ours
            return told(request.state.trace, tell_system_one, error)

    @app.get(
        "/metrics",
        summary="Counts and times, for Prometheus",
        response_class=Response,
        openapi_extra=read("text/plain"),
    )
    async def numbers(request: Request) -> Response:
        try:
            check(request, "/metrics")
            service.metrics.now_waiting(service.models.waiting)
            return Response(service.metrics.text(), media_type=metrics.CONTENT_TYPE)
        except Exception as error:  # the request's boundary: told, and logged if it is ours
            return told(request.state.trace, tell_system_one, error)


def _add_health(app: FastAPI, service: Service, recent: Recent) -> None:
    @app.get(
        "/health",
        summary="Whether the process works, and how well",
        response_class=Response,
        openapi_extra=describe_answer(200, 503),
    )
    async def health(request: Request) -> Response:
        """503 says that a queue is closed or its loop has died: restart the process."""
        request.state.trace.route = "/health"
        working = service.models.are_open
        recording = service.audit is None or not service.audit.is_failing
        troubles = recent.troubles(recording=recording)
        body = {
            "status": "failing" if not working else "degraded" if troubles else "ok",
            "troubles": troubles,
            "warnings": {name: list(said) for name, said in service.models.warnings.items()},
            "version": __version__,
            "waiting": dict(service.models.waiting),
        }
        return reply_json(200 if working else 503, body)

    @app.get(
        "/ready",
        summary="Whether to send requests here",
        response_class=Response,
        openapi_extra=describe_answer(200, 503),
    )
    async def ready(request: Request) -> Response:
        """503 before the models are open, while they drain, and while a queue is full."""
        request.state.trace.route = "/ready"
        full = any(n >= service.config.max_queue for n in service.models.waiting.values())
        taking = service.models.are_open and not full
        return reply_json(200 if taking else 503, {"ready": taking})
