"""HTTP/1.1 as uvicorn speaks it, with a time limit on the headers of every request."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADERS_S = 10.0
"""From the connection, or the first byte of a later request, to the end of the headers."""


class Protocol(H11Protocol):
    """Closes a connection whose headers do not arrive in time, however slowly they trickle in."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request."""
        super().connection_made(transport)
        self._set_deadline()

    def data_received(self, data: bytes) -> None:
        """Read more of a request; bytes of unfinished headers do not extend their deadline."""
        super().data_received(data)
        self._set_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._clear_deadline()
        super().connection_lost(exc)

    def _set_deadline(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._clear_deadline()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEADERS_S, self.transport.close)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
