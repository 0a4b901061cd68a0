"""The sink that is a broker: events with QoS 1, a retained state per table, health by will.

Results are never retained: a new subscriber must not take an old number for a new one.
"""

import json
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tabletools.cms.broker import Broker, BrokerError
from tabletools.cms.mqtt import Line, Message, Will
from tabletools.cms.outgoing_event import CONTENT_TYPE, OutgoingEvent, time_of
from tabletools.cms.sinks import RETRY_S, DeliveryResult
from tabletools.money.outbox_queries import TableState

# A week: longer than any outage of a management system; after that it reads the ledger.
EXPIRY_S = 7 * 24 * 3600
# A state ends with the host that vouches for it: the broker drops it unless it is said again.
STATE_S, STATE_EXPIRY_S = 10.0, 30
ANSWER_S = 10.0
RESULTS = ("tablewire.round.settled", "tablewire.round.corrected")
NO_READER = 0x10  # the broker accepted the message but has no subscriber for it
REFUSED = 0x80
PLAIN = "application/json"
STOPPED = "host_stopped"
NS = 1_000_000_000


@dataclass(frozen=True)
class Topics:
    """The topics; access rules name the branch of a table."""

    prefix: str = "tablewire"

    def event(self, event: OutgoingEvent) -> str:
        """The topic of an event."""
        branch = "house" if event.table is None else f"table/{event.table}"
        return f"{self.prefix}/{branch}/event/{event.type.removeprefix('tablewire.')}"

    def state(self, table: int) -> str:
        """The topic of a table's state, retained."""
        return f"{self.prefix}/table/{table}/state"

    def health(self, host: str) -> str:
        """The topic of a host's health, retained."""
        return f"{self.prefix}/host/{host}/health"


class _Flight:
    """Events on their way to the broker: of each table one at a time, in their order.

    So an event that was refused holds back the later ones of its table, and no other.
    """

    def __init__(self, events: Sequence[OutgoingEvent]) -> None:
        self.sent = DeliveryResult()
        self.waiting: dict[int, OutgoingEvent] = {}
        """Sent, by the number under which the broker will answer."""
        self._of_table: dict[int | None, deque[OutgoingEvent]] = {}
        for one in events:
            self._of_table.setdefault(one.table, deque()).append(one)
        self._ready = deque(self._of_table)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to send or to wait for."""
        return not self._ready and not self.waiting

    def departures(self, most: int) -> Iterator[OutgoingEvent]:
        """Yield what can be sent now. most: events in flight, by the limit of the broker."""
        while self._ready and len(self.waiting) < most:
            yield self._of_table[self._ready.popleft()].popleft()

    def answered(self, number: int, refusal: str) -> None:
        """Note an answer of the broker. refusal: why it was not delivered, if so."""
        one = self.waiting.pop(number)
        if refusal:
            self.sent.failed[one.number] = refusal
            return
        self.sent.delivered.append(one.number)
        if self._of_table[one.table]:
            self._ready.append(one.table)


class MqttSink:
    """One broker. needs_reader: a result (RESULTS) without a subscriber is not delivered; a reader
    of some types alone must not be held up by those it does not read.

    connect: makes a connection, as Line does. wall_ns: UTC, for the health of this host.
    """

    in_waves = False  # it waits for each table by itself
    most = 1000
    retry_s: Sequence[float] = RETRY_S
    is_patient = True

    def __init__(
        self,
        broker: Broker,
        *,
        topics: Topics | None = None,
        name: str = "",
        host: str = "",
        expiry_s: int = EXPIRY_S,
        needs_reader: bool = False,
        connect: Callable[..., Line] = Line,
        wall_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self.topics = topics or Topics()
        self.name = name or f"mqtt:{broker.place}/{self.topics.prefix}"
        self._broker = broker
        self._host = host or socket.gethostname()
        self._expiry_s = expiry_s
        self._needs_reader = needs_reader
        self._connect = connect
        self._wall_ns = wall_ns
        self._line: Line | None = None
        self._published: dict[int, tuple[TableState, float]] = {}
        """State of each table, and when it was published, UTC, seconds."""
        self._one_by_one = False  # the broker disconnected while several events were in flight

    def send(self, events: Sequence[OutgoingEvent]) -> DeliveryResult:
        """Publish events and wait until the broker has answered for each.

        After a disconnection in mid-delivery they are sent one by one until all were accepted: so
        an event that makes the broker disconnect, such as one over its size limit, is found.
        """
        flight = _Flight(events)
        try:
            line = self._open()
            most = 1 if self._one_by_one else line.most
            while not flight.is_over:
                for one in flight.departures(most):
                    flight.waiting[line.publish(self._message(one))] = one
                self._await_answers(line, flight)
            self._one_by_one = False
        except BrokerError as error:
            flight.sent.down = str(error)
            self._one_by_one = self._one_by_one or bool(flight.waiting)
            if len(flight.waiting) == 1:
                flight.sent.interrupted = next(iter(flight.waiting.values())).number
            self._drop()
        return flight.sent

    def tick(self, states: Sequence[TableState] | None) -> str:
        """Maintain the connection; publish the states that changed."""
        try:
            line = self._open()
            line.drive()
            line.answers.clear()
            for state in states or ():
                self._publish(line, state)
        except BrokerError as error:
            self._drop()
            return str(error)
        return ""

    def _publish(self, line: Line, state: TableState) -> None:
        """Publish a state that changed, or that would soon be dropped."""
        now_s = self._wall_ns() / NS
        before, since_s = self._published.get(state.table, (None, 0.0))
        if state != before or not 0 <= now_s - since_s < STATE_S:
            line.publish(self._state(state))
            self._published[state.table] = state, now_s

    def close(self) -> None:
        """Publish that this host takes no more bets and stopped on purpose, and disconnect."""
        line, self._line = self._line, None
        if line is None:
            return
        try:
            for state, _ in self._published.values():
                line.publish(self._state(state._replace(bets_open=False, cause=STOPPED)))
            number = line.publish(self._health("stopped"))
            line.wait(lambda: number in line.answers, 1.0)
            line.close()
        except BrokerError:
            line.drop()

    def _await_answers(self, line: Line, flight: "_Flight") -> None:
        """Wait for answers, and note each. Raises BrokerError after 10 s without one."""
        end = time.monotonic() + ANSWER_S
        while not line.answers.keys() & flight.waiting.keys():
            if time.monotonic() > end:
                what = f"no answer for {len(flight.waiting)} events"
                raise BrokerError(f"{self._broker.place}: {what}")
            line.drive(0.2)
        for number in sorted(line.answers.keys() & flight.waiting.keys()):
            code = line.answers.pop(number)
            flight.answered(number, self._refusal(code, flight.waiting[number]))

    def _refusal(self, code: int, one: OutgoingEvent) -> str:
        """Return why the broker did not deliver an event, "" if it did. code: its answer."""
        is_unread = code == NO_READER and self._needs_reader and one.type in RESULTS
        if code < REFUSED and not is_unread:
            return ""
        why = "there is no subscriber" if code == NO_READER else f"the broker answered {code}"
        return f"{self.topics.event(one)}: {why}"

    def _open(self) -> Line:
        if self._line is None:
            will = self._health("lost")
            line = self._connect(
                self._broker,
                f"{self._host}-{self.name}".replace("/", "-")[:120],
                will=Will(will.topic, will.payload),
            )
            line.open()
            self._line, self._published = line, {}
            line.publish(self._health("online"))
        return self._line

    def _drop(self) -> None:
        if self._line is not None:
            self._line.drop()
            self._line = None

    def _message(self, one: OutgoingEvent) -> Message:
        about = {"id": one.id, "type": one.type}
        topic = self.topics.event(one)
        return Message(topic, one.body, CONTENT_TYPE, expiry_s=self._expiry_s, about=about)

    def _state(self, state: TableState) -> Message:
        content = {
            "table": state.table,
            "name": state.name,
            "enabled": state.is_enabled,
            "round": state.round,
            "number": state.number,
            "bets_open": state.bets_open,
            "cause": state.cause,
            "since": time_of(state.since_ns),
            "host": self._host,
            "at": time_of(self._wall_ns()),
        }
        topic = self.topics.state(state.table)
        return Message(topic, _json(content), PLAIN, retain=True, expiry_s=STATE_EXPIRY_S)

    def _health(self, status: str) -> Message:
        content = {"host": self._host, "status": status, "since": time_of(self._wall_ns())}
        return Message(self.topics.health(self._host), _json(content), PLAIN, retain=True)


def _json(content: Mapping[str, object]) -> bytes:
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
