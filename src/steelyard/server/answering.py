"""One call from bytes to bytes: who asks, what is asked, the answers, and how errors are told."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from steelyard.errors import RequestError, SteelyardError
from steelyard.server.audit import AuditLog, record
from steelyard.server.body import parse_body, read_body
from steelyard.server.config import ServeConfig
from steelyard.server.keys import Key, KeyRing
from steelyard.server.limits import Limiter
from steelyard.server.line import estimate_tokens
from steelyard.server.metrics import Metrics
from steelyard.server.models import Models
from steelyard.server.scheduler import Scheduler, Served
from steelyard.server.trace import Trace
from steelyard.server.wire.call import Call, Reply
from steelyard.server.wire.errors import Tell
from steelyard.types.codec import dumps
from steelyard.types.content import Json

logger = logging.getLogger(__name__)

CLIENT_CLOSED = 499  # nginx's number for a client that has gone; nobody receives it
T = TypeVar("T")
Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Service:
    """What all calls share.

    Attributes:
        audit: where decisions are recorded, or None.
    """

    models: Models
    keys: KeyRing
    config: ServeConfig
    limiter: Limiter
    metrics: Metrics
    audit: AuditLog | None


@dataclass(frozen=True, slots=True)
class Format:
    """A wire format: where it is spoken and how it is translated.

    Attributes:
        decode: a parsed body to the call it spells; the fields of its errors are paths.
        tell: an error to its status and body.
        description: what the OpenAPI document says of it.
        forms: whether `multipart/form-data` is read as well as JSON.
    """

    path: str
    summary: str
    decode: Callable[[Json], Call]
    tell: Tell
    description: Mapping[str, Any]
    forms: bool = False


def endpoint(service: Service, form: Format) -> Endpoint:
    """What answers `POST form.path`."""

    async def decide(request: Request) -> Response:
        trace: Trace = request.state.trace
        trace.route, trace.asks = form.path, True
        body: Json = None
        try:
            key = service.keys.holder(request.headers.get("authorization"))
            trace.key = "-" if key is None else key.name
            data = await read_body(
                request.headers,
                request.stream(),
                max_bytes=service.config.max_body_bytes,
                timeout_s=service.config.body_s,
                forms=form.forms,
            )
            body = parse_body(data, request.headers.get("content-type"))
            call = form.decode(body)
            return reply_json(200, await _answer(service, request, call, key))
        except ClientDisconnect:
            return Response(status_code=CLIENT_CLOSED)
        except Exception as error:  # the request's boundary: told, and logged if it is ours
            return told(trace, form.tell, error, body)

    return decide


def told(trace: Trace, tell: Tell, error: Exception, body: Json = None) -> Response:
    """The response that tells an error; what is not the caller's doing is logged with its trace."""
    known = error if isinstance(error, SteelyardError) else SteelyardError("internal error")
    refusal = tell(known, body)
    trace.error = known.code
    if refusal.status == 500:
        logger.error("event=internal_error id=%s", trace.id, exc_info=error)
    return reply_json(refusal.status, refusal.body, refusal.headers)


async def _answer(service: Service, request: Request, call: Call, key: Key | None) -> Reply:
    trace: Trace = request.state.trace
    trace.model = service.models.find(call.model).name
    trace.requests = len(call.requests)
    trace.questions = sum(len(one.questions) for one in call.requests)
    served = await _while_connected(request, _paid(service, call, key))
    trace.answered = time.perf_counter()
    trace.queue_ms = max(one.queue_ms for one in served)
    trace.compute_ms = max(one.compute_ms for one in served)
    trace.headers["x-steelyard-weights"] = served[0].response.audit.weights
    for asked, one in zip(call.requests, served, strict=True):
        service.metrics.answered(asked, one)
    if service.audit is not None:
        await _record(service.audit, service.config, trace, call, served)
    return call.reply([one.response for one in served])


async def _paid(service: Service, call: Call, key: Key | None) -> list[Served]:
    """The answers of a call, charged to its key: an estimate before, the rest afterwards."""
    if key is None or not service.limiter.is_limited(key):
        return await _decided(service, call, key)
    estimate = sum(estimate_tokens(one) for one in call.requests)
    service.limiter.spend(key, requests=len(call.requests), tokens=estimate)
    cost = 0  # of a call that is not answered
    try:
        served = await _decided(service, call, key)
        cost = sum(one.response.usage.input_tokens for one in served)
        return served
    finally:
        service.limiter.settle(key, cost - estimate)


async def _decided(service: Service, call: Call, key: Key | None) -> list[Served]:
    partition = "" if key is None else key.partition
    async with service.models.lend(call.model) as model:
        return await _submit_all(model.scheduler, call, partition)


async def _record(
    audit: AuditLog, config: ServeConfig, trace: Trace, call: Call, served: Sequence[Served]
) -> None:
    await audit.append(
        [
            record(
                asked,
                one.response,
                id=f"{trace.id}.{index}",
                key=trace.key,
                route=trace.route,
                queue_ms=one.queue_ms,
                compute_ms=one.compute_ms,
                whole=config.audit_requests,
            )
            for index, (asked, one) in enumerate(zip(call.requests, served, strict=True))
        ]
    )


async def _submit_all(scheduler: Scheduler, call: Call, partition: str) -> list[Served]:
    """Every answer of a call; at the first error the others are given up."""
    tasks = [
        asyncio.create_task(_submit(scheduler, call, index, partition))
        for index in range(len(call.requests))
    ]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _submit(scheduler: Scheduler, call: Call, index: int, partition: str) -> Served:
    try:
        return await scheduler.submit(call.requests[index], partition)
    except RequestError as error:
        if len(call.requests) == 1:
            raise
        raise error.within(f"states.{index}") from None


async def _while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """What `work` returns; it is cancelled when the client goes.

    Raises:
        ClientDisconnect: the client has gone.
    """
    answering = asyncio.create_task(work)
    leaving = asyncio.create_task(_gone(request))
    try:
        await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
        if answering.done():
            return answering.result()
        raise ClientDisconnect
    finally:
        for task in (answering, leaving):
            task.cancel()
        await asyncio.gather(answering, leaving, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def reply_json(status: int, body: Json, headers: Mapping[str, str] | None = None) -> Response:
    """A response of JSON text."""
    # An error may repeat a key that UTF-8 cannot express; \u escapes can.
    text = dumps(body) if status == 200 else json.dumps(body)
    return Response(text.encode(), status, headers, media_type="application/json")
