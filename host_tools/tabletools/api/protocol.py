"""HTTP/1.1 as uvicorn speaks it, with limits: of time for headers and body, of connections."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tabletools.store.requester import Requester

HEADERS_S = 10.0
"""From the connection, or the first byte of a later request, to the end of the headers."""
BODY_S = 20.0
"""From the end of the headers to the end of the body."""
MOST_CONNECTIONS = 500
"""With files and links below 1,024: the broker's client waits by select(), which knows no more."""


class Protocol(H11Protocol):
    """Closes a connection whose headers or body are late, even if bytes keep coming.

    Of too many connections, those without a request that is being answered make room, the longest
    open first: so a flood of them keeps no one out.
    """

    _deadline: asyncio.TimerHandle | None = None
    _limit_s: float | None = None
    _open_s = 0.0

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request."""
        super().connection_made(transport)
        self._requester = Requester()
        self._open_s = self.loop.time()
        self._set_deadline()
        if len(self.connections) > MOST_CONNECTIONS:
            self._make_room()

    def handle_events(self) -> None:
        """Read more of a request; bytes of an unfinished part do not extend its deadline."""
        super().handle_events()
        if self.scope is not None:
            self.scope.setdefault("state", {}).update(requester=self._requester)
        self._set_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline, and end what is read for who left."""
        self._clear_deadline()
        self.end_reading()
        super().connection_lost(exc)

    def end_reading(self) -> None:
        """Interrupt what is read for the request in progress, now and as long as it reads."""
        if self._is_answering():
            self.loop.run_in_executor(None, self._requester.leave)

    def _set_deadline(self) -> None:
        limit_s = self._time_limit()
        if limit_s == self._limit_s:
            return
        self._clear_deadline()
        self._limit_s = limit_s
        if limit_s is not None:
            self._deadline = self.loop.call_later(limit_s, self.transport.close)

    def _time_limit(self) -> float | None:
        """Return how long the part of a request that is being received may take, None for none."""
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            return BODY_S
        is_kept_alive = self.cycle is not None and not self.conn.trailing_data[0]
        return HEADERS_S if state is h11.IDLE and not is_kept_alive else None

    def _make_room(self) -> None:
        """Close the connection that is worth the least, at worst this one."""
        others = [one for one in self.connections if isinstance(one, Protocol)]
        least = min(others, key=lambda one: (one._is_answering(), one._open_s), default=self)
        if least._is_answering():
            least = self
        self.connections.discard(least)
        least.transport.abort()

    def _is_answering(self) -> bool:
        """Whether a request came whole and is not answered yet."""
        is_whole = self.cycle is not None and self.conn.their_state is not h11.SEND_BODY
        return is_whole and not self.cycle.response_complete

    def _clear_deadline(self) -> None:
        self._limit_s = None
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
