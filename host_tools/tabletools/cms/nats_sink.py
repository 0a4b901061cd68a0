"""The sink that is the JetStream of a site: each event once in its stream, in order of each table.

Of each table one event at a time is under way, so after an interruption at most the newest one of
a table is in doubt: it is read from the stream before the next is sent. So nothing is stored
twice, however long the interruption was; the server itself recognises repeats of the last hour.
"""

from collections.abc import Sequence

from nats.js.api import StreamConfig

from tabletools.cms.broker import Broker, BrokerError
from tabletools.cms.jetstream import MSG_ID, Message, Server
from tabletools.cms.origin import Origin, stream_of
from tabletools.cms.outgoing_event import OutgoingEvent
from tabletools.cms.sinks import RETRY_S, DeliveryResult
from tabletools.money.outbox_queries import TableState

REPEATS_S = 3600.0
KEPT_S = 90 * 24 * 3600.0
"""How long the stream has an event: as long as the outbox by default."""
_MOST = 500


class NatsSink:
    """The stream of the site that a ledger is of; it is made where there is none."""

    in_waves = True
    most = _MOST
    retry_s: Sequence[float] = RETRY_S
    is_patient = True

    def __init__(self, broker: Broker, origin: Origin, *, name: str = "") -> None:
        if not origin.site:
            raise ValueError("a stream is of a site: set site")
        self.name = name or f"nats:{broker.place}/{origin.site}/{origin.pit}"
        self._broker = broker
        self._origin = origin
        self._stream = stream_of(origin.site)
        self._server: Server | None = None
        self._doubtful: dict[int | None, str] = {}
        """Id of the newest event of a table in the stream when the connection began."""

    def send(self, events: Sequence[OutgoingEvent]) -> DeliveryResult:
        """Publish events, all of different tables, and wait until the stream has them."""
        sent = DeliveryResult()
        try:
            server = self._open()
            new = [one for one in events if not self._is_stored(server, one)]
            sent.delivered = [one.number for one in events if one not in new]
            reasons = server.publish(self._stream, [self._message(one) for one in new])
        except BrokerError as error:
            self._drop()
            sent.down = str(error)
            if len(events) == 1:
                sent.interrupted = events[0].number
            return sent
        for one, why in zip(new, reasons, strict=True):
            if why:
                sent.failed[one.number] = why
            else:
                sent.delivered.append(one.number)
        return sent

    def tick(self, states: Sequence[TableState] | None) -> str:
        """Maintain the connection."""
        try:
            self._open().drive()
        except BrokerError as error:
            self._drop()
            return str(error)
        return ""

    def close(self) -> None:
        """Disconnect."""
        self._drop()

    def _is_stored(self, server: Server, one: OutgoingEvent) -> bool:
        """Whether an event was stored in an earlier connection that was cut before the answer."""
        if one.table not in self._doubtful:
            newest = server.last(self._stream, self._origin.subject(one.table))
            headers = {} if newest is None else newest.headers or {}
            self._doubtful[one.table] = headers.get(MSG_ID, "")
        return self._doubtful[one.table] == self._id(one)

    def _id(self, one: OutgoingEvent) -> str:
        # Of the whole estate: the stream of the centre drops repeats too.
        return f"{self._origin.site}/{self._origin.pit}/{one.id}"

    def _message(self, one: OutgoingEvent) -> Message:
        return Message(self._origin.subject(one.table, one.type), one.body, self._id(one))

    def _open(self) -> Server:
        if self._server is None:
            server = Server(self._broker, f"tablewire {self._origin.site} {self._origin.pit}")
            self._doubtful = {}
            try:
                server.open()
                if not server.has_stream(self._stream):
                    server.add_stream(_config(self._origin.site))
            except BrokerError:
                server.close()
                raise
            self._server = server
        return self._server

    def _drop(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()


def _config(site: str) -> StreamConfig:
    return StreamConfig(
        name=stream_of(site),
        description=f"What happened at the tables of {site}",
        subjects=[f"tablewire.{site}.>"],
        max_age=KEPT_S,
        duplicate_window=REPEATS_S,
    )
