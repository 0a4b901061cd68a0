"""A casino table with players, for tests of the ledger: one device, its records, a given time."""

from itertools import count

from sqlalchemy import select

from host_tools.tests.empty_ledger import open_filled, open_ledger
from tableemulator.machines import repeater
from tabletools import evidence
from tabletools.authenticity import VERIFIED
from tabletools.evidence import Terms
from tabletools.evidence.device_clock import Reading
from tabletools.evidence.rounds import by_key
from tabletools.money import cash
from tabletools.store import Actor, books, people
from tabletools.store.schema.evidence import alarms
from tabletools.store.schema.play import rounds
from tabletools.table import betting, rulings
from tabletools.table.betting import BetRequest
from tabletools.table.intake import Intake
from tabletools.table.rulings import preview_round
from tabletools.table.slips import SLIP_FIELDS
from tabletools.table.terms import create_table
from tablewire.framing import Receiver
from tablewire.messages import (
    BETS_CLOSED,
    CLOSE_CAUSE_VOID,
    HEARTBEAT,
    PHASE_BETS_OPEN,
    PHASE_CLOSED,
    ROUND_OPENED,
    ROUND_VOID,
)
from tablewire.roulette import CLOSE_CAUSE_BALL_DETECTED, WHEEL_RESULT
from tablewire.sender import Sender

S, MS = 1_000_000_000, 1_000_000
START = 1_800_000_000 * S  # 2027-01-15T08:00:00Z
DEVICE, BOOT = 7, 3
DURABLE, TEST_MODE, RETRANSMITTED = 2, 4, 8
HOUSE = Actor("house")
FULL = 100_000  # what each player begins with
PIN_HASH = "of a PIN"
# hc2023, French wheel, minimum EUR 5.00 and the printed maximum of EUR 10,000 a chance.
FRENCH = Terms("roulette", "hc2023", "french", {"minimum": 500})
# Layout (PROTOCOL.md), requirement, longest time for bets.
OPENED = {
    "roulette": (1, 7, 60_000),
    "money_wheel": (3, 4, 60_000),
    "sic_bo": (5, 3, 60_000),
    "keno": (7, 20, 60_000),
    "bingo": (7, 20, 60_000),
    "cards": (8, 8, 60_000),
    "shuffler": (6, 1, 60_000),
}
VOID = (404, 1, 255, 65535, 0, 0, 65535, 65535)


def result(pocket):
    """The values of a wheel_result of a valid spin of a single-zero wheel."""
    return repeater.result(pocket, "single")


def all_rounds(db):
    """The keys of every round."""
    return list(db.execute(select(rounds.c.id)).scalars())


class Hand:
    """A clock that a test moves."""

    def __init__(self):
        self.mono = 0
        self.ahead = START

    def wall_ns(self):
        return self.mono + self.ahead

    def mono_ns(self):
        return self.mono

    def pass_ms(self, ms):
        self.mono += ms * MS


def open_account(ledger, name, cents=FULL):
    """A player with money; returns the account."""
    account = cash.open_account(ledger, name.upper(), name, pin_hash=PIN_HASH)
    cash.deposit(ledger, account, cents, f"first {name}", HOUSE)
    return account


def fill(ledger, terms):
    """A table, two players with EUR 1,000.00 each, two users; returns the keys of all."""
    table = create_table(ledger, "R1", terms, HOUSE, device=DEVICE)
    accounts = [open_account(ledger, name) for name in ("ada", "ben")]
    users = [
        people.create_user(ledger, name, role, None, HOUSE)
        for name, role in (("Sue", "supervisor"), ("Dan", "dealer"))
    ]
    return table, accounts, users


class Pit:
    """One table, device 7 in boot 3, one host, two players with EUR 1,000.00 each."""

    synced_ms = 0

    def __init__(self, place, *, terms=FRENCH, at=None, holder="host a"):
        self.clock = Hand()
        self.game = terms.game
        if at is None:
            self.ledger, keys = open_filled(place, fill, terms, clock=self.clock)
        else:  # every step of filling counts
            self.ledger = open_ledger(place, clock=self.clock, at=at)
            keys = fill(self.ledger, terms)
        self.table, (self.ada, self.ben), users = keys
        self.users = [*users]
        self.both = [
            Actor(name, user) for name, user in zip(("Sue", "Dan"), self.users, strict=True)
        ]
        self.keys = (f"key {number}" for number in count())
        self.device = Sender(DEVICE, BOOT)
        self.attach(holder)

    def player(self, name, cents=FULL):
        """A player with money; returns the account."""
        return open_account(self.ledger, name, cents)

    def attach(self, holder="host a"):
        """A host claims the table and receives its frames."""
        self.lease = evidence.claim(self.ledger, self.table, holder)
        self.intake = Intake(self.ledger, self.lease)
        self.beat(PHASE_CLOSED)

    # --- the device ------------------------------------------------------------------------------

    def uptime_ms(self):
        """What the device's clock shows; it runs with that of the host."""
        now_ms = self.clock.mono // MS
        self.device.advance(now_ms - self.synced_ms)
        self.synced_ms = now_ms
        return self.device.uptime_high << 16 | self.device.uptime_low

    def show(self, uptime_ms):
        """The device's clock shows that now."""
        self.synced_ms = self.clock.mono // MS
        self.device.uptime_low, self.device.uptime_high = uptime_ms & 0xFFFF, uptime_ms >> 16

    def reading(self):
        """What a host that knows the device's clock to the millisecond reads."""
        return Reading(self.device.boot, self.uptime_ms(), 0)

    def frame(self, ident, values, number=0, *, flags=DURABLE):
        """Bytes of the next frame of the device."""
        self.uptime_ms()
        self.device.round = number
        return self.device.build(ident, values, flags)

    def receive(self, wire, seal=VERIFIED):
        """The host receives a frame; returns whether a record was new."""
        [frame] = Receiver().feed(wire)
        self.intake.observe(frame)
        return self.intake.store(frame, wire, seal) if frame.flags & DURABLE else None

    def say(self, ident, values, number=0, *, flags=DURABLE, seal=VERIFIED):
        """The device sends a frame 10 ms later."""
        self.clock.pass_ms(10)
        return self.receive(self.frame(ident, values, number, flags=flags), seal)

    def beat(self, phase=PHASE_BETS_OPEN, waiting=0):
        """A heartbeat."""
        self.say(HEARTBEAT, (phase, 0, 255, 1, 142, waiting, 0, 0, 180_000, 96_000), flags=0)

    def open(self, number, machine=None):
        """A round opens, at the machine on which the game is played; cards: at a shoe."""
        return self.say(ROUND_OPENED, OPENED.get(machine or self.game, OPENED["cards"]), number)

    def close(self, number):
        """No more bets."""
        return self.say(BETS_CLOSED, (CLOSE_CAUSE_BALL_DETECTED, 8_000), number)

    def end(self, number, pocket=None):
        """The ball falls, or the round is void."""
        if pocket is None:
            return self.say(ROUND_VOID, VOID, number)
        return self.say(WHEEL_RESULT, result(pocket), number)

    def play(self, number, pocket=None, *bets):
        """A whole round with bets; returns the answers to them. Void: while bets are open."""
        self.open(number)
        answers = [self.place(*bet[:3], **(bet[3] if bet[3:] else {})) for bet in bets]
        cause = CLOSE_CAUSE_VOID if pocket is None else CLOSE_CAUSE_BALL_DETECTED
        self.say(BETS_CLOSED, (cause, 8_000), number)
        self.end(number, pocket)
        return answers

    # --- the house -------------------------------------------------------------------------------

    def key(self, number):
        """The row of a round by the number the device gave it."""
        with self.ledger.read() as db:
            return db.execute(select(rounds.c.id).where(rounds.c.number == number)).scalar_one()

    def preview(self, number, outcome):
        """What a ruling would do."""
        return preview_round(self.ledger, self.key(number), outcome, Actor("Sue"))

    def rule(self, number, outcome, *, users=None, **more):
        """Two users rule on a round; returns the generation that is valid."""
        said = {"evidence": "camera 4, 21:07", "key": next(self.keys)} | more
        key = self.key(number)
        if "settled" not in said:
            with self.ledger.read() as db:
                said["settled"] = by_key(db, key).settled
        ruling = rulings.Ruling(outcome, users or self.both, "seen", **said)
        return rulings.rule_round(self.ledger, self.lease, key, ruling)

    def alarms(self):
        """Kind and text of every alarm, in order."""
        with self.ledger.read() as db:
            return db.execute(select(alarms.c.kind, alarms.c.text).order_by(alarms.c.id)).all()

    # --- players ---------------------------------------------------------------------------------

    def place_read(self, account, bet, cents, reading):
        """Request a bet while the device's clock shows this time; returns the answer."""
        requests = [self.request(account, bet, cents)]
        [answer] = betting.place_all(self.ledger, self.lease, requests, reading=lambda: reading)
        return answer

    def request(self, account, bet, cents, **more):
        """A bet request, with a unique key unless one is given."""
        slip = {"bet": bet} | {name: more.pop(name) for name in SLIP_FIELDS if name in more}
        return BetRequest(
            account, slip, cents, more.pop("key") if "key" in more else next(self.keys), **more
        )

    def place(self, account, bet, cents, **more):
        """Request a bet; returns the answer or raises."""
        return self.submit(self.request(account, bet, cents, **more))

    def submit(self, request):
        """Place a bet request; returns the answer or raises."""
        return betting.place(self.ledger, self.lease, request, reading=self.reading)

    def money(self):
        """What Ada and Ben have won or lost."""
        return self.balance(self.ada) - FULL, self.balance(self.ben) - FULL

    def balance(self, account):
        """What a player has, cents."""
        with self.ledger.read() as db:
            return books.balance(db, account)
