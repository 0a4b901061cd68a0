"""Live streams (server-sent events): one table, or all tables of this host.

The first event is a snapshot of the whole state; then come changes. A reader that reconnects with
Last-Event-ID of this run gets the missed events instead. Comments keep an idle stream alive.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from fastapi.responses import StreamingResponse

from tabletools.api import answers, needs
from tabletools.api.answers import responds
from tabletools.api.app_state import (
    AppState,
    InApp,
    RowNumber,
    SignedIn,
    action,
    as_json,
    in_thread,
)
from tabletools.api.auth import AuthError, Person
from tabletools.pit.live import LiveEvent
from tabletools.pit.pit import Seat
from tabletools.store import StoreError

router = APIRouter(prefix="/v1", tags=["live"])
LOOK_S = 1.0
"""How soon a stream ends when the host stops."""
CHECK_S = 15.0
"""How often a comment is sent, and the login is checked again."""
MOST_STREAMS = 4
"""Streams of one login: the console needs one a browser."""
WAITING = 2000
"""Events that may wait for a slow reader before the stream is closed."""
_DATA = {
    "type": "object",
    "required": ["table"],
    "properties": {
        "table": {"type": "integer"},
        "state": {"type": "object", "description": "Of a snapshot: the whole state."},
        "changed": {"type": "object", "description": "Of a change: what is different."},
    },
}
_ITEM = {
    "type": "object",
    "required": ["data"],
    "properties": {
        "id": {"type": "string", "description": "For Last-Event-ID."},
        "event": {"enum": ["snapshot", "changed"]},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": _DATA,
        },
        "retry": {"type": "integer"},
    },
}
_STREAM: dict[str, Any] = {
    "response_class": StreamingResponse,
    "responses": {
        200: {
            "description": "Events; a comment every 15 s keeps the stream open.",
            "content": {"text/event-stream": {"itemSchema": _ITEM}},
        }
    },
}
Last = Annotated[str, Header(alias="Last-Event-ID", max_length=60)]


@router.get("/tables/{table}/live", **_STREAM, **action("tables.see"))
async def live(
    table: RowNumber, request: Request, app: InApp, who: SignedIn, last_event_id: Last = ""
) -> StreamingResponse:
    """The state of one table as it changes."""
    seat = await in_thread(lambda: app.pit.seat(table))
    return _answer(app, who, [seat], last_event_id, _check_of(app, request))


@router.get("/live", **_STREAM, **action("tables.see"))
async def live_all(request: Request, app: InApp, who: SignedIn) -> StreamingResponse:
    """The state of every table of this host as it changes; a snapshot of each comes first."""
    seats = list(app.pit.seats.values())
    return _answer(app, who, seats, "", _check_of(app, request))


@router.get("/needs", **action("tables.see"), **responds(answers.Needs))
def needs_of_all(who: SignedIn, app: InApp) -> dict[str, Any]:
    """What needs a person at the tables of this host and in the house, the most urgent first."""
    return {"needs": [as_json(need._asdict()) for need in needs.needs(app, who.role)]}


def _answer(
    app: AppState, who: Person, seats: list[Seat], last: str, check: Callable[[], Any]
) -> StreamingResponse:
    """Return the stream. Raises AuthError when the login has as many as it may."""
    if app.streams[who.session] >= MOST_STREAMS:
        what = f"this login has {MOST_STREAMS} live streams open"
        step = "close one of them: one stream of /v1/live reports every table"
        raise AuthError(429, "too_many_streams", what, step)
    events = _events(app, who.session, seats, last, check)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


def _check_of(app: AppState, request: Request) -> Callable[[], Any]:
    """Return a function that raises when the login of a stream has ended."""
    token = request.cookies.get(app.cookie, "")
    return lambda: app.auth.person(token, is_use=False)


class _Line:
    """From the threads of tables to one reader: events with their tables, in order."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[tuple[LiveEvent, int]] = asyncio.Queue(WAITING)
        self._loop = asyncio.get_running_loop()
        self._watched: list[tuple[Seat, Callable[[LiveEvent], None]]] = []

    def listen(self, seat: Seat, last: str) -> list[LiveEvent]:
        """Follow a table; returns the first events."""
        table = seat.place.table

        def watcher(event: LiveEvent) -> None:
            with suppress(RuntimeError):  # the loop is closed: there is no reader
                self._loop.call_soon_threadsafe(self._put, (event, table))

        first = seat.live.listen(watcher, last)
        self._watched.append((seat, watcher))
        return first

    def leave(self) -> None:
        """Stop following all tables."""
        for seat, watcher in self._watched:
            seat.live.leave(watcher)

    def _put(self, event: tuple[LiveEvent, int]) -> None:
        if not self.queue.full():
            self.queue.put_nowait(event)


async def _events(
    app: AppState, login: int, seats: list[Seat], last: str, check: Callable[[], Any]
) -> AsyncIterator[str]:
    if app.streams[login] >= MOST_STREAMS:  # of several that began at once
        return
    line = _Line()
    app.streams[login] += 1
    try:
        yield "retry: 1000\n\n"
        for seat in seats:
            for event in line.listen(seat, last):
                yield _text(event, seat.place.table)
        async for text in _follow(app, line.queue, check):
            yield text
    finally:
        app.streams[login] -= 1
        app.streams += Counter()  # without logins that have none
        line.leave()


async def _follow(
    app: AppState, queue: "asyncio.Queue[tuple[LiveEvent, int]]", check: Callable[[], Any]
) -> AsyncIterator[str]:
    """Yield events until the host stops, the login ends or the reader is too slow."""
    loop = asyncio.get_running_loop()
    check_at = loop.time() + CHECK_S
    while not app.ending.is_set() and not queue.full():
        with suppress(TimeoutError):
            yield _text(*await asyncio.wait_for(queue.get(), LOOK_S))
        if loop.time() >= check_at:
            check_at = loop.time() + CHECK_S
            try:
                await in_thread(check)
            except (AuthError, StoreError):
                return
            yield ": still here\n\n"


def _text(event: LiveEvent, table: int) -> str:
    data = json.dumps({"table": table, **as_json(event.data)}, separators=(",", ":"))
    return f"id: {event.id}\nevent: {event.kind}\ndata: {data}\n\n"
