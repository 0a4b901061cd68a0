"""Who stakes and who rules: honest players, one who bets on numbers already known, the desk."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from hil_tests.night.hosts import NightHost
from hil_tests.night.tables import NightTable, Truth
from tabletools import money
from tabletools.evidence import alarms
from tabletools.money import Wish, books, directory, listing, waiting
from tabletools.pit.duty import Unattended
from tabletools.pit.host import TableHost
from tabletools.store import Actor, Refused, StoreError, people

HOUSE = Actor("house")
BETS = {
    "roulette": ({"bet": "red"}, {"bet": "black"}, {"bet": "dozen", "index": 2}),
    "money_wheel": ({"bet": "segment", "on": [1]}, {"bet": "segment", "on": [3]}),
}
STAKES_CENTS = (500, 1000, 2500)
PATIENCE_US = 40_000_000
"""How long a stake may wait before the desk rules on its round."""


class Players:
    """Bets of a night. placed: (bet): when it was placed in true time, and by whom."""

    def __init__(self, seed: str, say: Callable[[str, str], None]) -> None:
        self.placed_us: dict[int, int] = {}
        self.refused: dict[str, int] = {}
        self._random = random.Random(f"{seed}/players")
        self._say = say
        self._count = 0

    def act(self, host: TableHost, table: NightTable, now_us: int) -> None:
        """Perhaps somebody bets at a table."""
        draw = self._random
        cheats = draw.random() < 0.3
        wish = self._cheat(table, now_us) if cheats else draw.choice(BETS[host.place.terms.game])
        stake = draw.choice(STAKES_CENTS)
        player = "cheat" if cheats else draw.choice(("ada", "ben", "cleo"))
        if wish is None or draw.random() < 0.4:
            return
        ledger = host._duty.ledger
        try:
            lease = host.attended()
            with ledger.read() as db:
                account = books.find_player(db, player.upper())
            assert account is not None
            self._count += 1
            asked = Wish(account, wish, stake, f"night {self._count}")
            taken = money.place(ledger, lease, asked, reading=host.reading)
        except (Refused, Unattended, StoreError) as error:
            code = getattr(error, "code", type(error).__name__)
            self.refused[code] = self.refused.get(code, 0) + 1
            return
        self.placed_us[taken.bet] = now_us
        self._say(player, f"bets at {table.name}: {taken.standing}")

    def _cheat(self, table: NightTable, now_us: int) -> dict[str, Any] | None:
        """A bet on the number that just fell, in the seconds after it was seen."""
        if not table.truth:
            return None
        number = max(table.truth)
        truth = table.truth[number]
        if truth.closed_us is None or truth.is_void:
            return None
        if table.setup.role == "roulette":
            return {"bet": "straight", "numbers": [str(truth.values[0])]} if truth.values else None
        return {"bet": "segment", "on": [truth.values[0]]} if truth.values else None


class Desk:
    """Two users who look at what waits: they rule by what the camera shows, and release tables."""

    def __init__(self, tables: dict[int, NightTable], say: Callable[[str, str], None]) -> None:
        self.rulings = self.releases = 0
        self._tables = tables
        self._say = say
        self._since_us: dict[int, int] = {}

    def act(self, host: NightHost, now_us: int) -> None:
        """Look at everything once."""
        ledger, pit = host.ledger, host.pit
        if ledger is None or pit is None:
            return
        try:
            users = self._users(ledger)
            for table, seat in pit.seats.items():
                self._release(pit, table, seat.place.device, users)
            with ledger.read() as db:
                lying = waiting.stakes(db, ledger.clock.wall_ns())
                standing = directory.alarm_rows(db, standing=True, most=500)
            for row in lying:
                self._rule(pit, row, users, now_us)
            for row in standing:
                alarms.acknowledge(ledger, row["id"], Actor("Sue", users[0]), "seen")
        except (Refused, Unattended, StoreError) as error:
            self._say("desk", f"cannot: {getattr(error, 'code', type(error).__name__)}")

    def _users(self, ledger: Any) -> list[int]:
        with ledger.read() as db:
            found = {name: people.find_user(db, name) for name in ("Sue", "Dan")}
        return [int(row["id"]) for row in found.values() if row is not None]

    def _release(self, pit: Any, table: int, device: int, users: list[int]) -> None:
        intake = pit.seats[table].host.intake
        if intake is None or pit.seats[table].host.lease is None or intake.stopped(device) is None:
            return
        pit.release(table, Actor("Sue", users[0]), "looked at")
        self.releases += 1
        self._say("desk", f"releases table {table}")

    def _rule(self, pit: Any, row: dict[str, Any], users: list[int], now_us: int) -> None:
        key, why = row["round_id"], row["why"]
        since_us = self._since_us.setdefault(key, now_us)
        if why in ("runs", "plays_on") or now_us - since_us < PATIENCE_US:
            return
        if row["table_id"] not in pit.seats or pit.seats[row["table_id"]].host.lease is None:
            return
        ledger, lease = pit.ledger, pit.lease(row["table_id"])
        if why == "late":
            with ledger.read() as db:
                bets = listing.bet_rows(db, key)
            for bet in bets:
                if bet["standing"] == "referred" and bet["ruled_valid"] is None:
                    money.rule_bet(ledger, lease, bet["id"], users, "came late", is_valid=False)
                    self._say("desk", f"rules bet {bet['id']} invalid")
            return
        table = self._tables[row["device"]]
        truth = table.truth.get(row["number"])
        if truth is None or truth.ended_us is None:
            outcome: dict[str, Any] = {"void": "never ended"}
        else:
            outcome = outcome_of(table, truth)
        ruling = money.Ruling(outcome, users, "camera", 0, f"round {key}", "camera 1")
        money.rule_round(ledger, lease, key, ruling)
        self.rulings += 1
        self._say("desk", f"rules round {row['number']} of {table.name}: {outcome}")


def outcome_of(table: NightTable, truth: Truth) -> dict[str, Any]:
    """What a round came to in truth, as `tabletool settle` reads it."""
    if truth.is_void:
        return {"void": "by the table"}
    if table.setup.role == "roulette":
        return {"pocket": str(truth.values[0])}
    return {"pays": truth.values[0]}
