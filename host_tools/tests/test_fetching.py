"""Traces fetched from a table: what is kept is the frames that brought one, and no other."""

import pytest

from tabletools.evidence.fetching import Evidence
from tabletools.link import Received, Session
from tabletools.store import StoreError
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.framing import Receiver
from tablewire.sender import Sender

ROUND = 4
IDLE = m.HEARTBEAT, (m.PHASE_CLOSED, 0, 255, 1, 142, 0, 0, 0, 180_000, 96_000)
NO_TRACE = m.TRACE_CHUNK, (ROUND, 0, 0, b"")


class Keeper:
    """Requests the traces of ended rounds. asked: the number of look-ups."""

    def __init__(self):
        self.ended = []
        self.asked = 0

    def wanted(self, _device):
        self.asked += 1
        return self.ended[0] if self.ended else None

    def keep(self, _device, number, _raw, _proof):
        self.ended.remove(number)


class FullDisk:
    """Wants the trace of one round; fails to keep it at first. kept: the types of its frames."""

    def __init__(self):
        self.kept = None
        self._failures = 1

    def wanted(self, _device):
        return ROUND if self.kept is None else None

    def keep(self, _device, _number, raw, _proof):
        if self._failures:
            self._failures -= 1
            raise StoreError("the database is full", "no space", "make room")
        self.kept = [frame.type for frame in Receiver().feed(raw)]


def send(fetching, session, wire):
    """What a table sent reaches the host."""
    for event in session.receive(wire, 0.1):
        if isinstance(event, Received) and isinstance(event.frame, Frame):
            fetching.take(event, 0.1)


def test_the_ledger_is_not_asked_at_every_heartbeat_what_is_wanted():
    """Once all traces are here, only a new record can make another one wanted."""
    session, table, keeper = Session(lambda *_record: True), Sender(7, 3), Keeper()
    session.connected(0.0)
    fetching = Evidence(session, keeper)
    for _ in range(5):
        send(fetching, session, table.build(*IDLE))
    assert keeper.asked == 1
    keeper.ended.append(ROUND)
    send(fetching, session, table.build(m.BETS_CLOSED, (1, 0), m.FLAG_DURABLE))
    send(fetching, session, table.build(*IDLE))
    send(fetching, session, table.build(*NO_TRACE))
    assert keeper.ended == []


def test_a_trace_that_could_not_be_kept_at_once_is_kept_without_what_came_after_it():
    """A heartbeat among its frames would have `ledger verify --keys` report another trace."""
    session, table, keeper = Session(), Sender(7, 3), FullDisk()
    session.connected(0.0)
    fetching = Evidence(session, keeper)
    send(fetching, session, table.build(*IDLE))
    with pytest.raises(StoreError):
        send(fetching, session, table.build(*NO_TRACE))
    send(fetching, session, table.build(*IDLE))
    assert keeper.kept == [m.TRACE_CHUNK]
