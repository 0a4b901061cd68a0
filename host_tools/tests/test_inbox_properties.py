"""Any order, repeats and losses: the inbox ends with exactly what the table sent."""

from contextlib import closing
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from hil_tests.emulators.repeater import Repeater, played
from tabletools.inbox import Inbox, opened
from tabletools.inbox.database import connect
from tabletools.link import Session

RECORDS = 9
LOST, PASSED, TWICE = 0, 1, 2


def in_memory():
    return opened(Path("memory"), connector=lambda _: connect("file::memory:"))


def frames(data):
    return [piece + b"\0" for piece in data.split(b"\0") if piece]


def records(db):
    return [row[0] for row in db.execute("SELECT counter FROM records ORDER BY counter")]


def troubles(db):
    return db.execute(
        "SELECT 'alarm', text FROM alarms"
        " UNION ALL SELECT verdict, round FROM rounds WHERE verdict != 'believed'"
        " UNION ALL SELECT 'gap', first FROM gaps WHERE closed_ns IS NULL"
        " UNION ALL SELECT 'stop', device FROM stops"
    ).fetchall()


class Line:
    """A link on which anything may happen to a frame, either way, and a program that may die."""

    def __init__(self, db):
        self.db = db
        self.table = Repeater(7, 3, played(1, RECORDS // 3))
        self.start()

    def start(self):
        inbox = Inbox(self.db)
        self.session = Session(inbox.store, hear=inbox.hear)
        self.session.connected(0.0)

    def carry(self, order, fates, back):
        """The table sends what waits; fates: of each frame; back: of each acknowledgement."""
        wires = frames(self.table.due())
        for place, fate in zip(order, fates, strict=True):
            if place < len(wires):
                self.session.receive(wires[place] * fate, 0.0)
        for wire, fate in zip(frames(self.session.outgoing()), back, strict=False):
            self.table.receive(wire * fate)


fate = st.sampled_from((LOST, PASSED, PASSED, TWICE))
turn = st.tuples(
    st.permutations(range(RECORDS)),
    st.lists(fate, min_size=RECORDS, max_size=RECORDS),
    st.lists(fate, max_size=2 * RECORDS),
    st.booleans(),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(turn, max_size=6))
def test_exactly_what_was_sent_is_stored(turns):
    """On the way nothing is acknowledged unstored; at the end nothing is lost, doubled or odd."""
    with closing(in_memory()) as db:
        line = Line(db)
        for order, fates, back, dies in turns:
            line.carry(order, fates, back)
            assert set(line.table.acknowledged) <= set(records(db))
            if dies:
                line.start()
        line.carry(range(RECORDS), [PASSED] * RECORDS, [PASSED] * 3 * RECORDS)
        line.session.receive(line.table.heartbeat(), 0.0)
        assert records(db) == sorted(line.table.acknowledged) == list(range(1, RECORDS + 1))
        assert troubles(db) == []
        counts = db.execute("SELECT count(*), min(length(raw)) > 0 FROM records").fetchone()
        assert counts == (RECORDS, 1)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60), st.integers(0, RECORDS - 1), st.integers(0, 400))
def test_noise_stores_nothing_that_was_not_sent(noise, place, bit):
    """A flipped bit or noise between the frames costs at most a frame."""
    with closing(in_memory()) as db:
        line = Line(db)
        wires = frames(line.table.due())
        damaged = bytearray(wires[place])
        damaged[bit // 8 % len(damaged)] ^= 1 << bit % 8
        wires[place] = noise + b"\0" + bytes(damaged)
        line.session.receive(b"".join(wires), 0.0)
        kept = records(db)
        # The damage may have taken the delimiter, and with it the next frame.
        assert len(kept) >= RECORDS - 2
        assert set(kept) <= set(range(1, RECORDS + 1))
        assert db.execute("SELECT count(*) FROM stops").fetchone() == (0,)
