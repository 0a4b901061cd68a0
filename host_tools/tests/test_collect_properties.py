"""Any order, repeats and losses: the store ends with exactly what the table sent."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given, settings
from hypothesis import strategies as st

from hil_tests.thinned import share
from host_tools.tests.collecting import BOOT, DEVICE, SECRET, Collecting
from tableemulator.machines.keyed import KeyedTable
from tableemulator.machines.repeater import played

RECORDS = 9
LOST, PASSED, TWICE = 0, 1, 2
TROUBLES = """
SELECT 'alarm', text FROM alarms WHERE kind NOT IN ('link_stale', 'link_lost')
UNION ALL SELECT verdict, CAST(number AS TEXT) FROM rounds WHERE verdict != 'believed'
UNION ALL SELECT 'gap', CAST(first AS TEXT) FROM gaps WHERE closed_ns IS NULL
UNION ALL SELECT 'stop', CAST(device AS TEXT) FROM stops
"""


def frames(data):
    return [piece + b"\0" for piece in data.split(b"\0") if piece]


class Line:
    """A link on which anything may happen to a frame, either way, and a program that may die."""

    def __init__(self, folder):
        self.file = Path(folder) / "night.db"
        self.table = KeyedTable(DEVICE, 1, SECRET, BOOT)
        for ident, values, number in played(1, RECORDS // 3):
            self.table.say(ident, values, number)
        self.first = self.table.sender.counter - RECORDS
        self.host = None
        self.start()

    def start(self):
        clock = None
        if self.host is not None:
            clock = self.host.clock
            self.host.close()
        journal, self.table.journal = (
            self.table.journal,
            [],
        )  # the table sends nothing at the start
        self.host = Collecting(self.file, self.table, clock=clock)
        self.table.journal = journal

    def records(self):
        rows = self.host.rows("SELECT counter FROM frames ORDER BY counter")
        return [counter - self.first for (counter,) in rows]

    def acknowledged(self):
        return [counter - self.first for _, counter in self.table.acknowledged]

    def carry(self, order, fates, back):
        """The table sends what waits; fates: of each frame; back: of each acknowledgement."""
        wires = frames(self.table.repeat())
        for place, fate in zip(order, fates, strict=True):
            if place < len(wires):
                self.host.receive(wires[place] * fate)
        for wire, fate in zip(frames(self.host.outgoing()), back, strict=False):
            self.table.receive(wire * fate)


fate = st.sampled_from((LOST, PASSED, PASSED, TWICE))
turn = st.tuples(
    st.permutations(range(RECORDS)),
    st.lists(fate, min_size=RECORDS, max_size=RECORDS),
    st.lists(fate, max_size=2 * RECORDS),
    st.booleans(),
)


ORDERED, NONE = list(range(RECORDS)), [LOST] * RECORDS
# Of round 2 only the opening comes, then of round 3, then all the rest: round 2 is not the newest.
AHEAD = [
    (ORDERED, [*NONE[:3], PASSED, *NONE[4:]], [], False),
    (ORDERED, [*NONE[:6], PASSED, *NONE[7:]], [], False),
]


@settings(max_examples=share(40, 3), deadline=None)
@given(st.lists(turn, max_size=4))
@example(AHEAD)
def test_exactly_what_was_sent_is_stored(turns):
    """On the way nothing is acknowledged unstored; at the end nothing is lost, doubled or odd."""
    with TemporaryDirectory() as folder:
        line = Line(folder)
        for order, fates, back, dies in turns:
            line.carry(order, fates, back)
            assert set(line.acknowledged()) <= set(line.records())
            if dies:
                line.start()
        line.host.turn(line.table.repeat())
        line.host.beat()
        assert line.records() == sorted(set(line.acknowledged())) == list(range(1, RECORDS + 1))
        assert line.host.rows(TROUBLES) == []
        assert line.host.rows("SELECT count(*), min(length(raw)) > 0 FROM frames") == [
            (RECORDS, 1)
        ]
        line.host.close()


@settings(max_examples=share(40, 3), deadline=None)
@given(st.binary(max_size=60), st.integers(0, RECORDS - 1), st.integers(0, 400))
def test_noise_stores_nothing_that_was_not_sent(noise, place, bit):
    """A flipped bit or noise between the frames costs at most a frame."""
    with TemporaryDirectory() as folder:
        line = Line(folder)
        wires = frames(line.table.repeat())
        damaged = bytearray(wires[place])
        damaged[bit // 8 % len(damaged)] ^= 1 << bit % 8
        wires[place] = noise + b"\0" + bytes(damaged)
        line.host.receive(b"".join(wires))
        records = line.records()
        # The damage may have taken the delimiter, and with it the next frame.
        assert len(records) >= RECORDS - 2
        assert set(records) <= set(range(1, RECORDS + 1))
        assert line.host.rows("SELECT count(*) FROM stops") == [(0,)]
        line.host.close()
