"""The night itself: who acts when, and which faults come. What has to hold is in `invariants`."""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from sqlalchemy import Connection, text

from hil_tests.host_view import cameras
from hil_tests.night import dishonest, invariants, two_persons
from hil_tests.night.attacker import Attacker
from hil_tests.night.causes import Causes
from hil_tests.night.dishonest import DishonestStaff
from hil_tests.night.far_ends import ManagementSystem, NightBroker, NightWebhook
from hil_tests.night.healthy import HealthyRounds
from hil_tests.night.hosts import NightHost, Premises
from hil_tests.night.invariants import SECOND_US, Invariant, View
from hil_tests.night.line import WEATHERS, NightLine
from hil_tests.night.night_roles import ROLES
from hil_tests.night.night_tables import NightTable
from hil_tests.night.staff import HOUSE, Dealer, Desk, Players
from tableemulator.chips import device_of
from tableemulator.machines.dice_tray.rendering import Die
from tableemulator.virtual_pit import SLICE_US, VirtualClock
from tabletools.cms import FileSink
from tabletools.cms.sinks import Sink
from tabletools.money import cash
from tabletools.pit.settings import TableSettings
from tabletools.shadow import ledger as shadows
from tabletools.store import Store, people

CALM_US = 240 * SECOND_US
"""The end of a night is calm: what faults left behind has to be put right by then."""
ATTACKED = 0.02
"""Share of looks at a line at which an attacker is on it."""
ALWAYS_US = 1 << 62
KEY = (1, bytes(range(32)))
DEPOSIT_CENTS = 1_000_000_000
PLAYERS = ("ada", "ben", "cleo", "cheat")
PIN = "628413077152"
"""Of every player; none types it in a night."""


class Broken(AssertionError):
    """Something that has to hold did not: the name of the invariant, and what is wrong."""


@dataclass
class Night:
    """One night. seed: of everything; is_quiet: without any fault; tables: names of those played.

    log: one line an event; alarms: all of the night. healthy: the healthy rounds of each table.
    """

    seed: str
    is_quiet: bool = False
    tables: Sequence[str] = tuple(ROLES)
    is_dishonest: bool = False
    """Four of the staff are dishonest, each alone."""
    log: list[str] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)
    healthy: dict[str, HealthyRounds] = field(default_factory=dict)

    def play(self, seconds: float) -> None:
        """Play so long. Raises Broken."""
        with TemporaryDirectory() as folder, self._drawn():
            end_us = int(seconds * SECOND_US)
            with self._stage(Path(folder), end_us - CALM_US if end_us > CALM_US else end_us):
                while self._clock.now_us < end_us:
                    self._slice()
                self._finish(end_us)

    # --- the parts -------------------------------------------------------------------------------

    @contextmanager
    def _drawn(self) -> Iterator[None]:
        """Tokens of beacons are drawn from the seed too, and cameras of hosts see its dice."""
        draw = random.Random(f"{self.seed}/tokens")
        with mock.patch.object(secrets, "randbelow", draw.randrange), cameras(self._lying):
            yield

    def _lying(self, name: str) -> Sequence[Die]:
        """Return the dice in the tray of a table."""
        [table] = [each.table for each in self._tables if each.name == name]
        return () if table is None else table.tray.lying

    @contextmanager
    def _stage(self, folder: Path, calm_us: int) -> Iterator[None]:
        seed = self.seed
        self._calm_us = calm_us
        self._clock = clock = VirtualClock()
        self._weather = random.Random(f"{seed}/weather")
        self._due_us: dict[str, int] = {}
        self._causes = Causes(lambda: clock.now_us)
        self._lines: dict[str, NightLine] = {}
        self._tables: list[NightTable] = []
        settings = [
            self._table(chip, name) for chip, name in enumerate(ROLES, 1) if name in self.tables
        ]
        self._systems = [
            ManagementSystem(name, seed, self._may_repeat) for name in ("broker", "webhook")
        ]
        self._events = folder / "events.jsonl"
        premises = Premises(
            folder / "night.ledger",
            clock,
            self._lines,
            settings,
            {KEY[0]: KEY[1]},
            self._make_sinks,
            self._say,
            self._causes.note,
            self._pass_time,
        )
        self._hosts = [NightHost(name, seed, premises) for name in ("host a", "host b")]
        by_device = {table.device: table for table in self._tables}
        self._players, self._dealer = Players(seed, self._say), Dealer()
        self._desk = Desk(by_device, self._say)
        self._attacker = Attacker(seed, self._say)
        self._view = View(
            by_device, self._players, self._systems, self._causes, lambda _device: premises.keys,
            DEPOSIT_CENTS, calm_us,
        )  # fmt: skip
        self._create(premises.place)
        self._dishonest = DishonestStaff(seed, self._accounts, self._say)
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

    def _table(self, chip: int, name: str) -> TableSettings:
        role, line = ROLES[name], NightLine(name, self.seed, lambda: self._clock.now_us)
        self._lines[name] = line
        self._causes.note("fault", name)  # it is switched on: cards and balls have to be declared
        if role.is_ruled:
            self._causes.note("ruled", name, lasts_us=ALWAYS_US)
        self._tables.append(
            NightTable(name, role, chip, line, self.seed, KEY, self._causes, not self.is_quiet)
        )
        if self.is_dishonest:
            self._tables[-1].hands = dishonest.HANDS
        limits = {"minimum": role.minimum_cents} if role.minimum_cents else {}
        return TableSettings(
            name,
            name,
            device_of(chip),
            *role.terms,
            limits=limits,
            options=role.options,
            dice_reading=role.dice_reading,
            dice_camera=name if role.dice_reading else "",
            dice_reference=name if role.dice_reading else "",
        )

    def _make_sinks(self) -> list[Sink]:
        broker, webhook = self._systems
        return [
            NightBroker(broker, self._clock).sink(),
            NightWebhook(webhook, self._clock).sink(),
            FileSink(self._events, name="file"),
        ]

    def _may_repeat(self, since_us: int) -> bool:
        """What was sent is not known to be where the host is killed, or its disk full."""
        return self._causes.until_us(("host", "disk"), "") >= since_us

    def _create(self, place: Path) -> None:
        """The ledger with its users and what players bring; kept open to look into."""
        self._ledger = Store.open(place, clock=self._clock)
        for name, role in (("Sue", "supervisor"), ("Dan", "dealer")):
            password_hash = dishonest.CHEAP.hash(f"of {name}") if self.is_dishonest else None
            people.create_user(self._ledger, name, role, password_hash, HOUSE)
        if self.is_dishonest:
            DishonestStaff.create(self._ledger, HOUSE)
        pin_hash = dishonest.CHEAP.hash(PIN)
        self._accounts: list[int] = []
        for name in PLAYERS:
            account = cash.open_account(self._ledger, name.upper(), name, pin_hash=pin_hash)
            self._accounts.append(account)
            cash.deposit(self._ledger, account, DEPOSIT_CENTS, f"first {name}", HOUSE)

    # --- time ------------------------------------------------------------------------------------

    def _slice(self) -> None:
        self._pass_time()
        if self._is_due("feed", 500_000):
            for host in self._hosts:
                host.feed()
        if self._is_due("dealer", 200_000):
            self._deal()
        if self._is_due("players", 700_000):
            self._bet()
        if self._is_due("desk", 10 * SECOND_US):
            self._look_after_tables()
        if self.is_dishonest and self._is_due("dishonest", 600_000):
            self._cheat()
        if self._is_due("weather", 5 * SECOND_US) and not self.is_quiet:
            self._change()
        if self._is_due("look", 2 * SECOND_US):
            self._examine(invariants.OFTEN)
        if self._is_due("verify", max(120 * SECOND_US, self._clock.now_us // 6)):
            self._examine(invariants.NOW_AND_THEN)

    def _pass_time(self) -> None:
        """Tables and hosts go on for a slice of time."""
        clock = self._clock
        target_us = clock.now_us + SLICE_US
        for table in self._tables:
            table.run_to(target_us)
            for event in table.events:
                self._say(table.name, event)
            table.events.clear()
            for order in table.orders:
                self._dealer.ask(table.name, *order)
            table.orders.clear()
        clock.now_us = max(clock.now_us, target_us)
        for host in self._hosts:
            host.step()

    def _is_due(self, name: str, every_us: int) -> bool:
        due_us = self._due_us.setdefault(name, every_us)
        if self._clock.now_us < due_us:
            return False
        self._due_us[name] = self._clock.now_us + every_us
        return True

    def _look_after_tables(self) -> None:
        """The desk's users are at the console of each host: each has the tables that it leads."""
        for host in self._hosts:
            if host.acts:
                self._desk.act(host, self._clock.now_us)

    def _cheat(self) -> None:
        for host in self._hosts:
            if host.acts:
                self._dishonest.act(host)
                for table in self._tables:
                    self._causes.note("staff", table.name, lasts_us=5 * SECOND_US)

    def _bet(self) -> None:
        for host in self._hosts:
            if host.acts and host.pit is not None and host.ledger is not None:
                for seat, table in zip(host.pit.seats.values(), self._tables, strict=True):
                    if seat.host.lease is not None:
                        now_us = self._clock.now_us
                        self._players.act(host.ledger, seat.host, table, now_us)

    def _deal(self) -> None:
        for host in self._hosts:
            if host.acts and host.pit is not None:
                for seat, table in zip(host.pit.seats.values(), self._tables, strict=True):
                    if seat.host.lease is not None:
                        for orders in (self._dealer, self._desk.orders):
                            orders.act(seat.host, table, self._clock.now_us)

    # --- faults ----------------------------------------------------------------------------------

    @property
    def _is_calm(self) -> bool:
        return self._clock.now_us > self._calm_us

    def _change(self) -> None:
        """The weather of lines, hosts, disk, clocks and sinks; at the end it is calm."""
        for line in self._lines.values():
            self._change_line(line)
        for host in self._hosts:
            self._change_host(host)
        draw, is_calm = self._weather, self._is_calm
        for system in self._systems:
            system.is_down = not is_calm and (system.is_down or draw.random() < 0.05)
            if draw.random() < 0.3:
                system.is_down = False
        if not is_calm and draw.random() < 0.01:
            self._clock.step_ns += draw.choice((-1, 1)) * draw.randint(1, 7200) * 1_000_000_000
            self._causes.note("clock")
            self._say("clock", "of the hosts steps")

    def _change_line(self, line: NightLine) -> None:
        draw = self._weather
        if self._is_calm or draw.random() < 0.3:
            line.weather = WEATHERS[0]
        elif draw.random() < 0.15:
            line.weather = draw.choice(WEATHERS)
            self._say(line.name, f"line {line.weather.name}")
        if line.weather is not WEATHERS[0]:
            cause = "replayed" if line.weather.repeated else "line"
            self._causes.note(cause, line.name, lasts_us=5 * SECOND_US)
        if line.weather is not WEATHERS[0] or not line.owner:
            since_us = self._clock.now_us - invariants.EXPLAINED_US
            self._causes.hold(invariants.FORGED, line.name, since_us, lasts_us=5 * SECOND_US)
        if not self._is_calm and draw.random() < ATTACKED:
            self._attacker.act(line)
            self._causes.note("forged", line.name)

    def _change_host(self, host: NightHost) -> None:
        draw, is_calm = self._weather, self._is_calm
        host.is_full = not is_calm and draw.random() < 0.03
        host.slow_us = 0 if is_calm or draw.random() > 0.05 else draw.randint(50, 600) * 1000
        if host.is_full or host.slow_us:
            self._causes.note("disk", lasts_us=5 * SECOND_US)
        if not host.is_up:
            if is_calm or draw.random() < 0.3:
                host.start()
                self._causes.note("host")
        elif not is_calm and draw.random() < 0.03:
            host.kill()
            self._causes.note("host")
        elif not is_calm and draw.random() < 0.03:
            frozen_us = draw.randint(1, 20) * SECOND_US
            host.frozen_until_us = self._clock.now_us + frozen_us
            self._causes.note("host", lasts_us=frozen_us)
            self._say(host.name, "freezes")

    # --- what has to hold ------------------------------------------------------------------------

    def _examine(self, wanted: Sequence[Invariant]) -> None:
        """Look whether some of what has to hold does. Raises Broken."""
        view = self._view
        with self._ledger.read() as db:
            if wanted is invariants.OFTEN:
                self._look(view, db)
                if self.is_dishonest:
                    wanted = (*two_persons.INVARIANTS, *wanted)
            for invariant in wanted:
                for problem in invariant(view, db):
                    raise Broken(f"{invariant.__name__}: {problem}")

    def _look(self, view: View, db: Connection) -> None:
        view.look(db, self._clock.now_us)
        for round_ in view.settled:
            name, by = view.tables[round_.device].name, "" if round_.by_table else " by ruling"
            outcome = "void" if round_.is_void else round_.outcome
            self._say(name, f"round {round_.number} settled{by}: {outcome}")
        for alarm in view.alarms:
            self._say(alarm.table or "pit", f"alarm {alarm.kind}")

    def _finish(self, end_us: int) -> None:
        """At the end every event is where it goes, once, and in the calm every table recovered."""
        is_calm = self._clock.now_us >= self._calm_us + CALM_US
        if self.is_quiet or is_calm:
            self._examine(invariants.OFTEN)
            self._look_after_tables()  # they see what was raised last
            self._examine(invariants.RECOVERED)
        if is_calm and self._calm_us >= CALM_US:
            self._examine((invariants.every_table_recovers,))
        for host in self._hosts:
            host.let_go()
        self._examine(invariants.OFTEN)  # now: in the ten minutes that follow every cause expires
        self._mend()
        self._deliver()
        self._read_file()
        self._examine(invariants.OFTEN)
        self._examine(invariants.NOW_AND_THEN)
        self._examine(invariants.AT_THE_END)
        self._report()

    def _mend(self) -> None:
        """Let everything that delivers events work: a short night has no calm before its end."""
        for system in self._systems:
            system.is_down = False
        for host in self._hosts:
            host.is_full, host.slow_us, host.frozen_until_us = False, 0, 0
            if not host.is_up:
                host.start()

    def _deliver(self) -> None:
        """Feed the systems until none has received anything for ten minutes."""
        idle = received = 0
        while idle < 40:
            for host in self._hosts:
                host.feed()
            self._clock.now_us += 15 * SECOND_US
            before, received = received, sum(len(system.had) for system in self._systems)
            idle = idle + 1 if received == before else 0

    def _read_file(self) -> None:
        system = ManagementSystem("file", self.seed, lambda _since_us: False)
        for line in self._events.read_bytes().splitlines():
            system.answered(system.take(line), 0)
        self._systems.append(system)

    def _report(self) -> None:
        with self._ledger.read() as db:
            differences = shadows.check(db).differences
            if differences:
                raise Broken(f"shadow: {differences[0]}")
            self.alarms = [
                f"{kind}: {message}"
                for kind, message in db.execute(text("SELECT kind, text FROM alarms ORDER BY id"))
            ]
            query = "SELECT device, count(*) FROM rounds WHERE settled > 0 GROUP BY 1"
            settled = {int(device): count for device, count in db.execute(text(query))}
        for table in self._tables:
            self.healthy[table.name] = table.healthy
            self._say(table.name, f"{settled.get(table.device, 0)} rounds settled")
            self._say(table.name, str(table.healthy))
        events = len(self._systems[0].had)
        facts = f"{self._desk.rulings} rulings, {self._desk.releases} releases"
        repeats = sum(system.repeats for system in self._systems)
        self._say("night", f"{events} events, {repeats} sent twice, {facts}")
        accepted, refused = len(self._players.accepted), self._players.refused
        if self.is_dishonest:
            answers = self._dishonest.answers
            done = {act: count for (act, code), count in answers.items() if code == "done"}
            self._say("night", f"dishonest staff: {sum(answers.values())} acts, done {done}")
        self._say("night", f"bets {accepted}, refused {refused}, forged {self._attacker.forged}")

    def _say(self, who: str, what: str) -> None:
        self.log.append(f"{self._clock.now_us / SECOND_US:10.2f} {who}: {what}")
