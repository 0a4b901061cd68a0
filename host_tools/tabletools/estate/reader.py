"""Reads the stream of the centre, which is sourced from those of the sites, each event once.

How far it was read is stored in the transaction that folds: killed anywhere, a reader goes on
where the tables are, if the server still has the message that it read last.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import NamedTuple, Protocol

from nats.js import JetStreamContext
from nats.js.api import ExternalStream, StreamConfig, StreamInfo, StreamSource
from nats.js.errors import NotFoundError
from sqlalchemy import Connection

from tabletools.cms.broker import Broker, BrokerError
from tabletools.cms.jetstream import Server
from tabletools.cms.origin import stream_of
from tabletools.estate import events, fold, model
from tabletools.estate.model import Position
from tabletools.estate.nats_servers import delivery_of
from tabletools.store import StoreError
from tabletools.store.errors import explanation_of
from tabletools.store.rows import insert_new

STREAM = "tablewire-estate"
MOST = 1000
WAIT_S = 0.5
_AT_ONCE = 100
"""Messages requested at the same time: each has up to 1 MiB."""
_AGAIN_S = 1.0
_RETENTION_S = 90 * 24 * 3600.0
_REPEATS_S = 0.1
"""Within which the stream drops a message whose id it has: the least a server allows. Ids are
those of the sites, and one could send that of another's next event."""
_SOURCE = "Nats-Stream-Source"
"""Header by which the server of the centre names the stream that a message is from."""
Say = Callable[[str, dict[str, object]], None]


class Arrived(NamedTuple):
    """A message of the stream. number: its place there; source: the stream that it is from."""

    number: int
    subject: str
    payload: bytes
    source: str

    @property
    def place(self) -> Position:
        """Its place, by which a reader goes on after it."""
        subject = self.subject.encode("utf-8", "backslashreplace")
        return Position(self.number, sha256(subject + b"\0" + self.payload).hexdigest())

    def event(self) -> events.EstateEvent:
        """Return the event in it. Raises NotAnEvent."""
        event = events.read(self.subject, self.payload)
        if stream_of(event.site) != self.source:
            raise events.NotAnEvent(f"it is of {event.site}, but from {self.source or 'nowhere'}")
        return event


class Taker(Protocol):
    """What is done with messages. name: under which its position is stored. most: at a time."""

    name: str
    most: int

    def take(self, db: Connection, batch: Sequence[Arrived]) -> None:
        """Take messages in a transaction; once more if it is not committed."""


class Folding:
    """Folds messages into the tables of the centre."""

    name = "fold"
    most = MOST

    def take(self, db: Connection, batch: Sequence[Arrived]) -> None:
        """Fold all of them; one that is no event, or cannot be folded, is stored aside."""
        folded: list[tuple[Arrived, events.EstateEvent]] = []
        for one in batch:
            try:
                folded.append((one, one.event()))
            except events.NotAnEvent as refusal:
                _set_aside(db, one, str(refusal))
        if _why_not(db, [event for _, event in folded]):
            for one, event in folded:  # which of them it was
                if why := _why_not(db, [event]):
                    _set_aside(db, one, why)


def _why_not(db: Connection, batch: Sequence[events.EstateEvent]) -> str:
    """Fold events, or none of them; returns why not, empty if they are folded."""
    try:
        with db.begin_nested():
            fold.fold(db, batch)
    except Exception as error:  # one site must not end the figures of all
        if explanation_of(error) is not None:  # not of an event: the database fails
            raise
        return f"{type(error).__name__}: {error}"
    return ""


def _set_aside(db: Connection, one: Arrived, why: str) -> None:
    """Store why a message changes nothing. A text of PostgreSQL has no NUL."""
    subject, text = (each[:1000].replace("\0", "?") for each in (one.subject, why))
    insert_new(db, model.refused, {"number": one.number, "subject": subject, "why": text})


class Reader:
    """One reader of the stream of the centre. sites: whose streams are sourced into it."""

    def __init__(
        self, centre: model.Centre, broker: Broker, sites: Sequence[str], taker: Taker
    ) -> None:
        self.down = ""
        self._centre = centre
        self._broker = broker
        self._sites = sites
        self._taker = taker
        self._server: Server | None = None
        self._stream = ""
        self._place = Position()
        self._after = 0
        """Number up to which no message has to be read again."""

    def run(self, stop: threading.Event, say: Say, pause_s: float = 0.0) -> None:
        """Read until stopped. say: called with (event, facts) when the stream is lost or back.

        pause_s: before everything that came meanwhile is read.
        """
        while not stop.wait(pause_s):
            try:
                while self.step() and not stop.is_set():
                    pass
                down = ""
            except Exception as error:  # also of this program: it is said, and tried again
                self.close()
                is_named = isinstance(error, BrokerError | StoreError)
                down = str(error) if is_named else f"{type(error).__name__}: {error}"
            if bool(down) != bool(self.down):
                name = "stream_lost" if down else "stream_back"
                say(f"estate_{name}", {"reader": self._taker.name, "why": down or self.down})
            self.down = down
            if down:
                stop.wait(_AGAIN_S)
        self.close()

    def step(self) -> int:
        """Take what has come; returns how many messages. Raises BrokerError, StoreError."""
        server = self._open()
        batch, last = server.run(self._fetch(server.streams))
        if batch:
            with self._centre.write() as db:
                name = self._taker.name
                if model.position(db, name, self._stream, lock=True) != self._place:
                    raise BrokerError("another reader took these messages: end one of the two")
                self._taker.take(db, batch)
                model.note_position(db, name, self._stream, batch[-1].place)
            self._place = batch[-1].place
        self._after = last
        return len(batch)

    def close(self) -> None:
        """Disconnect."""
        server, self._server = self._server, None
        if server is not None:
            server.close()

    def _open(self) -> Server:
        if self._server is None:
            server = Server(self._broker, f"tablewire estate {self._taker.name}")
            try:
                server.open()
                info = server.run(_central(server, self._sites))
                self._stream = _name_of(info)
                with self._centre.read() as db:
                    self._place = model.position(db, self._taker.name, self._stream)
                self._after = server.run(self._read_before(server.streams, info))
            except (BrokerError, StoreError):
                server.close()
                raise
            self._server = server
        return self._server

    async def _read_before(self, streams: JetStreamContext, info: StreamInfo) -> int:
        """Return the number up to which no message has to be read again.

        A server that lost its newest messages with its power gets them again from the sites, in
        another order: then all are read again, which changes no figure that is right.
        """
        number = self._place.number
        if number < max(info.state.first_seq, 1):  # the stream has it no longer
            return number
        newest = await _message(streams, number)
        return number if newest is not None and newest.place == self._place else 0

    async def _fetch(self, streams: JetStreamContext) -> tuple[list[Arrived], int]:
        """Return the messages that have come, and up to which number they are all.

        They are requested by number: a subscription of the client takes a message for an answer of
        the server if a site gives it the header of one, and ends at a subject that is no UTF-8.
        """
        info = await streams.stream_info(STREAM)
        if _name_of(info) != self._stream:
            raise BrokerError(f"the stream {STREAM} was made again")
        first = max(self._after + 1, info.state.first_seq)
        last = min(info.state.last_seq, first + self._taker.most - 1)
        if first > last:
            await asyncio.sleep(WAIT_S)
            return [], self._after
        batch: list[Arrived] = []
        for start in range(first, last + 1, _AT_ONCE):
            numbers = range(start, min(start + _AT_ONCE, last + 1))
            messages = await asyncio.gather(*(_message(streams, number) for number in numbers))
            batch += [one for one in messages if one is not None]
        return batch, last


async def _message(streams: JetStreamContext, number: int) -> Arrived | None:
    """Return a message by its number, None for one that the stream has no longer."""
    try:
        one = await streams.get_msg(STREAM, number)
    except NotFoundError:
        return None
    # The server adds the header at the end, and the last of a name counts.
    source = (one.headers or {}).get(_SOURCE, "").partition(" ")[0].partition(":")[0]
    return Arrived(number, one.subject or "", one.data or b"", source)


def _name_of(info: StreamInfo) -> str:
    return f"{STREAM} {info.created}"


async def _central(server: Server, sites: Sequence[str]) -> StreamInfo:
    """Make the stream of the centre, or add the sites that it lacks."""
    streams = server.streams
    try:
        info = await streams.stream_info(STREAM)
    except NotFoundError:
        config = StreamConfig(
            name=STREAM,
            description="What happened at the tables of all sites",
            sources=[_source(site) for site in sites],
            max_age=_RETENTION_S,
            duplicate_window=_REPEATS_S,
        )
        return await streams.add_stream(config)
    present = info.config.sources or []
    missing = [site for site in sites if stream_of(site) not in {one.name for one in present}]
    if missing or info.config.duplicate_window != _REPEATS_S:
        sources = [*present, *map(_source, missing)]
        config = info.config.evolve(sources=sources, duplicate_window=_REPEATS_S)
        info = await streams.update_stream(config)
    return info


def _source(site: str) -> StreamSource:
    place = ExternalStream(api=f"$JS.{site}.API", deliver=delivery_of(site))
    return StreamSource(name=stream_of(site), external=place)
