"""A host and a table in virtual time, with an attacker on the line who has no key.

The host is the real session and the real intake of a ledger; the table is a small model that
is part of this module. The adversary may delay, drop, double and reorder every frame of both
directions, or send it again later. It forges nothing: tests of the link do that.
"""

from collections.abc import Callable
from itertools import count

from sqlalchemy import text as sql

from host_tools.tests.pit import FRENCH, HOUSE, Hand
from tableemulator.machines.keyed import KeyedTable
from tabletools import evidence
from tabletools.link import Notice, Session
from tabletools.money import cash
from tabletools.pit.table_clock import TableClock
from tabletools.store import LedgerRejection, Store
from tabletools.table import betting
from tabletools.table.betting import BetRequest
from tabletools.table.intake import Intake
from tabletools.table.terms import create_table
from tablewire import messages as m
from tablewire.cobs import unstuff
from tablewire.roulette import CLOSE_CAUSE_BALL_DETECTED, WHEEL_RESULT, WHEEL_SINGLE

MS, S = 1_000_000, 1_000_000_000
STEP_MS, POLL_MS, OPEN_BEAT_MS, BEAT_MS, REPEAT_MS, TICK_MS = 40, 80, 250, 500, 1000, 100
LIMIT_NS = 1250 * MS
SECRET = bytes(range(32))
RESULT = (1, 23, 1, 1, 1500, -1, 1, 142, 1400, 15_000, 3_000, 1, 250, -128)
TO_HOST, TO_TABLE = "<", ">"

Way = Callable[[str, int, bytes], list[int]]
"""What becomes of a frame: direction, type, bytes; how many ms each copy that arrives takes."""


class Model(KeyedTable):
    """A table that plays rounds when it is ordered to; it knows what is true."""

    def __init__(self, device: int) -> None:
        super().__init__(device, 1, SECRET)
        self.round = 0
        self.closed_ns: dict[int, int] = {}  # round: when its bets closed in truth

    def beat(self) -> bytes:
        values = (self.phase, 0, 255, 1, 142, len(self.journal), 0, 0, 180_000, 96_000)
        return self.say(m.HEARTBEAT, values, self.round)

    def turn(self, now_ns: int) -> bytes:
        """The next thing of a round happens: it opens, its bets close, the ball falls on 1."""
        if self.phase == m.PHASE_BETS_OPEN:
            self.phase = _DROPPED
            self.closed_ns[self.round] = now_ns
            closed = (CLOSE_CAUSE_BALL_DETECTED, 8_000)
            return self.say(m.BETS_CLOSED, closed, self.round)
        if self.phase == _DROPPED:
            self.phase = m.PHASE_CLOSED
            return self.say(WHEEL_RESULT, RESULT, self.round)
        self.round += 1
        self.phase = m.PHASE_BETS_OPEN
        return self.say(m.ROUND_OPENED, (WHEEL_SINGLE, 7, 300_000), self.round)


_DROPPED = m.PHASE_NO_MORE_BETS


class World:
    """Both ends and the line.

    way: what the adversary does; held: frames it recorded, to replay. accepted: (bet, round, when)
    of bets accepted as valid. loss: bets accepted too late.
    """

    def __init__(self, ledger: Store, device: int, way: Way) -> None:
        assert isinstance(ledger.clock, Hand)
        self.clock, self.way, self.device = ledger.clock, way, device
        self.ledger = ledger
        self.number = create_table(ledger, f"R{device}", FRENCH, HOUSE, device=device)
        self.ada = cash.open_account(ledger, str(device), f"ada {device}")
        cash.deposit(ledger, self.ada, 1_000_000, f"first {device}", HOUSE)
        self.keys = (f"{device} {number}" for number in count())
        self.lease = evidence.claim(ledger, self.number, "host", seconds=1e6)
        self.session = Session(
            lambda *record: self.intake.store(*record),
            keys=lambda _: {1: SECRET},
            on_frame=lambda frame: self.intake.observe(frame),
        )
        self.table_clock = TableClock(self.clock, self.session)
        self.intake = Intake(
            ledger,
            self.lease,
            made_at=self.table_clock.made_at,
            is_fresh=lambda: self.table_clock.is_fresh,
        )
        self.table = Model(device)
        self.notices: list[str] = []
        self.heard: list[tuple[str, bytes]] = []
        self.accepted: list[tuple[int, int, int]] = []
        self._flying: list[tuple[int, int, str, bytes]] = []
        self._order = count()
        self._uart = b""
        self._due_ns = dict.fromkeys(("poll", "beat", "repeat", "tick"), self.clock.mono)
        self._events(self.session.connected(self._now_s))

    # --- time ------------------------------------------------------------------------------------

    def pass_ms(self, ms: int) -> None:
        """Let both ends and the line run."""
        for _ in range(ms // STEP_MS):
            self.clock.pass_ms(STEP_MS)
            self.table.sender.advance(STEP_MS)
            self._arrive()
            if self._is_due("poll", POLL_MS):
                uart, self._uart = self._uart, b""
                self._send(TO_HOST, self.table.receive(uart))
            open_ms = OPEN_BEAT_MS if self.table.phase == m.PHASE_BETS_OPEN else BEAT_MS
            if self._is_due("beat", open_ms):
                self._send(TO_HOST, self.table.beat())
            if self._is_due("repeat", REPEAT_MS):
                self._send(TO_HOST, self.table.repeat())
            if self._is_due("tick", TICK_MS):
                self.intake.tick()
            self._events(self.session.tick(self._now_s))
            self._send(TO_TABLE, self.session.outgoing(400))

    def turn(self) -> None:
        """The next thing of a round happens at the table."""
        self._send(TO_HOST, self.table.turn(self.clock.mono))
        if self.table.phase == m.PHASE_BETS_OPEN:
            self._due_ns["beat"] = self.clock.mono  # the heartbeats come faster at once

    def again(self, index: int) -> None:
        """A frame that passed once is sent again by the adversary."""
        if self.heard:
            direction, wire = self.heard[index % len(self.heard)]
            self._flying.append((self.clock.mono, next(self._order), direction, wire))

    # --- money -----------------------------------------------------------------------------------

    def bet(self) -> str:
        """Place a bet of EUR 5 on red, which wins; returns its standing, or why it was refused."""
        now_ns = self.clock.mono
        request = BetRequest(self.ada, {"bet": "red"}, 500, next(self.keys))
        reading = self.table_clock.reading
        [receipt] = betting.place_all(self.ledger, self.lease, [request], reading=reading)
        if isinstance(receipt, LedgerRejection):
            return receipt.what
        if receipt.standing == "valid":
            [row] = self.rows("SELECT number FROM rounds WHERE id = :key", key=receipt.round)
            self.accepted.append((receipt.bet, row[0], now_ns))
            closed_ns = self.table.closed_ns.get(row[0])
            assert closed_ns is None or now_ns <= closed_ns + LIMIT_NS, "accepted too late"
        return receipt.standing

    def paid_late(self) -> list[int]:
        """Bets that came after the true end of betting and were settled by no ruling."""
        settled = {row[0] for row in self.rows("SELECT bet_id FROM settlements")}
        closed = self.table.closed_ns
        return [
            bet
            for bet, number, at_ns in self.accepted
            if bet in settled and number in closed and at_ns >= closed[number]
        ]

    def settled(self) -> int:
        """How many bets were settled."""
        settled = {row[0] for row in self.rows("SELECT bet_id FROM settlements")}
        return len([bet for bet, _, _ in self.accepted if bet in settled])

    def rows(self, text: str, **values: int) -> list[tuple]:
        """The bet as the ledger has it."""
        with self.ledger.read() as db:
            return [tuple(row) for row in db.execute(sql(text), values)]

    def state(self) -> tuple[bool, str]:
        """Whether bets are open, and why not."""
        query = "SELECT bets_open, cause FROM table_states WHERE table_id = :table"
        [(is_open, cause)] = self.rows(query, table=self.number)
        return bool(is_open), cause

    # --- the line --------------------------------------------------------------------------------

    @property
    def _now_s(self) -> float:
        return self.clock.mono / S

    def _is_due(self, what: str, every_ms: int) -> bool:
        if self.clock.mono < self._due_ns[what]:
            return False
        self._due_ns[what] = self.clock.mono + every_ms * MS
        return True

    def _send(self, direction: str, data: bytes) -> None:
        for piece in data.split(b"\0"):
            if not piece:
                continue
            wire = piece + b"\0"
            self.heard.append((direction, wire))
            for way_ms in self.way(direction, unstuff(piece)[1], wire):
                due_ns = self.clock.mono + way_ms * MS
                self._flying.append((due_ns, next(self._order), direction, wire))

    def _arrive(self) -> None:
        self._flying.sort()
        while self._flying and self._flying[0][0] <= self.clock.mono:
            _, _, direction, wire = self._flying.pop(0)
            if direction == TO_TABLE:
                self._uart += wire
            else:
                self._events(self.session.receive(wire, self._now_s))

    def _events(self, events: list) -> None:
        for event in events:
            # A refused frame stops no table here: the property holds without that.
            if not isinstance(event, Notice):
                continue
            self.notices.append(event.kind)
            if event.kind in ("offline", "taken"):
                self.intake.link_lost(self.table.sender.device, event.text)
            elif event.kind == "clock_step":
                self.intake.clock_stepped(event.step_ns, self.table.sender.device)
