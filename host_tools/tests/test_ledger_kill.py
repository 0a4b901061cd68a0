"""A host that dies at every step of storing, settling and placing: nothing lost, nothing doubled.

A run of two rounds of a wheel, or of one of a shoe, is played once to count its steps; then once
for each step by a child that is killed there. The next host receives the unacknowledged records
again, and the terminals repeat every request, with the same keys.
"""

import json
import multiprocessing
import os
import shutil
import signal
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import func, select

from hil_tests.thinned import thinned
from host_tools.tests import machines, postgresql
from host_tools.tests.pit import (
    BOOT,
    DEVICE,
    DURABLE,
    FRENCH,
    RETRANSMITTED,
    START,
    VOID,
    Hand,
    Pit,
    result,
)
from host_tools.tests.throws import PROOF, SIC_BO, chunks, faces, picture, trace
from tabletools.authenticity import VERIFIED
from tabletools.evidence import Terms, claim
from tabletools.evidence.device_clock import Reading
from tabletools.evidence.stored_traces import Traces
from tabletools.money.outbox_queries import due
from tabletools.pit.second_reader import Inline, SecondReader
from tabletools.store import Actor, LedgerRejection, Store
from tabletools.store.schema.books import accounts, idempotency_keys
from tabletools.store.schema.evidence import alarms, frames
from tabletools.store.schema.play import bets, rounds
from tabletools.table import dealing
from tabletools.table.betting import BetRequest, place, withdraw
from tabletools.table.dealing import EntryRequest
from tabletools.table.intake import Intake
from tabletools.table.verify import check
from tablewire.dice_tray import DICE_RESULT
from tablewire.framing import Receiver
from tablewire.messages import (
    BETS_CLOSED,
    HEARTBEAT,
    PHASE_CLOSED,
    ROUND_OPENED,
    ROUND_VOID,
)
from tablewire.roulette import WHEEL_RESULT
from tablewire.sender import Sender

RECORDS = (
    (ROUND_OPENED, (1, 7, 60_000), 1),
    (BETS_CLOSED, (1, 8_000), 1),
    (WHEEL_RESULT, result(1), 1),
    (ROUND_OPENED, (1, 7, 60_000), 2),
    (BETS_CLOSED, (6, 8_000), 2),
    (ROUND_VOID, VOID, 2),
)
CARDS = "4H 5C 5D 2D".split()  # punto 9, banco 7
SHOE_RECORDS = (
    (ROUND_OPENED, (8, 8, 60_000), 1),
    (BETS_CLOSED, (1, 8_000), 1),
    *((*record, 1) for record in [*machines.dealt(CARDS), machines.ended(CARDS)]),
)
BLACKJACK = Terms("blackjack", "hc2023", None, {"minimum": 500})
PUNTO = Terms("punto_banco", "hc2023", None, {"minimum": 500})
BEAT = (PHASE_CLOSED, 0, 255, 1, 142, 0, 0, 0, 180_000, 96_000)
ADA, BEN = "ada", "ben"


def wire_of(counter, ident, values, number, flags):
    sender = Sender(DEVICE, BOOT)
    sender.counter, sender.round = counter - 1, number
    sender.advance(1000 * counter)
    return sender.build(ident, values, flags)


class Night:
    """The two rounds at one place, by one host. done: a file of what returned; it outlives it."""

    terms, records, settled, keys = FRENCH, RECORDS, [1, 1], set("abcdefg")

    def __init__(self, place, done, *, at=lambda step: None, again=False):
        self.done = Path(done)
        self.known = self.done.read_text().split() if again else []
        self.clock = Hand()
        self.clock.ahead = START + (60_000_000_000 if again else 0)
        self.ledger = Store.open(place, clock=self.clock)
        self.table, self.players = 1, self._players()
        lease = claim(self.ledger, self.table, "host a")
        self.intake = Intake(self.ledger, lease)
        self.lease = lease
        self.ledger.at = at
        self.again = again

    def _players(self):
        with self.ledger.read() as db:
            columns = accounts.c
            return dict(
                db.execute(select(columns.name, columns.id).where(columns.kind == "player")).all()
            )

    def play(self):
        """Records and requests in their order."""
        self.receive(wire_of(1, HEARTBEAT, BEAT, 0, 0))
        self.store(0)
        self.bet("a", ADA, "red", 1000)
        first = self.bet("b", BEN, "black", 500)
        self.bet("c", BEN, "red", 1500, replaces=first)
        second = self.bet("d", ADA, "odd", 500)
        self.close_stakes("e", ADA, second)
        self.store(1)
        self.bet("f", BEN, "low", 500)  # late: referred
        self.store(2)
        self.store(3)
        self.bet("g", ADA, "high", 2000)
        self.store(4)
        self.store(5)
        self.receive(wire_of(8, HEARTBEAT, BEAT, 0, 0))
        self.ledger.close()

    def receive(self, wire):
        [frame] = Receiver().feed(wire)
        self.intake.observe(frame)

    def store(self, index):
        """A record comes; what was not acknowledged before the crash is sent again."""
        self.uptime_ms = 1000 * (index + 2)
        name = f"record{index}"
        if name in self.known:
            return
        flags = DURABLE | (RETRANSMITTED if self.again else 0)
        wire = wire_of(index + 2, *self.records[index], flags)
        [frame] = Receiver().feed(wire)
        self.intake.observe(frame)
        self.intake.store(frame, wire, VERIFIED)
        self._note(name)

    def bet(self, key, player, bet, cents, replaces=None):
        request = BetRequest(self.players[player], {"bet": bet}, cents, key, replaces=replaces)
        try:
            reading = Reading(BOOT, self.uptime_ms + 500, 40)
            receipt = place(self.ledger, self.lease, request, reading=lambda: reading)
        except LedgerRejection:
            self._verify_may_be_refused(key)
            return None
        self._note(key)
        return receipt.bet

    def close_stakes(self, key, player, bet):
        try:
            withdraw(self.ledger, self.lease, self.players[player], bet or 0, key)
        except LedgerRejection:
            self._verify_may_be_refused(key)
            return
        self._note(key)

    def _verify_may_be_refused(self, key):
        """Only after a crash, and only what was never answered."""
        if not self.again or key in self.known:
            raise AssertionError(f"request {key} was refused")

    def _note(self, name):
        with self.done.open("a") as file:
            file.write(f"{name}\n")


class ShoeNight(Night):
    """A round of a shoe: EUR 10 on punto win, EUR 20 on banco lose, by the cards alone."""

    terms, records, settled, keys = PUNTO, SHOE_RECORDS, [1], set("abc")

    def play(self):
        self.receive(wire_of(1, HEARTBEAT, BEAT, 0, 0))
        self.store(0)
        self.bet("a", ADA, "punto", 1000)
        second = self.bet("b", BEN, "punto", 500)
        self.bet("c", BEN, "banco", 2000, replaces=second)
        for index in range(1, len(self.records)):
            self.store(index)
        self.receive(wire_of(len(self.records) + 2, HEARTBEAT, BEAT, 0, 0))
        self.ledger.close()


class DealerNight(Night):
    """A round of Black Jack that its dealer enters: the entry and the cards settle it, once."""

    terms, settled, keys = BLACKJACK, [1], set("ab")
    cards = "9H 7S 6C 8D KC 5D TS 4H".split()  # 17 and a bust against 20
    records = (
        (ROUND_OPENED, (8, 8, 60_000), 1),
        (BETS_CLOSED, (1, 8_000), 1),
        *((*record, 1) for record in [*machines.dealt(cards), machines.ended(cards)]),
    )

    def play(self):
        self.receive(wire_of(1, HEARTBEAT, BEAT, 0, 0))
        self.store(0)
        placed = [self.bet("a", ADA, "bet", 1000), self.bet("b", BEN, "bet", 500)]
        self.store(1)
        boxes = {str(n): [bet] if bet else [] for n, bet in enumerate(placed, 1)}
        self.enter(dealing.enter_layout, "layout", {"boxes": boxes})
        for index in range(2, len(self.records) - 1):
            self.store(index)
        decisions = [[1, 1, "stand"], [2, 1, "card"]]
        hands = {"outcome": {"boxes": {"1": {}, "2": {}}}, "decisions": decisions}
        self.enter(dealing.enter_hands, "hands", hands)
        self.store(len(self.records) - 1)
        self.receive(wire_of(len(self.records) + 2, HEARTBEAT, BEAT, 0, 0))
        self.ledger.close()

    def enter(self, action, key, content):
        """The dealer enters it; after the crash again, with the same key."""
        reading = Reading(BOOT, self.uptime_ms + 500, 40)
        with self.ledger.read() as db:  # on PostgreSQL what was killed may have used a number
            played = db.execute(select(rounds.c.id)).scalar_one()
        request = EntryRequest(played, Actor("house"), key, content)
        action(self.ledger, self.lease, request, reading=lambda: reading)


class DiceNight(Night):
    """A throw whose picture comes after it and is read: it is paid once, or not yet."""

    terms, settled, keys = SIC_BO, [1], set("ab")
    dice, frame = picture(0)
    records = (
        (ROUND_OPENED, (5, 3, 60_000), 1),
        (BETS_CLOSED, (1, 8_000), 1),
        (DICE_RESULT, faces(*dice, frame=frame), 1),
    )

    def play(self):
        self.receive(wire_of(1, HEARTBEAT, BEAT, 0, 0))
        self.store(0)
        self.bet("a", ADA, "small", 1000)
        self.bet("b", BEN, "big", 500)
        self.store(1)
        self.store(2)
        Traces(self.ledger).keep(DEVICE, 1, chunks(1, trace(1, self.frame)), PROOF)
        SecondReader(self.ledger, self.intake, DEVICE, Inline()).step()
        self.receive(wire_of(5, HEARTBEAT, BEAT, 0, 0))
        self.ledger.close()


class HostDiceNight(DiceNight):
    """The same where the host alone reads: nothing is settled before it has."""

    terms = SIC_BO._replace(dice_reading="host")
    records = (*DiceNight.records[:2], (DICE_RESULT, faces(frame=DiceNight.frame), 1))


NIGHTS = {
    "wheel": Night,
    "shoe": ShoeNight,
    "dealer": DealerNight,
    "dice": DiceNight,
    "host dice": HostDiceNight,
}


# Children of a server without threads: to fork the test run itself could lock one up.
FORK = multiprocessing.get_context("forkserver")
FORK.set_forkserver_preload(["host_tools.tests.test_ledger_kill"])


def in_child(action, *arguments):
    """Carry out an action in a separate process; returns how it ended."""
    child = FORK.Process(target=action, args=arguments)
    child.start()
    child.join()
    return child.exitcode


def killed_at(kind, place, done, wanted):
    """Play until the step of that number, and die there."""
    hits = 0

    def die_at(step):
        nonlocal hits
        hits += 1
        if hits == wanted:
            os.kill(os.getpid(), signal.SIGKILL)

    NIGHTS[kind](place, done, at=die_at).play()


def verify_whole(night, place, done):
    """After the second host: every record once, every round settled once, all money somewhere."""
    ledger = Store.open(place, clock=Hand())
    acknowledged = set(Path(done).read_text().split())
    with ledger.read() as db:
        assert check(db).problems == []
        assert db.execute(select(func.count()).select_from(frames)).scalar_one() == len(
            night.records
        )
        rows = db.execute(select(rounds.c.settled).order_by(rounds.c.id)).scalars()
        assert list(rows) == night.settled
        answers = db.execute(select(idempotency_keys.c.name, idempotency_keys.c.answer)).all()
        keys = {row.name for row in answers if len(row.name) == 1}
        assert acknowledged & night.keys <= keys
        bet_rows = set(db.execute(select(bets.c.id)).scalars())
        assert {json.loads(r.answer)[0] for r in answers if r.name in keys} == bet_rows
        # This table dates no record, so no withdrawal is proved to be early.
        kinds = set(db.execute(select(alarms.c.kind)).scalars())
        assert kinds <= {"late_bet", "late_withdrawal"}
        held = db.execute(
            select(func.sum(bets.c.stake_cents)).where(bets.c.standing == "referred")
        ).scalar_one()
        escrow = select(accounts.c.balance_cents).where(accounts.c.kind == "escrow")
        assert (db.execute(escrow).scalar_one_or_none() or 0) == (held or 0)
    settled = [e for e in due(ledger, "sink").events if e.type == "tablewire.round.settled"]
    assert len(settled) == len(night.settled)
    ledger.close()
    return keys


@pytest.fixture
def fresh(ledger_place, tmp_path):
    """Makes the pit again: a table, two players, no round."""

    template = tmp_path / "template"

    def make(night, number):
        place = ledger_place
        if "://" in place:
            postgresql.empty(place)
            Pit(place, terms=night.terms).ledger.close()
        else:
            if not template.exists():
                Pit(template, terms=night.terms).ledger.close()
            place = str(tmp_path / f"ledger {number}")
            shutil.copyfile(template, place)
        done = tmp_path / f"done {number}"
        done.write_text("")
        return place, str(done)

    return make


@pytest.mark.parametrize(
    ("name", "each"),
    [
        ("wheel", (30, 96)),
        ("shoe", (80, 252)),
        ("dealer", (80, 252)),
        ("dice", (30, 96)),
        ("host dice", (30, 96)),
    ],
)
def test_killed_at_every_step(fresh, capsys, name, each):
    """Steps of every transaction of the rounds; then another host, and all is whole.

    Each 30th on SQLite and each 96th on PostgreSQL, of the shoe fewer; all by `make soak`.
    """
    steps, night = [], NIGHTS[name]
    place, done = fresh(night, 0)
    night(place, done, at=steps.append).play()
    assert verify_whole(night, place, done) == night.keys
    chosen = thinned(range(1, len(steps) + 1), each["://" in place])
    for wanted in chosen:
        place, done = fresh(night, wanted)
        assert in_child(killed_at, name, place, done, wanted) == -signal.SIGKILL
        night(place, done, again=True).play()
        verify_whole(night, place, done)
    counts = Counter(steps)
    assert {"evidence", "judged", "settled", "posted", "inserted", "kept"} <= set(counts)
    with capsys.disabled():
        kind = "PostgreSQL" if "://" in place else "SQLite"
        summary = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
        print(f"\n{name} killed at {len(chosen)} of {len(steps)} steps on {kind}: {summary}")
