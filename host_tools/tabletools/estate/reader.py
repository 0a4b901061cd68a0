"""Reads the stream of the centre, which is sourced from those of the sites, each event once.

How far it was read is stored in the transaction that folds: killed anywhere, a reader goes on
where the tables are. That nothing comes proves nothing: a server that forgot who reads is silent,
so an idle reader asks the stream what it has, and a number that is left out is asked for.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DeliverPolicy,
    ExternalStream,
    StreamConfig,
    StreamInfo,
    StreamSource,
)
from nats.js.errors import NotFoundError
from sqlalchemy import Connection

from tabletools.cms.broker import Broker, BrokerError
from tabletools.cms.jetstream import MSG_ID, Server
from tabletools.cms.origin import stream_of
from tabletools.estate import events, fold, model
from tabletools.estate.model import Position
from tabletools.store import StoreError
from tabletools.store.rows import insert_new

STREAM = "tablewire-estate"
MOST = 1000
WAIT_S = 0.5
LOOK_S = 5.0
"""Between two looks at the stream of a reader to which nothing comes."""
_AGAIN_S = 1.0
_GONE_S = 60.0
_RETENTION_S = 90 * 24 * 3600.0
Say = Callable[[str, dict[str, object]], None]


class Arrived(NamedTuple):
    """A message of the stream. number: its place there. id: of it in every stream."""

    number: int
    subject: str
    payload: bytes
    id: str


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
        """Fold all of them; one that is no event is stored aside."""
        folded: list[events.EstateEvent] = []
        for one in batch:
            try:
                folded.append(events.read(one.subject, one.payload))
            except events.NotAnEvent as refusal:
                values = {"number": one.number, "subject": one.subject, "why": str(refusal)}
                insert_new(db, model.refused, values)
        fold.fold(db, folded)


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
        self._pull: JetStreamContext.PullSubscription | None = None
        self._place = Position()
        self._read = 0
        """Number of the newest message that came."""
        self._expected = 0
        """Number of a message that the stream had at the last look, 0: of none."""
        self._next_look = 0.0

    def run(self, stop: threading.Event, say: Say, pause_s: float = 0.0) -> None:
        """Read until stopped. say: called with (event, facts) when the stream is lost or back.

        pause_s: before everything that came meanwhile is read.
        """
        while not stop.wait(pause_s):
            try:
                while self.step() and not stop.is_set():
                    pass
                if pause_s:
                    self.close()  # the server forgets a reader that pauses
                down = ""
            except Exception as error:  # of the stream, the tables or this program: it tries again
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
        server = self._opened()
        batch = server.run(self._fetch())
        if not batch:
            self._look(server)
            return 0
        self._verify_next(server, batch)
        with self._centre.write() as db:
            name = self._taker.name
            if model.position(db, name, self._stream, lock=True) != self._place:
                raise BrokerError("another reader took these messages: end one of the two")
            self._taker.take(db, batch)
            place = Position(batch[-1].number, batch[-1].id)
            model.note_position(db, name, self._stream, place)
        self._place, self._read = place, place.number
        return len(batch)

    def close(self) -> None:
        """Disconnect."""
        server, self._server, self._pull = self._server, None, None
        if server is not None:
            server.close()

    def _opened(self) -> Server:
        if self._server is None:
            server = Server(self._broker, f"tablewire estate {self._taker.name}")
            try:
                server.open()
                info = server.run(_central(server, self._sites))
            except BrokerError:
                server.close()
                raise
            self._stream = f"{STREAM} {info.created}"
            self._server = server
        return self._server

    async def _fetch(self) -> list[Arrived]:
        if self._pull is None:
            self._pull = await self._subscribed()
        try:
            messages = await self._pull.fetch(self._taker.most, timeout=WAIT_S)
        except TimeoutError:
            return []
        return [_arrived(one) for one in messages]

    def _look(self, server: Server) -> None:
        """See whether what the stream has did come since the last look. Raises BrokerError."""
        if time.monotonic() < self._next_look:
            server.drive()
            return
        self._next_look = time.monotonic() + LOOK_S
        if self._read < self._expected:
            raise BrokerError(f"the stream has message {self._expected}, and it does not come")
        self._expected = server.first_from(STREAM, self._read + 1) or 0

    def _verify_next(self, server: Server, batch: Sequence[Arrived]) -> None:
        """Raise BrokerError if a message was left out that the stream still has."""
        before = self._read
        for one in batch:
            if one.number > before + 1:
                first = server.first_from(STREAM, before + 1)
                if first is not None and first < one.number:
                    raise BrokerError(f"message {first} of the stream did not come")
            before = one.number

    async def _subscribed(self) -> JetStreamContext.PullSubscription:
        assert self._server is not None
        with self._centre.read() as db:
            self._place = model.position(db, self._taker.name, self._stream)
        after = await self._read_before(self._server)
        self._read, self._expected = after, 0
        config = ConsumerConfig(
            deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=after + 1,
            ack_policy=AckPolicy.NONE,
            inactive_threshold=_GONE_S,
        )
        return await self._server.streams.pull_subscribe("", stream=STREAM, config=config)

    async def _read_before(self, server: Server) -> int:
        """Return the number up to which nothing has to be read again.

        A server that lost its newest messages with its power is sent them again by the sites, in
        another order: then all is read again, which changes no figure that is right.
        """
        number = self._place.number
        try:
            newest = await server.streams.get_msg(STREAM, number) if number else None
        except NotFoundError:
            info = await server.streams.stream_info(STREAM)
            return number if number < info.state.first_seq else 0
        headers = (newest and newest.headers) or {}
        return number if headers.get(MSG_ID, "") == self._place.message else 0


def _arrived(one: Msg) -> Arrived:
    ident = (one.headers or {}).get(MSG_ID, "")
    return Arrived(one.metadata.sequence.stream, one.subject, one.data, ident)


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
        )
        return await streams.add_stream(config)
    present = info.config.sources or []
    missing = [site for site in sites if stream_of(site) not in {one.name for one in present}]
    if missing:
        present += [_source(site) for site in missing]
        info = await streams.update_stream(info.config.evolve(sources=present))
    return info


def _source(site: str) -> StreamSource:
    place = ExternalStream(api=f"$JS.{site}.API", deliver=f"tablewire-deliver.{site}")
    return StreamSource(name=stream_of(site), external=place)
