"""The application: routes, each a format of one core."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

from fastapi import FastAPI, Request, Response

from steelyard.__about__ import __version__
from steelyard.server.answering import Format, Service, endpoint, reply_json, told
from steelyard.server.config import ServeConfig
from steelyard.server.keys import KeyRing
from steelyard.server.models import Decider, Models
from steelyard.server.trace import Tracing
from steelyard.server.wire import model_list, openai, openrouter, system_one, system_one_batch
from steelyard.server.wire.errors import tell_openai, tell_openrouter, tell_system_one


def create_app(
    engines: Sequence[Decider],
    config: ServeConfig | None = None,
    keys: KeyRing | None = None,
) -> FastAPI:
    """The service, as an ASGI application whose lifespan opens and drains the queues.

    There are no CORS headers: a page of another origin gets no answer to read.

    Args:
        engines: one or more, of different names; they stay the caller's to close.
        keys: who may ask; None or an empty ring lets everybody.
    """
    config = config or ServeConfig()
    service = Service(Models(engines, config), keys or KeyRing(), config)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as until:
            await service.models.start(until)
            yield

    app = FastAPI(
        title="steelyard",
        version=__version__,
        description="Typed decisions with a probability for every allowed answer.",
        lifespan=lifespan,
        docs_url=None,  # these pages load scripts from elsewhere
        redoc_url=None,
    )
    app.add_middleware(Tracing)
    for form in formats(config):
        app.add_api_route(
            form.path,
            endpoint(service, form),
            methods=["POST"],
            summary=form.summary,
            response_class=Response,
            openapi_extra=_JSON_BODY,
        )
    _add_model_list(app, service)
    _add_health(app, service)
    return app


def formats(config: ServeConfig) -> tuple[Format, ...]:
    """Every format that is spoken."""
    show = system_one.Show(config.extras, config.digits)
    return (
        Format(
            "/v1/systemone",
            "System One: questions about one state",
            partial(system_one.decode, show=show),
            tell_system_one,
        ),
        Format(
            "/v1/systemone/batch",
            "The same questions about many states",
            partial(system_one_batch.decode, show=show),
            tell_system_one,
        ),
        Format("/v1/decisions", "OpenAI Decisions", openai.decode, tell_openai),
        Format("/api/alpha/decisions", "OpenRouter Decisions", openrouter.decode, tell_openrouter),
    )


_JSON_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
}


def _add_model_list(app: FastAPI, service: Service) -> None:
    @app.get("/v1/models", summary="The models, and the names that stand for them")
    async def models(request: Request) -> Response:
        try:
            service.keys.holder(request.headers.get("authorization"))
            return reply_json(200, model_list.encode(service.models.listing()))
        except Exception as error:  # the request's boundary: told, and logged if it is ours
            return told(request.state.trace, tell_system_one, error)


def _add_health(app: FastAPI, service: Service) -> None:
    @app.get("/health", summary="Whether the process works")
    async def health() -> Response:
        """503 says that a queue is closed or its loop has died: restart the process."""
        working = service.models.are_open
        body = {
            "status": "ok" if working else "failing",
            "version": __version__,
            "waiting": dict(service.models.waiting),
        }
        return reply_json(200 if working else 503, body)

    @app.get("/ready", summary="Whether to send requests here")
    async def ready() -> Response:
        """503 before the models are open, while they drain, and while a queue is full."""
        full = any(n >= service.config.max_queue for n in service.models.waiting.values())
        taking = service.models.are_open and not full
        return reply_json(200 if taking else 503, {"ready": taking})
