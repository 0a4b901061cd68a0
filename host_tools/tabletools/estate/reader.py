"""Reads the stream of the centre, which is sourced from those of the sites, each event once.

How far it was read is stored in the transaction that folds: killed anywhere, a reader goes on
where the tables are.
"""

import threading
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
from tabletools.cms.jetstream import Server
from tabletools.cms.origin import stream_of
from tabletools.estate import events, fold, model
from tabletools.store import StoreError
from tabletools.store.rows import insert_new

STREAM = "tablewire-estate"
MOST = 1000
WAIT_S = 0.5
_AGAIN_S = 1.0
_GONE_S = 60.0
_RETENTION_S = 90 * 24 * 3600.0
Say = Callable[[str, dict[str, object]], None]


class Arrived(NamedTuple):
    """A message of the stream. number: its place there."""

    number: int
    subject: str
    payload: bytes


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

    def run(self, stop: threading.Event, say: Say, pause_s: float = 0.0) -> None:
        """Read until stopped. say: called with (event, facts) when the stream is lost or back.

        pause_s: before everything that came meanwhile is read.
        """
        while not stop.wait(pause_s):
            try:
                while self.step() and not stop.is_set():
                    pass
                down = ""
            except (BrokerError, StoreError) as error:
                self.close()
                down = str(error)
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
            server.drive()
            return 0
        with self._centre.write() as db:
            name = self._taker.name
            if model.position(db, name, self._stream, lock=True) >= batch[0].number:
                raise BrokerError("another reader took these messages: end one of the two")
            self._taker.take(db, batch)
            model.note_position(db, name, self._stream, batch[-1].number)
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

    async def _subscribed(self) -> JetStreamContext.PullSubscription:
        assert self._server is not None
        with self._centre.read() as db:
            after = model.position(db, self._taker.name, self._stream)
        config = ConsumerConfig(
            deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=after + 1,
            ack_policy=AckPolicy.NONE,
            inactive_threshold=_GONE_S,
        )
        return await self._server.streams.pull_subscribe("", stream=STREAM, config=config)


def _arrived(one: Msg) -> Arrived:
    return Arrived(one.metadata.sequence.stream, one.subject, one.data)


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
