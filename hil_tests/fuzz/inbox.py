"""Targets of the host: any stream into the inbox, and a damaged night that must settle no lie.

Both run the collector as `tabletool collect` does, on a database in memory and a clock of their
own. Every frame counts as verified, so that a result may become settleable at all.
"""

from __future__ import annotations

import io
import json
import random
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from hil_tests.emulators.repeater import CLOSED, OPENED, Repeater, played, result
from hil_tests.fuzz.engine import Target
from hil_tests.fuzz.lines import recorded
from hil_tests.fuzz.mutate import frames, lasting, present, split
from hil_tests.fuzz.wire import vectors
from tabletools import decode
from tabletools.capture import FROM_TABLE, Chunk, Reader
from tabletools.inbox import Collector, Inbox, Listing, opened
from tabletools.inbox.database import connect
from tabletools.link import Event, Notice
from tabletools.seals import VERIFIED
from tablewire import codes, messages, roulette
from tablewire.codec import Frame
from tablewire.framing import Receiver

DEVICE, BOOT, ROUNDS = 7, 3, 8
WATCHED = ("host_tools/tabletools/inbox", "host_tools/tabletools/link")
_STATES = {"closed", "waiting", "online", "offline"}
_PAUSES_S = (0.0, 0.01, 0.3, 1.5, 2.5, 30.0)


class _Credulous(Inbox):
    """Takes every record as verified."""

    def store(self, frame: Frame, wire: bytes, seal: str, key: int | None = None) -> bool:
        return super().store(frame, wire, VERIFIED, 1)


class Desk:
    """One table's collector, its database, and what must stay true of it.

    settled: (device, round): values of every result that ever was settleable.
    """

    def __init__(self, db: Any) -> None:
        self.now_s = 1000.0
        self.settled: dict[tuple[int, int], tuple[Any, ...]] = {}
        self._db = db
        self._heard = Receiver()
        self.start()

    def start(self) -> None:
        """The program starts, or dies and starts again on the same file."""
        inbox = _Credulous(self._db, mono_ns=self._now_ns, wall_ns=self._now_ns)
        self.collector = Collector(inbox, lambda _: {}, clock=lambda: self.now_s)
        self._inbox = inbox
        self._heard = Receiver()
        self._take(self.collector.session.connected(self.now_s))

    def _now_ns(self) -> int:
        return int(self.now_s * 1_000_000_000)

    def feed(self, data: bytes) -> None:
        """Bytes of the table arrive; everything that must hold is looked at."""
        self._take(self.collector.session.receive(data, self.now_s))
        self._acknowledged()
        self._settleable()

    def wait(self, seconds: float) -> None:
        """Time passes."""
        self.now_s += seconds
        self._take(self.collector.session.tick(self.now_s))

    def unplug(self) -> None:
        """The port is lost, and opened again."""
        self._take(self.collector.session.lost(self.now_s, "unplugged"))
        self._heard = Receiver()
        self._take(self.collector.session.connected(self.now_s))

    def _take(self, events: list[Event]) -> None:
        for event in events:
            assert not (isinstance(event, Notice) and event.kind == "store_failed"), event.text
            self.collector.take(event)
        assert self.collector.failure is None, self.collector.failure
        assert self.collector.session.state in _STATES
        self._inbox.take_alarms()

    def _acknowledged(self) -> None:
        """Whatever the host says it has, it has."""
        sent = self.collector.session.outgoing()
        self.collector.sent(self.now_s, ">", sent)
        for frame in self._heard.feed(sent):
            assert isinstance(frame, Frame), f"the host sent no frame: {sent.hex()}"
            if frame.type == messages.ACKNOWLEDGE:
                name = (frame.device, *frame.values)
                assert self._has(name), f"{name} acknowledged and not stored"

    def _has(self, name: tuple[int, ...]) -> bool:
        where = "WHERE device = ? AND boot = ? AND counter = ?"
        tables = ("records", "unread")  # those this release reads, and those it keeps as they came
        return any(
            self._db.execute(f"SELECT count(*) FROM {table} {where}", name).fetchone()[0]
            for table in tables
        )

    def _settleable(self) -> None:
        """A round has one settleable result at most, and it never becomes another."""
        rows = self._db.execute(
            "SELECT s.device, s.round, payload FROM settleable s JOIN records r ON r.id = s.record"
        )
        seen = set()
        for device, number, payload in rows:
            name = (device, number)
            assert name not in seen, f"two settleable results of round {number}"
            seen.add(name)
            values = tuple(json.loads(payload).values())
            assert self.settled.setdefault(name, values) == values, f"{name} changed"

    def read(self) -> None:
        """Everything there is to be listed can be listed."""
        db = self._db
        factory, listing = db.row_factory, Listing(db)
        for rows in (listing.rounds, listing.alarms, listing.gaps, listing.tables, listing.steps):
            list(rows())
        for number in {number for _, number in self.settled} | {0, 1}:
            list(listing.records(number))
            list(listing.configurations(number))
        db.row_factory = factory


def _memory() -> Any:
    return closing(opened(Path("memory"), connector=lambda _: connect("file::memory:")))


def check_stream(stream: bytes) -> None:
    """Any frames, in any pieces, with waits, a lost port and a restart between them."""
    rng = random.Random(zlib.crc32(stream))
    stream = present(stream)
    with _memory() as db:
        desk = Desk(db)
        for piece in _in_pieces(rng, stream):
            desk.feed(piece)
            kind = rng.randrange(40)
            if kind == 0:
                desk.start()
            elif kind == 1:
                desk.unplug()
            elif kind < 12:
                desk.wait(rng.choice(_PAUSES_S))
        desk.read()


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
        first.identity(bytes(8)), *split(first.due()), *split(first.due())[3:6], first.heartbeat(),
        second.identity(bytes(8)), *late, *split(second.due()), second.heartbeat(),
    ]  # fmt: skip


TRUTH = {(DEVICE, number): result(number % 37) for number in range(1, ROUNDS + 1) if number != 3}


def stream_seeds() -> list[bytes]:
    """The night in one piece, its first rounds, the vectors of the wire."""
    night = evening()
    return [lasting(b"".join(night)), lasting(b"".join(night[:8])), vectors()[0]]


def check_night(edits: bytes) -> None:
    """The night after damage to lines and frames: what can be settled is what was played."""
    text = recorded_night(edits)
    table, host = decode.Decoder(), decode.Decoder()
    told = list(decode.from_capture(io.BytesIO(text), table, host, commands=True))
    assert len(told) == table.frames + table.refused + host.frames + host.refused + sum(
        record["type"] == "skipped" and record["reason"] == "line" for record in told
    )
    with _memory() as db:
        desk = Desk(db)
        for item in Reader(io.BytesIO(text)):
            if isinstance(item, Chunk) and item.direction == FROM_TABLE:
                desk.wait(0.01)
                desk.feed(item.data)
        desk.read()
    for name, values in desk.settled.items():
        assert values == TRUTH.get(name), f"{name} could be settled as {values}"


def recorded_night(edits: bytes) -> bytes:
    """The night as a capture after its edits, of four bytes each: what, where (2), how much."""
    pieces = evening()
    for at in range(0, len(edits) - 3, 4):
        _damage(pieces, edits[at] % 8, int.from_bytes(edits[at + 1 : at + 3]), edits[at + 3])
    lines = recorded([piece for piece in pieces if piece]).replace(b" > ", b" < ").splitlines()
    for at in range(0, len(edits) - 3, 4):
        if edits[at] >= 224:  # the recording suffers too
            place = 1 + edits[at + 1] % (len(lines) - 1)
            lines[place] = lines[place][: edits[at + 3] % (len(lines[place]) + 1)]
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
    found = [data[at : at + 4] for at in range(0, len(data), 4)]
    place = rng.randrange(len(found) + 1)
    kind = rng.randrange(4)
    if kind == 0:
        found[place:place] = [other[at : at + 4] for at in range(0, len(other), 4)][:8]
    else:
        found[place : place + rng.randrange(2)] = [rng.randbytes(4)] if kind > 1 else []
    return b"".join(found)


TARGETS = (
    Target("inbox", check_stream, stream_seeds, frames, WATCHED),
    Target("night", check_night, edits, mutated_edits, WATCHED),
)
