"""Targets of the host: any stream into a collector, and a damaged night that must settle no lie.

Both run the collector as `tabletool collect` does, on a database in memory and a clock of their
own. Every frame counts as verified, so that a result may become settleable at all.
"""

from __future__ import annotations

import io
import json
import random
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from hil_tests.fuzz.files_and_pipes import recorded
from hil_tests.fuzz.input_search import Target
from hil_tests.fuzz.mutate import frames, lasting, present, split
from hil_tests.fuzz.wire_targets import vectors
from tableemulator.machines.repeater import CLOSED, OPENED, Repeater, played, result
from tabletools import decode
from tabletools.authenticity import VERIFIED
from tabletools.capture import FROM_TABLE, Chunk, Reader
from tabletools.evidence import listing
from tabletools.link import Event, Notice, Proof
from tabletools.pit.collector import Collector
from tabletools.store import Store
from tabletools.store.engine import engine_of
from tablewire import codes, messages, roulette
from tablewire.codec import Frame
from tablewire.framing import Receiver

DEVICE, BOOT, ROUNDS = 7, 3, 8
WATCHED = (
    "host_tools/tabletools/evidence",
    "host_tools/tabletools/link",
    "host_tools/tabletools/table/intake.py",
    "host_tools/tabletools/pit/collector.py",
)
_STATES = {"closed", "waiting", "online", "offline"}
_PAUSES_S = (0.0, 0.01, 0.3, 1.5, 2.5, 30.0)


MEMORY = "sqlite://"
_SETTLEABLE = """
SELECT r.device, r.number, e.payload FROM rounds r JOIN frames e ON e.id = r.ended
WHERE r.verdict = 'believed' AND e.type <> :void AND NOT EXISTS (
    SELECT 1 FROM stops s WHERE s.device = r.device AND s.released_ns IS NULL)
"""


class _Credulous(Collector):
    """Takes every record as verified."""

    def _store(self, frame: Frame, wire: bytes, seal: str, proof: Proof | None) -> bool:
        return super()._store(frame, wire, VERIFIED, proof)


class _Clock:
    """Time as it is set."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def mono_ns(self) -> int:
        return int(self.now_s * 1_000_000_000)

    wall_ns = mono_ns


class Desk:
    """One table's collector, its database, and what must stay true of it.

    settled: (device, round): values of every result that ever was settleable.
    """

    def __init__(self, store: Store, clock: _Clock) -> None:
        self.settled: dict[tuple[int, int], tuple[Any, ...]] = {}
        self._store = store
        self._clock = clock
        self._heard = Receiver()
        self.start()

    def start(self) -> None:
        """The program starts, or dies and starts again on the same file."""
        self.collector = _Credulous(self._store, lambda _: {}, lease_s=1e9)
        self._heard = Receiver()
        self._take(self.collector.session.connected(self._clock.now_s))

    def feed(self, data: bytes) -> None:
        """Bytes of the table arrive; everything that must hold is looked at."""
        self._take(self.collector.session.receive(data, self._clock.now_s))
        self._acknowledgements()
        self._settleable()

    def wait(self, seconds: float) -> None:
        """Time passes."""
        self._clock.now_s += seconds
        self._take(self.collector.session.tick(self._clock.now_s))
        self.collector.tick()

    def unplug(self) -> None:
        """The port is lost, and opened again."""
        self._take(self.collector.session.lost(self._clock.now_s, "unplugged"))
        self._heard = Receiver()
        self._take(self.collector.session.connected(self._clock.now_s))

    def _take(self, events: list[Event]) -> None:
        for event in events:
            assert not (isinstance(event, Notice) and event.kind == "store_failed"), event.text
            self.collector.take(event)
        assert self.collector.failure is None, self.collector.failure
        assert self.collector.session.state in _STATES

    def _acknowledgements(self) -> None:
        """Whatever the host says it has, it has."""
        sent = self.collector.session.outgoing()
        for frame in self._heard.feed(sent):
            assert isinstance(frame, Frame), f"the host sent no frame: {sent.hex()}"
            if frame.type == messages.ACKNOWLEDGE:
                name = (frame.device, *frame.values)
                assert self._has(name), f"{name} acknowledged and not stored"

    def _has(self, name: tuple[int, ...]) -> bool:
        where = "WHERE device = ? AND boot = ? AND counter = ?"
        tables = ("frames", "unread_records")  # read by this release, and kept as they came
        with self._store.read() as db:
            if any(
                db.exec_driver_sql(f"SELECT count(*) FROM {table} {where}", name).scalar()
                for table in tables
            ):
                return True
            # One that contradicts what is stored is in the alarm alone.
            query = "SELECT raw FROM alarms WHERE device = ? AND raw IS NOT NULL"
            refused = [bytes(raw) for raw in db.exec_driver_sql(query, name[:1]).scalars()]
        items = (item for raw in refused for item in Receiver().feed(raw))
        return any(
            name == (each.device, each.boot, each.counter)
            for item in items
            if (each := getattr(item, "frame", item)) is not None
        )

    def _settleable(self) -> None:
        """A round has one settleable result at most, and it never becomes another."""
        with self._store.read() as db:
            query = _SETTLEABLE.replace(":void", str(messages.ROUND_VOID))
            rows = db.exec_driver_sql(query).all()
        keys = set()
        for device, number, payload in rows:
            name = (device, number)
            assert name not in keys, f"two settleable results of round {number}"
            keys.add(name)
            values = tuple(json.loads(payload).values())
            assert self.settled.setdefault(name, values) == values, f"{name} changed"

    def read(self) -> None:
        """Everything there is to be listed can be listed."""
        with self._store.read() as db:
            for rows in (
                listing.round_rows,
                listing.alarm_rows,
                listing.gap_rows,
                listing.device_rows,
                listing.step_rows,
                listing.change_rows,
            ):
                list(rows(db))
            for number in {number for _, number in self.settled} | {0, 1}:
                list(listing.record_rows(db, number))
                list(listing.configuration_rows(db, number))


@cache
def _empty() -> sqlite3.Connection:
    """An empty database of this release: making one takes longer than what is tried on it."""
    connection = sqlite3.connect(":memory:")
    store = Store.open(MEMORY)
    with store.engine.connect() as db:
        raw_connection: Any = db.connection.dbapi_connection
        raw_connection.backup(connection)
    store.close()
    return connection


@contextmanager
def desk() -> Iterator[Desk]:
    """A collector on a new database in memory."""
    clock = _Clock()
    store = Store(engine_of(MEMORY), clock, lambda step: None)
    with store.engine.connect() as db:
        raw_connection: Any = db.connection.dbapi_connection
        _empty().backup(raw_connection)
    try:
        yield Desk(store, clock)
    finally:
        store.close()


def check_stream(stream: bytes) -> None:
    """Any frames, in any pieces, with waits, a lost port and a restart between them."""
    rng = random.Random(zlib.crc32(stream))
    stream = present(stream)
    with desk() as fresh_desk:
        for piece in _in_pieces(rng, stream):
            fresh_desk.feed(piece)
            kind = rng.randrange(40)
            if kind == 0:
                fresh_desk.start()
            elif kind == 1:
                fresh_desk.unplug()
            elif kind < 12:
                fresh_desk.wait(rng.choice(_PAUSES_S))
        fresh_desk.read()


def _in_pieces(rng: random.Random, stream: bytes) -> Iterator[bytes]:
    place = 0
    while place < len(stream):
        size = rng.choice((5, 60, 200))
        yield stream[place : place + size]
        place += size


def evening() -> list[bytes]:
    """The frames of a night: rounds with results, a void, a fault, a test, two boots, repeats."""
    void = (roulette.SHORT_SPIN, 3, 255, 500, 1, -1, 120, 900)
    fault = (codes.TILT, messages.INPUT_TILT, 1, 0)
    entries = [
        *played(1, 2),
        (messages.ROUND_OPENED, OPENED, 3),
        (messages.BETS_CLOSED, CLOSED, 3),
        (messages.ROUND_VOID, void, 3),
        (messages.FAULT_RAISED, fault, 3),
        (messages.FAULT_CLEARED, (codes.TILT, messages.INPUT_TILT, 500), 3),
        *played(4, 2),
    ]
    first = Repeater(DEVICE, BOOT, entries)
    second = Repeater(DEVICE, BOOT + 1, played(6, ROUNDS - 5))
    late = split(second.due())
    return [
        first.identity(bytes(8)),
        *split(first.due()),
        *split(first.due())[3:6],
        first.heartbeat(),
        second.identity(bytes(8)),
        *late,
        *split(second.due()),
        second.heartbeat(),
    ]


TRUTH = {(DEVICE, number): result(number % 37) for number in range(1, ROUNDS + 1) if number != 3}


def stream_seeds() -> list[bytes]:
    """The night in one piece, its first rounds, the vectors of the wire."""
    night = evening()
    return [lasting(b"".join(night)), lasting(b"".join(night[:8])), vectors()[0]]


def check_night(edits: bytes) -> None:
    """The night after damage to lines and frames: what can be settled is what was played."""
    text = recorded_night(edits)
    table, host = decode.Decoder(), decode.Decoder()
    decoded = list(decode.from_capture(io.BytesIO(text), table, host, commands=True))
    assert len(decoded) == table.frames + table.refused + host.frames + host.refused + sum(
        record["type"] == "skipped" and record["reason"] == "line" for record in decoded
    )
    with desk() as fresh_desk:
        for item in Reader(io.BytesIO(text)):
            if isinstance(item, Chunk) and item.direction == FROM_TABLE:
                fresh_desk.wait(0.01)
                fresh_desk.feed(item.data)
        fresh_desk.read()
    for name, values in fresh_desk.settled.items():
        assert values == TRUTH.get(name), f"{name} could be settled as {values}"


def recorded_night(edits: bytes) -> bytes:
    """The night as a capture after its edits, of four bytes each: what, where (2), how much."""
    pieces = evening()
    for start in range(0, len(edits) - 3, 4):
        _damage(
            pieces,
            edits[start] % 8,
            int.from_bytes(edits[start + 1 : start + 3]),
            edits[start + 3],
        )
    lines = recorded([piece for piece in pieces if piece]).replace(b" > ", b" < ").splitlines()
    for start in range(0, len(edits) - 3, 4):
        if edits[start] >= 224:  # the recording suffers too
            place = 1 + edits[start + 1] % (len(lines) - 1)
            lines[place] = lines[place][: edits[start + 3] % (len(lines[place]) + 1)]
    return b"\n".join(lines) + b"\n"


def _damage(pieces: list[bytes], kind: int, where: int, amount: int) -> None:
    place, inside = where % len(pieces), where // len(pieces)
    piece = bytearray(pieces[place])
    inside %= len(piece) + 1
    if kind in (0, 7) and inside < len(piece):
        piece[inside] ^= 1 << amount % 8
    elif kind == 1:
        piece[inside:inside] = random.Random(amount).randbytes(1 + amount % 32)
    elif kind == 2:
        del piece[inside : inside + 1 + amount % 8]
    elif kind == 3:
        piece = bytearray()
    elif kind == 4:
        pieces.insert(amount % len(pieces), bytes(piece))
        return
    elif kind == 5:
        other = amount % len(pieces)
        pieces[place], pieces[other] = pieces[other], pieces[place]
        return
    elif kind == 6:
        pieces[place : place + 1 + amount % 8] = [b""]
        return
    pieces[place] = bytes(piece)


def edits() -> list[bytes]:
    """No damage, and one edit of each kind."""
    return [b"", *(bytes((kind, 1, 200, 9)) for kind in (*range(8), 230))]


def mutated_edits(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """An edit more, one less, or one in place of another; some of other's."""
    parts = [data[start : start + 4] for start in range(0, len(data), 4)]
    place = rng.randrange(len(parts) + 1)
    kind = rng.randrange(4)
    if kind == 0:
        parts[place:place] = [other[start : start + 4] for start in range(0, len(other), 4)][:8]
    else:
        parts[place : place + rng.randrange(2)] = [rng.randbytes(4)] if kind > 1 else []
    return b"".join(parts)


TARGETS = (
    Target("collecting", check_stream, stream_seeds, frames, WATCHED),
    Target("night", check_night, edits, mutated_edits, WATCHED),
)
