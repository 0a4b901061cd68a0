"""Traces fetched from a table: what is kept is the frames that brought one, and no other."""

import struct
from dataclasses import replace

import pytest

from tabletools.decode.stored_frames import assembled
from tabletools.evidence.fetching import Evidence
from tabletools.link import Received, Session
from tabletools.store import StoreError
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.crc import crc32
from tablewire.framing import Receiver
from tablewire.sender import Sender
from tablewire.trace_file import FORMAT, HEAD, HEAD_BYTES, MAGIC

ROUND = 4
IDLE = m.HEARTBEAT, (m.PHASE_CLOSED, 0, 255, 1, 142, 0, 0, 0, 180_000, 96_000)
PLAYED = m.HEARTBEAT, (m.PHASE_BETS_OPEN + 2, 0, 255, 1, 142, 0, 0, 0, 180_000, 96_000)
BUSY = m.REFUSAL_WRONG_PHASE, m.PHASE_BETS_OPEN + 2, m.PHASE_CLOSED, m.PHASE_BETS_OPEN, 0
NO_TRACE = m.TRACE_CHUNK, (ROUND, 0, 0, b"")


class Keeper:
    """Requests the traces of ended rounds. asked: the number of look-ups."""

    def __init__(self):
        self.ended = []
        self.asked = 0

    def next_missing(self, _device):
        self.asked += 1
        return self.ended[0] if self.ended else None

    def keep(self, _device, number, _raw, _proof):
        self.ended.remove(number)


class FullDisk:
    """Wants the trace of one round; fails to keep it at first. types: those of its frames."""

    def __init__(self):
        self.types = None
        self._failures = 1

    def next_missing(self, _device):
        return ROUND if self.types is None else None

    def keep(self, _device, _number, raw, _proof):
        if self._failures:
            self._failures -= 1
            raise StoreError("the database is full", "no space", "make room")
        self.types = [frame.type for frame in Receiver().feed(raw)]


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


def test_a_fetch_begins_between_rounds():
    """With bets open a table refuses the first piece: it is not requested."""
    session, table = Session(), Sender(7, 3)
    session.connected(0.0)
    fetching = Evidence(session, FullDisk())
    for phase, asked in ((m.PHASE_BETS_OPEN, False), (m.PHASE_CLOSED, True)):
        send(fetching, session, table.build(m.HEARTBEAT, (phase, *IDLE[1][1:])))
        types = [frame.type for frame in Receiver().feed(session.outgoing())]
        assert (m.FETCH_TRACE in types) == asked


def test_a_trace_that_could_not_be_kept_at_once_is_kept_without_what_came_after_it():
    """A heartbeat among its frames would have `ledger verify --keys` report another trace."""
    session, table, keeper = Session(), Sender(7, 3), FullDisk()
    session.connected(0.0)
    fetching = Evidence(session, keeper)
    send(fetching, session, table.build(*IDLE))
    with pytest.raises(StoreError):
        send(fetching, session, table.build(*NO_TRACE))
    send(fetching, session, table.build(*IDLE))
    assert keeper.types == [m.TRACE_CHUNK]


def test_a_fetch_that_a_throw_interrupts_goes_on_where_it_was():
    """A table refuses pieces while dice are in play; those that came are not sent again."""
    session, table, keeper = Session(), Sender(7, 3), FullDisk()
    keeper._failures = 0
    session.connected(0.0)
    fetching = Evidence(session, keeper)
    body = bytes(400 - HEAD_BYTES)
    head = struct.pack(HEAD, MAGIC, FORMAT, 0, 0, 0, 7, 3, ROUND, 0)
    trace = head + body
    trace += struct.pack("<I", crc32(trace, 0) & 0xFFFFFFFF)
    asked = []

    def answer(refuses):
        """What the table says to the request that is on the line."""
        for frame in Receiver().feed(session.outgoing()):
            if isinstance(frame, Frame) and frame.type == m.FETCH_TRACE:
                offset = frame.values[1]
                asked.append(offset)
                values = ROUND, offset, len(trace), trace[offset : offset + 192]
                reply = m.TRACE_CHUNK, values
                if refuses:
                    reply = m.REFUSAL, (m.FETCH_TRACE, frame.counter, *BUSY)
                send(fetching, session, table.build(*reply))

    send(fetching, session, table.build(*IDLE))
    answer(refuses=False)
    answer(refuses=True)
    for _ in range(3):
        send(fetching, session, table.build(*PLAYED))
    answer(refuses=True)
    send(fetching, session, table.build(*IDLE))
    answer(refuses=False)
    answer(refuses=False)
    assert asked == [0, 192, 192, 384]
    assert keeper.types == [m.TRACE_CHUNK] * 3


def trace_of(fill, size=400):
    """A whole trace of the round, of bytes of one value."""
    head = struct.pack(HEAD, MAGIC, FORMAT, 0, 0, 0, 7, 3, ROUND, 0)
    trace = head + bytes([fill]) * (size - HEAD_BYTES)
    return trace + struct.pack("<I", crc32(trace, 0) & 0xFFFFFFFF)


class Shelf(FullDisk):
    """Keeps the trace that the frames bring. trace: None before."""

    trace = None

    def next_missing(self, _device):
        return ROUND if self.trace is None else None

    def keep(self, _device, _number, raw, _proof):
        self.trace = assembled(raw)


def fetch(session, table, fetching, contents):
    """Answer each request on the line with the piece of the next content, until none is left."""
    contents = iter(contents)
    send(fetching, session, table.build(*IDLE))
    while True:
        requests = [
            frame
            for frame in Receiver().feed(session.outgoing())
            if isinstance(frame, Frame) and frame.type == m.FETCH_TRACE
        ]
        content = next(contents, None) if requests else None
        if content is None:
            return
        offset = requests[-1].values[1]
        values = ROUND, offset, len(content), content[offset : offset + 192]
        send(fetching, session, table.build(m.TRACE_CHUNK, values))
        send(fetching, session, table.build(*IDLE))


def test_a_trace_that_changes_on_the_way_is_fetched_again_from_its_beginning():
    """Two pieces of one, the last of another: its CRC is wrong. Then all of the other."""
    session, table, keeper = Session(), Sender(7, 3), Shelf()
    session.connected(0.0)
    old, new = trace_of(74), trace_of(75)
    fetch(session, table, Evidence(session, keeper), [old, old, new, new, new, new])
    assert keeper.trace == new


def test_frames_that_do_not_bring_what_was_verified_are_not_kept():
    """A frame whose bytes are lost between the line and the ledger: it is fetched again."""
    session, table, keeper = Session(), Sender(7, 3), Shelf()
    session.connected(0.0)
    fetching, trace = Evidence(session, keeper), trace_of(74)

    def contents():
        yield trace
        yield trace
        fetching._pieces[0] = replace(fetching._pieces[0], wire=b"")
        yield trace
        assert keeper.trace is None
        yield from [trace] * 3

    fetch(session, table, fetching, contents())
    assert keeper.trace == trace
