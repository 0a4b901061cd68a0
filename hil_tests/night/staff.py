"""Who stakes, who orders and who rules.

Honest players, one who bets on numbers already known, the dealer, the desk.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, NamedTuple

from hil_tests.night.hosts import NightHost
from hil_tests.night.night_roles import Outcome, Truth
from hil_tests.night.night_tables import NightTable
from tabletools.evidence import alarms
from tabletools.money import people_queries, play_queries
from tabletools.pit.host import TableHost
from tabletools.pit.host_context import TableUnavailable
from tabletools.pit.orders import COMMANDS
from tabletools.roles.shuffler import SHUFFLER_CODES
from tabletools.store import (
    Actor,
    Connection,
    LedgerRejection,
    Store,
    StoreError,
    people,
    user_keys,
)
from tabletools.store.user_keys import SealedKey
from tabletools.table import betting, rulings, unsettled_stakes
from tabletools.table.betting import BetRequest
from tabletools.table.unsettled_stakes import OpenStake
from tablewire import codes
from tablewire import messages as m

HOUSE = Actor("house")
STAKES_CENTS = (500, 1000, 2500)
PATIENCE_US = 40_000_000
"""How long a stake may wait before the desk rules on its round."""
ANSWER_US = 4_000_000
"""How long the dealer waits for the answer to an order."""
TRIES = 30
_ORDERS = {ident: name for name, ident in COMMANDS.items()}


class Accepted(NamedTuple):
    """A bet that was accepted. placed_us: in true time. standing: as reported to its player."""

    table: str
    round: int
    placed_us: int
    standing: str


class Players:
    """Bets of a night. accepted: by number of the bet; refused: how many, by code."""

    def __init__(self, seed: str, say: Callable[[str, str], None]) -> None:
        self.accepted: dict[int, Accepted] = {}
        self.refused: dict[str, int] = {}
        self._random = random.Random(f"{seed}/players")
        self._say = say
        self._count = 0

    def act(self, ledger: Store, host: TableHost, table: NightTable, now_us: int) -> None:
        """Perhaps somebody bets at a table."""
        draw = self._random
        cheats = draw.random() < 0.3
        wish = _known_winner(table) if cheats else draw.choice(table.role.bets)
        stake = draw.choice(STAKES_CENTS)
        player = "cheat" if cheats else draw.choice(("ada", "ben", "cleo"))
        if wish is None or draw.random() < 0.4:
            return
        try:
            lease = host.attended()
            with ledger.read() as db:
                [seated] = people_queries.player_rows(db, player.upper())
            self._count += 1
            asked = BetRequest(seated.id, wish, stake, f"night {self._count}")
            receipts = betting.place(ledger, lease, asked, reading=host.reading)
        except (LedgerRejection, TableUnavailable, StoreError) as error:
            code = getattr(error, "code", type(error).__name__)
            self.refused[code] = self.refused.get(code, 0) + 1
            return
        self.accepted[receipts.bet] = Accepted(
            table.name, receipts.round, now_us, receipts.standing
        )
        self._say(player, f"bets at {table.name}: {receipts.standing}")


def _known_winner(table: NightTable) -> dict[str, Any] | None:
    """A bet on what just fell, in the seconds after it was seen."""
    if not table.truth:
        return None
    number = max(table.truth)
    truth = table.truth[number]
    if truth.closed_us is None or truth.ended_us is None or truth.is_void:
        return None
    outcome = outcome_of(table, number, truth)
    return None if "void" in outcome else table.role.wins(outcome)


def outcome_of(table: NightTable, number: int, truth: Truth) -> Outcome:
    """What a round came to in truth, as `tabletool settle` reads it."""
    name = f"{table.seed}/{table.name}/{number}"
    if not truth.is_void:
        return table.role.outcome(truth, name)
    void = {"void": f"by the table, code {truth.reason}"}
    if table.role.is_ruled and truth.closed_us is not None and truth.reason in SHUFFLER_CODES:
        return {**table.role.outcome(truth, name), **void}
    return void


@dataclass
class _Order:
    """An order of a croupier. again_us: when it is given next; answer: what the host waits for."""

    ident: int
    values: tuple[int, ...]
    again_us: int = 0
    tries: int = 0
    answer: Future[Any] | None = None


class Dealer:
    """Gives orders to tables through their host, again until the table answers each."""

    def __init__(self) -> None:
        self._orders: dict[str, _Order] = {}

    def ask(self, table: str, ident: int, values: tuple[int, ...]) -> None:
        """Have an order given; what that table was to do before no longer matters."""
        if ident in _ORDERS:
            self._orders[table] = _Order(ident, values)

    def act(self, host: TableHost, table: NightTable, now_us: int) -> None:
        """Give what has to be given at a table."""
        order = self._orders.get(table.name)
        if order is None:
            return
        if order.answer is not None and order.answer.done():
            answer, order.answer = order.answer, None
            if not answer.cancelled() and answer.exception() is None:
                is_refused = answer.result().type == m.REFUSAL
                if not is_refused or order.tries > TRIES:
                    del self._orders[table.name]
                    return
            order.again_us = now_us + ANSWER_US // 4
        if now_us < order.again_us:
            return
        if order.answer is not None:
            order.answer.cancel()  # of a host that was killed
        number = 0 if order.ident == m.OPEN_BETS else max(table.truth, default=0)
        order.answer = host.orders.give(_ORDERS[order.ident], order.values, number)
        order.again_us, order.tries = now_us + ANSWER_US, order.tries + 1


class Desk:
    """Two users who look at what waits: they rule by what the camera shows, and release tables.

    orders: what they have tables do, beside their dealers.
    """

    def __init__(self, tables: dict[int, NightTable], say: Callable[[str, str], None]) -> None:
        self.rulings = self.releases = 0
        self.orders = Dealer()
        self._tables = tables
        self._say = say
        self._since_us: dict[tuple[int, str], int] = {}
        self._keys: dict[str, user_keys.PrivateKey] = {}

    def act(self, host: NightHost, now_us: int) -> None:
        """Look at everything once."""
        ledger, pit = host.ledger, host.pit
        if ledger is None or pit is None:
            return
        for locked in self._tables.values():
            if codes.LINK_TAMPERED in locked.faults:
                self.orders.ask(locked.name, m.CLEAR_FAULT, (codes.LINK_TAMPERED,))
        try:
            users = self._users(ledger)
            for table, seat in pit.seats.items():
                self._release(pit, table, seat.place.device, users)
            with ledger.read() as db:
                lying = unsettled_stakes.stakes(db, ledger.clock.wall_ns())
                search = people_queries.AlarmSearch(most=500)
                standing = people_queries.alarm_rows(db, ledger.clock.wall_ns(), search)
            for stake in lying:
                self._rule(pit, stake, users, now_us)
            for row in standing:
                if row["acknowledged_ns"] is not None:
                    continue
                alarms.acknowledge(ledger, row["id"], users[0], "seen")
        except (LedgerRejection, TableUnavailable, StoreError) as error:
            self._say("desk", f"cannot: {getattr(error, 'code', type(error).__name__)}")

    def _users(self, ledger: Any) -> list[Actor]:
        with ledger.read() as db:
            users = {name: people.find_user(db, name) for name in ("Sue", "Dan")}
        both = [Actor(row.name, row.id) for row in users.values() if row is not None]
        return [self._with_key(ledger, who) for who in both]

    def _with_key(self, ledger: Any, who: Actor) -> Actor:
        """Return a user who signs, with a key that lasts the night."""
        private = self._keys.setdefault(who.name, user_keys.PrivateKey.generate())

        def write(db: Connection) -> Actor:
            stored = user_keys.present(db, who.user or 0)
            number = None if stored is None else stored.number
            return user_keys.store(db, who, SealedKey(private, b"salt", b"sealed", number), 0)

        signing: Actor = ledger.run(write)
        return signing

    def _release(self, pit: Any, table: int, device: int, users: list[Actor]) -> None:
        intake = pit.seats[table].host.intake
        if intake is None or pit.seats[table].host.lease is None or intake.stopped(device) is None:
            return
        pit.release(table, users[0], "looked at")
        self.releases += 1
        self._say("desk", f"releases table {table}")

    def _rule(self, pit: Any, row: OpenStake, users: list[Actor], now_us: int) -> None:
        key, why, table = row.round_id, row.why, self._tables[row.device]
        since_us = self._since_us.setdefault((key, why), now_us)
        truth = table.truth.get(row.number)
        has_ended = truth is not None and truth.ended_us is not None
        is_held = truth is not None and truth.is_undone
        patience_us = 0 if has_ended and (table.role.is_ruled or is_held) else PATIENCE_US
        if why in ("runs", "plays_on") or now_us - since_us < patience_us:
            return
        if row.table_id not in pit.seats or pit.seats[row.table_id].host.lease is None:
            return
        ledger, lease = pit.ledger, pit.lease(row.table_id)
        if why == "late":
            with ledger.read() as db:
                bets = play_queries.bet_rows(db, key)
            for bet in bets:
                if bet["standing"] == "referred" and bet["ruled_valid"] is None:
                    late = rulings.BetRuling(
                        bet["id"], False, users, "came late", f"bet {bet['id']}"
                    )
                    rulings.rule_bet(ledger, lease, late)
                    self._say("desk", f"rules bet {bet['id']} invalid")
            return
        if truth is None or not has_ended:
            outcome: Outcome = {"void": "never ended"}
        else:
            outcome = outcome_of(table, row.number, truth)
        preview = rulings.preview_round(ledger, key, outcome, Actor("desk"))
        proof = f"round {key}", "camera 1", preview.digest
        ruling = rulings.Ruling(outcome, users, "camera", 0, *proof)
        rulings.rule_round(ledger, lease, key, ruling)
        self.rulings += 1
        self._say("desk", f"rules round {row.number} of {table.name}: {outcome}")
