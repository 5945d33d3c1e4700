"""HTTP/1.1 connections that end: uvicorn's protocol, with clocks for what it would await for ever.

uvicorn bounds the pause between requests. It does not bound how long a request's head may take, how
long the rest of a body that was refused goes on, or how long a client leaves its answer unread.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


def bounded(patience_s: float) -> type[H11Protocol]:
    """uvicorn's protocol for connections that are closed when

    - a request's head has not arrived `patience_s` after its first byte, or after the connection
      was made;
    - a body goes on for `patience_s` after the response to it;
    - a client has not read its answers for as long as it may pause between requests.
    """

    class Bounded(H11Protocol):
        _head: asyncio.TimerHandle | None = None
        _stall: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._head = _stop(self._head)
            self._stall = _stop(self._stall)

        def pause_writing(self) -> None:
            super().pause_writing()
            self._stall = self.loop.call_later(self.timeout_keep_alive, self.transport.abort)

        def resume_writing(self) -> None:
            super().resume_writing()
            self._stall = _stop(self._stall)

        def timeout_keep_alive_handler(self) -> None:
            if self.transport.get_write_buffer_size():
                self.transport.abort()  # to close would be to wait until it is read
            super().timeout_keep_alive_handler()

        def _watch(self) -> None:
            """Start the clock when something is awaited that uvicorn does not time, once."""
            answering = self.cycle is not None and not self.cycle.response_complete
            resting = (  # between requests: uvicorn's own clock runs
                self.timeout_keep_alive_task is not None
                and self.conn.their_state is not h11.SEND_BODY
            )
            if answering or resting:
                self._head = _stop(self._head)
            elif self._head is None:
                self._head = self.loop.call_later(patience_s, self.transport.abort)

    return Bounded


def _stop(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    if timer is not None:
        timer.cancel()
    return None
