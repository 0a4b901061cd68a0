"""The night itself: who acts when, which faults come, and what has to hold all the while."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from sqlalchemy import Connection, text

from hil_tests.chips import device_of
from hil_tests.emulators import Setup
from hil_tests.emulators.money_wheel.model import MoneyWheelSetup
from hil_tests.emulators.roulette.model import Geometry
from hil_tests.night.hosts import NightHost
from hil_tests.night.line import WEATHERS, NightLine
from hil_tests.night.people import HOUSE, Desk, Players, outcome_of
from hil_tests.night.sinks import NightSink
from hil_tests.night.tables import NightTable
from hil_tests.virtual_pit import SLICE_US, VirtualClock
from tabletools import money
from tabletools.money.verify import check
from tabletools.pit.settings import TableSettings
from tabletools.store import Store, people

SECOND_US = 1_000_000
CALM_US = 180 * SECOND_US
"""The end of a night is calm: what faults left behind has to be put right by then."""
KEY = (1, bytes(range(32)))
_FIVE = {"minimum": 500}
SETUPS: tuple[tuple[str, Setup, tuple[str, str, str]], ...] = (
    ("R1", Geometry("single"), ("roulette", "hc2023", "french")),
    ("R2", Geometry("single"), ("roulette", "hc2023", "french")),
    ("W1", MoneyWheelSetup(52), ("money_wheel", "hc2023", "")),
)


class Broken(AssertionError):
    """Something that has to hold did not."""


@dataclass
class Night:
    """One night. seed: of everything; is_quiet: without any fault; tables: names of those played.

    log: one line an event; alarms: all of the night.
    """

    seed: str
    is_quiet: bool = False
    tables: tuple[str, ...] = ("R1", "R2", "W1")
    log: list[str] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)

    def play(self, seconds: float) -> None:
        """Play so long. Raises Broken."""
        with TemporaryDirectory() as folder, self._drawn(), self._stage(Path(folder)):
            end_us = int(seconds * SECOND_US)
            while self._clock.now_us < end_us:
                self._slice(end_us)
            self._finish(end_us)

    # --- the parts -------------------------------------------------------------------------------

    @contextmanager
    def _drawn(self) -> Iterator[None]:
        """Tokens of beacons are drawn from the seed too."""
        draw = random.Random(f"{self.seed}/tokens")
        with mock.patch.object(secrets, "randbelow", draw.randrange):
            yield

    @contextmanager
    def _stage(self, folder: Path) -> Iterator[None]:
        seed = self.seed
        self._clock = VirtualClock()
        self._weather = random.Random(f"{seed}/weather")
        self._due_us: dict[str, int] = {}
        self._checked = 0
        self._settled_us: dict[str, int] = {}  # when the newest round ended that a table settled
        lines, settings, place = {}, [], folder / "night.ledger"
        self._tables: list[NightTable] = []
        for chip, (name, setup, (game, rules, variant)) in enumerate(SETUPS, 1):
            if name not in self.tables:
                continue
            lines[name] = NightLine(name, seed, lambda: self._clock.now_us)
            self._tables.append(
                NightTable(name, setup, chip, lines[name], seed, KEY, not self.is_quiet)
            )
            settings.append(
                TableSettings(name, name, device_of(chip), game, rules, variant, limits=_FIVE)
            )
        self._lines = lines
        self._sinks = [NightSink(name, seed) for name in ("broker", "webhook")]
        self._hosts = [
            NightHost(
                name, seed, place, self._clock, lines, settings, {KEY[0]: KEY[1]}, self._sinks,
                self._say,
            )
            for name in ("host a", "host b")
        ]  # fmt: skip
        self._players = Players(seed, self._say)
        self._desk = Desk({table.device: table for table in self._tables}, self._say)
        self._found(place)
        self._hosts[0].start()
        try:
            yield
        finally:
            for host in self._hosts:
                if host.is_up:
                    host.stop()
            for table in self._tables:
                table.close()
            self._ledger.close()

    def _found(self, place: Path) -> None:
        """The ledger with its users and what players bring; kept open to look into."""
        self._ledger = Store.open(place, clock=self._clock)
        for name, role in (("Sue", "supervisor"), ("Dan", "dealer")):
            people.create_user(self._ledger, name, role, None, HOUSE)
        for name in ("ada", "ben", "cleo", "cheat"):
            account = money.open_account(self._ledger, name.upper(), name)
            money.deposit(self._ledger, account, 1_000_000_000, f"first {name}", HOUSE)

    # --- time ------------------------------------------------------------------------------------

    def _slice(self, end_us: int) -> None:
        clock = self._clock
        target_us = clock.now_us + SLICE_US
        for table in self._tables:
            table.run_to(target_us)
            for event in table.events:
                self._say(table.name, event)
            table.events.clear()
        clock.now_us = max(clock.now_us, target_us)
        for host in self._hosts:
            host.step()
        if self._is_due("feed", 500_000):
            for host in self._hosts:
                host.feed()
        if self._is_due("players", 700_000):
            self._bet()
        if self._is_due("desk", 10 * SECOND_US) and (acting := self._acting()) is not None:
            self._desk.act(acting, clock.now_us)
        if self._is_due("weather", 5 * SECOND_US) and not self.is_quiet:
            self._change(is_calm=clock.now_us > end_us - CALM_US)
        if self._is_due("look", 2 * SECOND_US):
            self._look()
        if self._is_due("verify", 120 * SECOND_US):
            self._verify()

    def _is_due(self, name: str, every_us: int) -> bool:
        due_us = self._due_us.setdefault(name, every_us)
        if self._clock.now_us < due_us:
            return False
        self._due_us[name] = self._clock.now_us + every_us
        return True

    def _acting(self) -> NightHost | None:
        return next((host for host in self._hosts if host.acts), None)

    def _bet(self) -> None:
        for host in self._hosts:
            if host.acts and host.pit is not None:
                for seat, table in zip(host.pit.seats.values(), self._tables, strict=True):
                    if seat.host.lease is not None:
                        self._players.act(seat.host, table, self._clock.now_us)

    # --- faults ----------------------------------------------------------------------------------

    def _change(self, *, is_calm: bool) -> None:
        """The weather of lines, hosts, disk, clocks and sinks; at the end it is calm."""
        draw = self._weather
        for line in self._lines.values():
            if is_calm or draw.random() < 0.3:
                line.weather = WEATHERS[0]
            elif draw.random() < 0.15:
                line.weather = draw.choice(WEATHERS)
                self._say(line.name, f"line {line.weather.name}")
        for host in self._hosts:
            host.is_full = not is_calm and draw.random() < 0.03
            host.slow_us = 0 if is_calm or draw.random() > 0.05 else draw.randint(50, 600) * 1000
            if not host.is_up:
                if is_calm or draw.random() < 0.3:
                    host.start()
            elif not is_calm and draw.random() < 0.03:
                host.kill()
            elif not is_calm and draw.random() < 0.03:
                host.frozen_until_us = self._clock.now_us + draw.randint(1, 20) * SECOND_US
                self._say(host.name, "freezes")
        for sink in self._sinks:
            sink.is_down = not is_calm and (sink.is_down or draw.random() < 0.05)
            if draw.random() < 0.3:
                sink.is_down = False
        if not is_calm and draw.random() < 0.01:
            self._clock.step_ns += draw.choice((-1, 1)) * draw.randint(1, 7200) * 1_000_000_000
            self._say("clock", "of the hosts steps")

    # --- what has to hold ------------------------------------------------------------------------

    def _look(self) -> None:
        """Each new settlement by a table's own word: of the true number, and no late bet paid."""
        query = """
        SELECT s.rowid, s.round_id, r.device, r.number, s.outcome, s.is_void
        FROM round_settlements s JOIN rounds r ON r.id = s.round_id
        WHERE s.rowid > :seen AND s.first_user IS NULL ORDER BY s.rowid
        """
        with self._ledger.read() as db:
            rows = db.execute(text(query), {"seen": self._checked}).all()
            for row, key, device, number, outcome, is_void in rows:
                self._checked = row
                self._verify_settlement(db, (key, device, number), json.loads(outcome), is_void)

    def _verify_settlement(
        self, db: Connection, name: tuple[int, int, int], outcome: dict[str, Any], is_void: int
    ) -> None:
        """name: row of the round, device, its number."""
        key, device, number = name
        table = next(table for table in self._tables if table.device == device)
        truth = table.truth.get(number)
        if truth is None or truth.ended_us is None:
            raise Broken(f"round {number} of {table.name} was settled and never ended")
        if not is_void and outcome != outcome_of(table, truth):
            raise Broken(f"round {number} of {table.name}: {outcome}, true is {truth.values}")
        query = (
            "SELECT bet_id, win_cents FROM settlements WHERE round_id = :key AND generation = 1"
        )
        paid = 0
        for bet, win_cents in db.execute(text(query), {"key": key}):
            placed_us = self._players.placed_us.get(bet)
            paid += win_cents
            known_us = truth.closed_us
            is_late = placed_us is not None and known_us is not None and placed_us > known_us
            if win_cents and is_late:
                raise Broken(f"bet {bet} of {table.name} was placed after no more bets, and paid")
        self._settled_us[table.name] = truth.ended_us
        shown = "void" if is_void else next(iter(outcome.values()))
        self._say(table.name, f"round {number} settled: {shown}, {paid} cents won")

    def _verify(self) -> None:
        with self._ledger.read() as db:
            problems = check(db).problems
        if problems:
            raise Broken(f"verify: {problems[:3]}")
        for sink in self._sinks:
            if sink.problems:
                raise Broken(sink.problems[0])

    def _finish(self, end_us: int) -> None:
        """At the end every event is where it goes, once, and in the calm every table recovered."""
        for table in self._tables:
            if end_us > 2 * CALM_US and self._settled_us.get(table.name, 0) < end_us - CALM_US:
                raise Broken(f"{table.name} settled no round by itself once all faults had ended")
        for host in self._hosts:
            host.let_go()
        for _ in range(40):
            for host in self._hosts:
                host.feed()
            self._clock.now_us += 15 * SECOND_US
        self._verify()
        with self._ledger.read() as db:
            self.alarms = [
                f"{kind}: {told}"
                for kind, told in db.execute(text("SELECT kind, text FROM alarms ORDER BY id"))
            ]
            [events] = db.execute(text("SELECT count(*) FROM outbox")).scalars()
            query = "SELECT device, count(*) FROM rounds WHERE settled > 0 GROUP BY 1"
            settled = {int(device): count for device, count in db.execute(text(query))}
        for sink in self._sinks:
            had = sum(map(len, sink.had.values()))
            if had != events:
                raise Broken(f"{sink.name} has {had} of {events} events")
        for table in self._tables:
            self._say(table.name, f"{settled.get(table.device, 0)} rounds settled")
        facts = f"{self._desk.rulings} rulings, {self._desk.releases} releases"
        repeats = sum(sink.repeats for sink in self._sinks)
        self._say("night", f"{events} events, {repeats} sent twice, {facts}")
        self._say("night", f"bets {len(self._players.placed_us)}, refused {self._players.refused}")

    def _say(self, who: str, what: str) -> None:
        self.log.append(f"{self._clock.now_us / SECOND_US:10.2f} {who}: {what}")
