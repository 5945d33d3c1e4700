"""Connections that nothing comes of are closed; those that are used are not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn

from benchmarks.http_client import encode_request, read_reply
from steelyard.server.connection import bounded

PATIENCE_S = 0.3
LONG_S = 120  # on a machine that does much else
LARGE = bytes(50_000_000)


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answers without reading the body; at /large with more than a socket holds."""
    body = LARGE if scope["path"] == "/large" else b"ok"
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def server(keep_alive_s: int = 600) -> AsyncIterator[tuple[uvicorn.Server, int]]:
    config = uvicorn.Config(
        app, port=0, lifespan="off", log_config=None, ws="none", http=bounded(PATIENCE_S),
        timeout_keep_alive=keep_alive_s,
    )  # fmt: skip
    one = uvicorn.Server(config)
    serving = asyncio.create_task(one.serve())
    while not one.started:
        await asyncio.sleep(0.01)
    try:
        yield one, one.servers[0].sockets[0].getsockname()[1]
    finally:
        one.should_exit = True
        one.force_exit = True
        await serving


Client = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def connected(client: Client) -> None:
    async def run() -> None:
        async with asyncio.timeout(LONG_S), server() as (_, port):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            await client(reader, writer)
            writer.transport.abort()

    asyncio.run(run())


async def until_closed(reader: asyncio.StreamReader) -> None:
    try:
        while await reader.read(1000):
            pass
    except ConnectionResetError:
        pass


def test_a_connection_that_asks_nothing_is_closed() -> None:
    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await until_closed(reader)

    connected(client)


@pytest.mark.parametrize("first", [b"", encode_request("GET", "/")])
def test_a_head_that_comes_in_drips_is_given_up(first: bytes) -> None:
    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(first)

        async def drip() -> None:
            writer.write(b"GET / HTTP/1.1\r\n")
            while True:
                writer.write(b"x: y\r\n")
                await asyncio.sleep(PATIENCE_S / 10)

        dripping = asyncio.create_task(drip())
        await until_closed(reader)
        dripping.cancel()

    connected(client)


def test_a_body_that_goes_on_after_its_answer_is_given_up() -> None:
    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000000\r\n\r\n")
        reply = await read_reply(reader)
        assert reply is not None and reply.status == 200

        async def drip() -> None:
            while True:
                writer.write(b"x" * 100)
                await asyncio.sleep(PATIENCE_S / 10)

        dripping = asyncio.create_task(drip())
        await until_closed(reader)
        dripping.cancel()

    connected(client)


def test_a_connection_may_rest_between_requests() -> None:
    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(2):
            writer.write(encode_request("POST", "/", b"body"))
            reply = await read_reply(reader)
            assert reply is not None and reply.body == b"ok"
            await asyncio.sleep(3 * PATIENCE_S)

    connected(client)


@pytest.mark.parametrize("requests", [1, 2])
def test_a_client_that_does_not_read_its_answers_is_let_go(requests: int) -> None:
    async def run() -> None:
        async with asyncio.timeout(LONG_S), server(keep_alive_s=1) as (one, port):
            _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1000)
            writer.write(encode_request("GET", "/large") * requests)
            while not one.server_state.connections:
                await asyncio.sleep(0.01)
            while one.server_state.connections:
                await asyncio.sleep(0.05)
            writer.transport.abort()

    asyncio.run(run())
