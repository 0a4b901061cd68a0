"""A whole pit host on a free port, with its tables, users and a client, for tests of the API."""

import re
import threading
import time
from contextlib import ExitStack, closing, contextmanager
from tempfile import TemporaryDirectory

import httpx
from argon2 import PasswordHasher

from host_tools.tests import described
from host_tools.tests.empty_ledger import open_ledger
from host_tools.tests.emulated import DEVICE, KEYS, Played
from tableemulator.machines.repeater import Served
from tabletools.api import server
from tabletools.api.app_state import AppState
from tabletools.api.auth import Auth
from tabletools.api.passwords import Passwords
from tabletools.background import in_background
from tabletools.cli.external_wallet import wallet_of
from tabletools.link import freshness
from tabletools.money import cash
from tabletools.pit.host_context import HostContext
from tabletools.pit.pit import Pit
from tabletools.pit.settings import Settings, TableSettings
from tabletools.reports.follower import Follower
from tabletools.reports.process import following
from tabletools.store import Actor, people
from tablewire.messages import BETS_CLOSED, CLOSE_CAUSE_VOID, PHASE_CLOSED

PASSWORD = "seventeen red horses"
PIN = "628413"
ROLES = ("dealer", "supervisor", "technician", "auditor", "cashier")
HOUSE = Actor("house")
_FOLDER = TemporaryDirectory()
# As cheap as argon2 gets: what a hash costs is not what is tested.
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def french(name, port, device=DEVICE, rules="hc2023"):
    """A French wheel, minimum EUR 5.00."""
    return TableSettings(name, port, device, "roulette", rules, "french", limits={"minimum": 500})


def until(condition, seconds=60.0, detail=str):
    """Wait until something is true that another thread brings about; returns it."""
    limit, nobody = time.monotonic() + seconds, threading.Event()
    while not (value := condition()):
        assert time.monotonic() < limit, f"it did not happen {detail()}"
        nobody.wait(0.005)  # lets the other thread run; what it does wakes nobody
    return value


class Host:
    """One host over a ledger. tables: of its settings; keys: of the devices.

    stale_after_ns: longer than shipped; a machine busy with other tests passes that by itself.
    follows_apart: a process maintains the read model, as shipped; else a thread, which starts at
    once and takes its turn at the interpreter.
    """

    def __init__(
        self,
        place,
        tables=(),
        *,
        keys=KEYS,
        clock=None,
        at=lambda step: None,
        stale_after_ns=20 * freshness.NS,
        hasher=CHEAP,
        follows_apart=False,
        **settings,
    ):
        self.ledger = open_ledger(place, clock=clock, at=at)
        if "://" in place:  # the key of one on PostgreSQL would be in the user's folder
            settings.setdefault("session_key", f"{_FOLDER.name}/session-key")
        # The day does not end while a test runs.
        settings.setdefault("day_ends_hour", (time.localtime().tm_hour + 12) % 24)
        self.settings = Settings(tables=tuple(tables), batch_ms=0, **settings)
        holder = f"test {id(self)}"
        duty = HostContext(
            self.ledger,
            lambda device: keys.get(device, {}),
            holder,
            self.settings.lease_s,
            0,
            stale_after_ns,
            say=lambda event, facts: self.note(event, facts),
            wallet=wallet_of(self.settings, self.ledger, self.note),
        )
        self.lines = []
        self._follows_apart = follows_apart
        self.pit = Pit(duty, self.settings)
        self.passwords = Passwords(hasher)
        self.state = AppState(
            self.pit,
            Auth(self.ledger, self.settings, self.passwords),
            self.note,
        )
        self._stack = ExitStack()
        self._reports = ExitStack()

    def note(self, event, facts):
        """Keep what the host logs."""
        self.lines.append((event, facts))

    def __enter__(self):
        sock = self._stack.enter_context(server.listening(self.settings))
        self.url = server.address_of(self.settings, sock)
        self.server = server.server_of(self.state)
        self._thread = threading.Thread(target=self.server.run, args=([sock],))
        self.pit.start()
        self.pit.context.wallet.start()
        self._thread.start()
        self._reports.enter_context(
            following(self.ledger, self.note) if self._follows_apart else self._following()
        )
        until(lambda: self.server.started)
        return self

    def __exit__(self, *_):
        self.stop()

    @contextmanager
    def _following(self):
        """A thread of this process maintains the read model."""
        with (
            closing(Follower(self.ledger)) as follower,
            in_background(lambda over: follower.run(over, self.note), "reports"),
        ):
            yield

    def stop(self):
        """End as a signal would; a second time it is ended already."""
        self.server.end()
        self._thread.join()
        self._reports.close()
        self.pit.context.wallet.stop()
        self.pit.stop()
        self._stack.close()

    def ready(self, table):
        """Wait until a table may open bets by order; a round that opens earlier takes none."""
        host = self.pit.seat(table).host
        until(
            lambda: host.attendance is not None and host.attendance.is_ready,
            detail=lambda: self.pit.seat(table).live.facts,
        )

    # --- people ----------------------------------------------------------------------------------

    def user(self, name, role):
        """A user with the password of the tests; returns the number."""
        password_hash = self.passwords.hashed(PASSWORD, name)
        return people.create_user(self.ledger, name, role, password_hash, HOUSE)

    def client(self, **headers):
        """A client no user is logged in with; without TLS it reads no certificates, for 50 ms."""
        client = httpx.Client(
            base_url=self.url,
            verify=False,
            headers={"Origin": self.url, **headers},
            timeout=30,
            event_hooks={"response": [described.verify]},
        )
        return self._stack.enter_context(client)

    def login(self, name):
        """A client with a login."""
        client = self.client()
        answer = client.post("/v1/login", json={"name": name, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        client.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
        return client

    def terminal(self, supervisor, table, name, cents=100_000):
        """A player with money at a terminal of the table; returns the terminal's client."""
        number = re.sub("[^0-9A-Z]", "-", name.upper())
        opened = {"player_number": number, "name": name, "pin": PIN}
        account = supervisor.post("/v1/accounts", json=opened).json()
        cash.deposit(self.ledger, account["id"], cents, name, HOUSE)
        return self.seat(supervisor, table, account["id"], f"seat of {name}")

    def seat(self, supervisor, table, account, terminal, pin=PIN):
        """A player at a terminal, by the PIN; returns the terminal's client."""
        body = {"account": account, "terminal": terminal}
        offer = supervisor.post(f"/v1/tables/{table}/sessions", json=body).json()
        client = self.client()
        seated = client.post("/v1/seat", json={"code": offer["code"], "pin": pin}).json()
        client.headers["Authorization"] = f"Bearer {seated['token']}"
        return client


class Floor:
    """One emulated table and the host that holds it. table: its number."""

    def __init__(self, place, played=None, **options):
        self._stack = ExitStack()
        self.played = Played() if played is None else played
        self.port = self._stack.enter_context(Served(self.played))
        self.host = self._stack.enter_context(
            Host(place, [french("R1", self.port.url)], **options)
        )
        [self.table] = self.host.pit.seats
        for name, role in zip(("Dan", "Sue", "Tim", "Amy", "Cas"), ROLES, strict=True):
            self.host.user(name, role)
        self.round = 0
        self.wait(lambda facts: facts["link"] == "online")

    def close(self):
        """End both."""
        self._stack.close()

    def wait(self, condition):
        """Wait until the live facts of the table are so."""
        live = self.host.pit.seat(self.table).live
        return until(lambda: condition(live.facts), detail=lambda: live.facts)

    def open(self):
        """The next round opens; returns its key."""
        self.round += 1
        self.played.open(self.round)
        self.wait(lambda facts: facts["bets_open"])
        return self.host.pit.seat(self.table).live.facts["round"]

    def _await_beats(self):
        """Wait for heartbeats: a bet before them is proved to be earlier than what follows.

        The busier the machine, the less certain the bet's time on the table's clock.
        """
        after = self.played.beats + 3
        until(lambda: self.played.beats >= after)

    def shut(self):
        """Close bets, after all that were placed."""
        self._await_beats()
        self.played.close(self.round)
        self.wait(lambda facts: not facts["bets_open"])

    def void(self):
        """The round is void while bets are open; returns when the host has given them back."""
        self._await_beats()
        self.played.order(BETS_CLOSED, (CLOSE_CAUSE_VOID, 8_000), self.round, PHASE_CLOSED)
        self.fall()

    def fall(self, pocket=None):
        """The ball falls; returns when the host has settled the round."""
        self.played.end(self.round, pocket)
        self.wait(lambda facts: any(r["number"] == self.round for r in facts["results"]))
