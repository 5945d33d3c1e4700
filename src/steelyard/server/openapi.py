"""The OpenAPI document: what each route reads and what it tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from steelyard.server.trace import REQUEST_ID_HEADERS
from steelyard.server.wire.errors import STATUSES, Statuses
from steelyard.server.wire.schemas import SCHEMAS, Schema, ref

_HEADERS: Schema = {
    name: {"schema": {"type": "string"}} for name in (*REQUEST_ID_HEADERS, "server-timing")
}
_RETRY: Schema = {"retry-after": {"schema": {"type": "string"}, "description": "seconds"}}
_JSON: Schema = {"type": "object"}


def describe_call(
    request: str, reply: str, error: str, status_of: Callable[[Statuses], int], *, forms: bool
) -> dict[str, Any]:
    """What the document says of a route that answers questions.

    Args:
        request, reply, error: names of SCHEMAS.
        status_of: the format's column of STATUSES.
        forms: whether it reads `multipart/form-data` as well.
    """
    content: Schema = {"application/json": {"schema": ref(request)}}
    if forms:
        content["multipart/form-data"] = {
            "schema": {
                "type": "object",
                "properties": {"request": ref(request)},
                "required": ["request"],
                "additionalProperties": False,
            },
            "encoding": {"request": {"contentType": "application/json"}},
        }
    return {
        "requestBody": {"required": True, "content": content},
        "responses": {
            "200": _response(ref(reply)),
            **describe_errors(error, {status_of(row) for row in STATUSES.values()}),
        },
    }


def describe_errors(error: str, statuses: Iterable[int]) -> dict[str, Any]:
    """Responses that tell errors by the schema of that name."""
    return {str(status): _response(ref(error), status) for status in sorted(statuses)}


def describe_answer(*statuses: int, media_type: str = "application/json") -> dict[str, Any]:
    """What the document says of a route that is only asked how things are."""
    schema = _JSON if media_type == "application/json" else {"type": "string"}
    return {"responses": {str(each): _response(schema, each, media_type) for each in statuses}}


def describe(app: FastAPI, *, secured: bool) -> None:
    """Have `app` tell the whole document, with the schemas that its routes refer to.

    Args:
        secured: whether it asks for keys.
    """

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
            )
            made["components"] = {"schemas": SCHEMAS}
            if secured:
                bearer = {"type": "http", "scheme": "bearer"}
                made["components"]["securitySchemes"] = {"bearer": bearer}
                made["security"] = [{"bearer": []}]
                for path in ("/health", "/ready"):
                    made["paths"][path]["get"]["security"] = []
            app.openapi_schema = made
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]  # as FastAPI's documentation says


def _response(
    schema: Schema, status: int = 200, media_type: str = "application/json"
) -> Mapping[str, Any]:
    headers = _HEADERS | (_RETRY if status in (429, 503) else {})
    return {
        "description": _phrase(status),
        "headers": headers,
        "content": {media_type: {"schema": schema}},
    }


def _phrase(status: int) -> str:
    if status == 524:  # Cloudflare's, and so OpenRouter's
        return "A Timeout Occurred"
    return HTTPStatus(status).phrase
