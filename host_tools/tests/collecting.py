"""A host without money on a line to one table, for tests of `collect`: the test moves the time."""

from sqlalchemy import text

from host_tools.tests.empty_ledger import open_ledger
from host_tools.tests.pit import MS, START, Hand, S
from tableemulator.machines.keyed import KeyedTable
from tableemulator.machines.repeater import CLOSED, OPENED, result
from tabletools.evidence import listing
from tabletools.link import Notice
from tabletools.pit.collector import Collector
from tabletools.table.stops import release
from tablewire.framing import Receiver
from tablewire.messages import ACKNOWLEDGE, BETS_CLOSED, HEARTBEAT, PHASE_CLOSED, ROUND_OPENED
from tablewire.roulette import WHEEL_RESULT

__all__ = ["DEVICE", "KEYS", "SECRET", "START", "Collecting", "Hand", "S"]
SECRET = bytes(range(32))
KEYS = {7: {1: SECRET}}
DEVICE, BOOT = 7, 3


class Collecting:
    """A collector on a line. table: device 7 in boot 3, with a key unless another is given."""

    def __init__(
        self, place, table=None, *, keys=KEYS, manifest=None, clock=None, at=None, **more
    ):
        self.clock = clock or Hand()
        self.store = open_ledger(place, clock=self.clock, at=at or (lambda step: None))
        self.table = table or KeyedTable(DEVICE, 1, SECRET, BOOT)
        self.collector = Collector(
            self.store, lambda d: keys.get(d, {}), manifest=manifest, **more
        )
        self.session = self.collector.session
        self.acknowledged = []
        self.connect()

    def close(self):
        """The program ends without a word, as when it is killed."""
        self.store.close()

    # --- the line --------------------------------------------------------------------------------

    def connect(self):
        self.take(self.session.connected(self.now_s()))
        self.turn()

    def now_s(self):
        return self.clock.mono / S

    def take(self, events):
        for event in events:
            self.collector.take(event)
        return [event.kind for event in events if isinstance(event, Notice)]

    def outgoing(self):
        wire = self.session.outgoing()
        frames = Receiver().feed(wire)
        self.acknowledged += [each.values for each in frames if each.type == ACKNOWLEDGE]
        return wire

    def receive(self, wire):
        """The host receives bytes; its answers are dropped."""
        return self.take(self.session.receive(wire, self.now_s()))

    def turn(self, wire=b""):
        """Pass bytes until neither side sends more; returns the notices of the link."""
        notices = self.receive(wire)
        while wire := self.table.receive(self.outgoing()):
            notices += self.receive(wire)
        return notices

    def pass_ms(self, ms):
        """Let time pass on both sides; returns the notices of the link."""
        self.clock.pass_ms(ms)
        self.table.sender.advance(ms)
        notices = self.take(self.session.tick(self.now_s()))
        self.collector.tick()
        return notices + self.turn()

    def say(self, ident, values, number=0):
        """The table sends a frame 10 ms later."""
        return self.pass_ms(10) + self.turn(self.table.say(ident, values, number))

    def lost(self, ident, values, number=0):
        """The table sends a frame that does not arrive; returns its bytes."""
        self.pass_ms(10)
        return self.table.say(ident, values, number)

    def beat(self, phase=PHASE_CLOSED, waiting=None):
        waiting = len(self.table.journal) if waiting is None else waiting
        return self.say(HEARTBEAT, (phase, 0, 255, 1, 142, waiting, 0, 0, 180_000, 96_000))

    def round(self, number, pocket=17):
        self.say(ROUND_OPENED, OPENED, number)
        self.say(BETS_CLOSED, CLOSED, number)
        notices = self.say(WHEEL_RESULT, result(pocket), number)
        self.beat()
        return notices

    # --- what is kept ----------------------------------------------------------------------------

    def rows(self, query):
        with self.store.read() as db:
            return [tuple(row) for row in db.execute(text(query))]

    def listed(self, name, *more):
        """Rows of the listing, as `tabletool evidence` shows them."""
        with self.store.read() as db:
            return list(getattr(listing, f"{name}_rows")(db, *more))

    def kinds(self):
        return [kind for (kind,) in self.rows("SELECT kind FROM alarms ORDER BY id")]

    def bets(self):
        """Whether bets are open at the table, and why not."""
        [row] = self.rows(
            "SELECT bets_open, cause FROM table_states JOIN tables ON id = table_id"
            f" WHERE device = {DEVICE}"
        )
        return row

    def verdicts(self):
        return dict(self.rows("SELECT number, verdict FROM rounds"))

    def gaps(self, after=0):
        """Gaps in the counters, counted from one on."""
        return self.rows(
            f"SELECT first - {after}, last - {after}, closed_by FROM gaps"
            f" WHERE last > {after} ORDER BY first"
        )

    def settleable(self):
        """Device, round and pocket of every result that may be settled."""
        return [
            (row["device"], row["round"], int(row["pocket"]))
            for row in self.listed("round")
            if row["settleable"]
        ]

    def stopped(self):
        return self.collector.attendance.intake.stopped(DEVICE)

    def release(self, why="controller replaced"):
        release(self.store, DEVICE, "Tess", why)


def milliseconds(ns):
    return ns // MS
