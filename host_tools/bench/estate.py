"""The processes of the estate bench: database, broker, hosts, tables; what they cost and hold."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

from host_tools.tests import mosquitto, postgresql
from host_tools.tests.terminals import open_seat, write_session_key
from tabletools.evidence import Terms
from tabletools.keys import Keyring
from tabletools.keys.keyring import Key
from tabletools.money import cash
from tabletools.store import Actor, Store, people
from tabletools.table.terms import create_table

ROOT = Path(__file__).resolve().parents[2]
HOUSE = Actor("bench")
FIRST_DEVICE = 1000
SECRET = bytes(range(32))
LAST_S = 120.0
"""For all tables to be held, or their last rounds to be acknowledged."""
TICKS = os.sysconf("SC_CLK_TCK")
SERVE = "from tabletools.cli.main import main; main()"
Process = Any
"""A `subprocess.Popen` of text, with pipes."""
TERMS = Terms("roulette", "hc2023", "french", {"minimum": 500})


def python(*words: str, **more: Any) -> Process:
    """Start a process of this Python."""
    return subprocess.Popen([sys.executable, *words], cwd=ROOT, text=True, **more)


def cpu_s(pids: Iterable[int]) -> float:
    """Processor seconds so far of processes that are still there."""
    total = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15]))  # its own, and of children that ended
    return total / TICKS


def rss_mib(pid: int) -> float:
    """Memory of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


class Estate:
    """Everything of one run. tokens: of the bettors, table by table."""

    def __init__(self, stack: ExitStack, options: Any, tables: int) -> None:
        self.options, self.count = options, tables
        self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        # A host opens 20, what runs beside it some more.
        self.cluster = postgresql.Cluster(is_durable=True, connections=30 * options.hosts + 20)
        stack.callback(self.cluster.remove)
        self.place = self.cluster.url(self.cluster.new_database())
        self.broker = None
        if mosquitto.binary() is not None:
            self.broker = mosquitto.Mosquitto(self.folder / "broker").start()
            stack.callback(self.broker.stop)
        self.tables = python(
            "-m",
            "host_tools.bench.estate_tables",
            str(tables),
            str(options.bet_seconds),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        stack.callback(self._end, self.tables)
        self.ports = json.loads(self.tables.stdout.readline())
        self.tokens = self._fill()
        self.hosts: list[Process] = []

    def _fill(self) -> list[str]:
        """Tables, players with money, terminals; returns their tokens."""
        ledger = Store.open(self.place)
        tokens: list[str] = []
        for number in range(self.count):
            device = FIRST_DEVICE + number
            table = create_table(ledger, f"R{number}", TERMS, HOUSE, device=device)
            for seat in range(self.options.bettors):
                name = f"player {number}-{seat}"
                account = cash.open_account(ledger, f"{number}-{seat}", name, pin_hash=name)
                cash.deposit(ledger, account, 10**9, name, HOUSE)
                tokens.append(f"token {name}")
                open_seat(ledger, tokens[-1], account, table, name, name)
        people.create_user(ledger, "Sue", "supervisor", "no password", HOUSE)
        ledger.close()
        keyring = Keyring(self.folder / "keys.json")
        for number in range(self.count):
            keyring.add(FIRST_DEVICE + number, Key(1, SECRET))
        return tokens

    def start_hosts(self, stack: ExitStack) -> None:
        """Start every host; returns when each table is held."""
        lines = [
            f'db = "{self.place}"',
            f'keys = "{self.folder}/keys.json"',
            f"lease_s = {self.options.lease_s}",
            f'session_key = "{write_session_key(self.folder)}"',
            *([f'mqtt = "{self.broker.url}"'] if self.broker else []),
            "mqtt_wait_for_reader = false",
        ]
        for number, url in enumerate(self.ports):
            lines += [
                "[[table]]",
                f'name = "R{number}"',
                f'port = "{url}"',
                f"device = {FIRST_DEVICE + number}",
                'game = "roulette"',
                'rules = "hc2023"',
                'variant = "french"',
                "limits.minimum = 500",
            ]
        self._config = self.folder / "host.toml"
        self._config.write_text("\n".join(lines) + "\n")
        self.hosts = [self._start_host(number) for number in range(self.options.hosts)]
        stack.callback(self.end_hosts)
        self.listens = [self._port_of(host) for host in self.hosts]
        self.wait(lambda: sum(map(self.held_by, range(len(self.hosts)))) == self.count, LAST_S)

    def _start_host(self, number: int, port: int = 0) -> Process:
        """Start a host, at a free port if none is named."""
        with (self.folder / f"log {number}").open("a") as log:
            where = ("--config", str(self._config), "--port", str(port))
            return python("-c", SERVE, "serve", *where, stdout=subprocess.PIPE, stderr=log)

    @staticmethod
    def _port_of(host: Process) -> int:
        return int(host.stdout.readline().rpartition(":")[2])

    def kill(self, number: int) -> None:
        """Kill a host."""
        self.hosts[number].kill()
        self.hosts[number].wait()
        self.hosts[number].stdout.close()

    def start_again(self, number: int) -> None:
        """Start a host that was killed, at its port; returns when it listens."""
        self.hosts[number] = self._start_host(number, self.listens[number])
        self._port_of(self.hosts[number])

    def end_hosts(self) -> None:
        """End those that run, whatever one of them does."""
        with ExitStack() as stack:
            for host in self.hosts:
                stack.callback(self._end, host)

    def held_by(self, number: int) -> int:
        """Tables that a host holds, as its metrics tell."""
        where = f"http://127.0.0.1:{self.listens[number]}/metrics"
        with urllib.request.urlopen(where, timeout=LAST_S) as answer:
            lines = answer.read().decode().splitlines()
        return sum(line.endswith(" 1.0") for line in lines if "tablewire_table_held{" in line)

    def ask(self, query: str, **values: object) -> Any:
        """One value from the database."""
        engine = create_engine(self.place.replace("://", "+psycopg://"))
        with engine.connect() as db:
            value = db.execute(text(query), values).scalar_one()
        engine.dispose()
        return value

    def wait(self, condition: Callable[[], object], seconds: float) -> float:
        """Wait for something that another process brings about; returns how long it took."""
        begun = time.monotonic()
        while not condition():
            assert time.monotonic() < begun + seconds, "it did not happen"
            time.sleep(0.05)
        return time.monotonic() - begun

    def pids(self) -> tuple[list[int], list[int]]:
        """Of the hosts, and of the server with its sessions."""
        main = int((self.cluster.data / "postmaster.pid").read_text().split()[0])
        pids = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        return [host.pid for host in self.hosts], [main, *map(int, pids)]

    @staticmethod
    def _end(process: Process) -> None:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        if process.stdin and not process.stdin.closed:
            process.stdin.close()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        if process.stdout:
            process.stdout.close()
