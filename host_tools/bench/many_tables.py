"""Many tables at one host: until all are online, what the host costs at rest, what with rounds.

    python -m host_tools.bench.many_tables [--tables 1 16 64] [--seconds 20] [--bet-seconds 15]

One `tabletool serve` on SQLite and the tables of estate_tables, all in one process: their own end
of the wire, keys and sessions, with next to no cost. Times share the machine with those tables;
processor seconds are the kernel's own count of each process.
"""

import argparse
import json
import subprocess
import tempfile
import time
import urllib.request
from contextlib import ExitStack, contextmanager
from pathlib import Path

from host_tools.bench.estate import FIRST_DEVICE, HOUSE, SECRET, SERVE, cpu_s, python, rss_mib
from tabletools.keys import Keyring
from tabletools.keys.keyring import Key
from tabletools.store import Store, people

ONLINE_WITHIN_S = 90


class Host:
    """A host with so many tables. began: when it was started, seconds."""

    def __init__(self, stack, count, bet_s):
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.tables = python(
            "-m",
            "host_tools.bench.estate_tables",
            str(count),
            str(bet_s),
            "--at-rest",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        stack.enter_context(_end(self.tables))
        ports = json.loads(self.tables.stdout.readline())
        self.place = folder / "pit.ledger"
        ledger = Store.open(self.place)
        people.create_user(ledger, "Sue", "supervisor", "no password", HOUSE)
        ledger.close()
        config = folder / "host.toml"
        config.write_text("\n".join(_settings(folder, ports)) + "\n")
        log = stack.enter_context((folder / "log").open("w"))
        self.began = time.monotonic()
        self.process = python(
            "-c", SERVE, "serve", "--config", str(config), stdout=subprocess.PIPE, stderr=log
        )
        stack.enter_context(_end(self.process))
        self._address = self.process.stdout.readline().split()[-1]

    def online(self):
        """How many tables answer, by its metrics."""
        with urllib.request.urlopen(f"{self._address}/metrics", timeout=60) as answer:
            lines = answer.read().decode().splitlines()
        return sum(line.endswith(" 1.0") for line in lines if "tablewire_table_online{" in line)

    def settled(self):
        """How many rounds were settled."""
        ledger = Store.open_existing(self.place)
        with ledger.read() as db:
            [count] = db.exec_driver_sql("SELECT count(*) FROM results").scalars()
        ledger.close()
        return count

    def cores(self, seconds):
        """Cores that the host and the tables use, each, while so many seconds pass."""
        pids = self.process.pid, self.tables.pid
        before, begun = [cpu_s([pid]) for pid in pids], time.monotonic()
        time.sleep(seconds)
        took = time.monotonic() - begun
        return [
            round((cpu_s([pid]) - was) / took, 3) for pid, was in zip(pids, before, strict=True)
        ]


def _settings(folder, ports):
    lines = [f'db = "{folder / "pit.ledger"}"', f'keys = "{folder / "keys.json"}"']
    keyring = Keyring(folder / "keys.json")
    for number, url in enumerate(ports):
        keyring.add(FIRST_DEVICE + number, Key(1, SECRET))
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
    return lines


@contextmanager
def _end(process):
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


def measure(count, options):
    """One run; returns its figures by name."""
    with ExitStack() as stack:
        host = Host(stack, count, options.bet_seconds)
        figures = {"tables": count, "listens_s": round(time.monotonic() - host.began, 1)}
        while host.online() < count:
            assert time.monotonic() < host.began + ONLINE_WITHIN_S, f"{host.online()} online"
            time.sleep(0.25)
        figures["online_s"] = round(time.monotonic() - host.began, 1)
        figures["start_cpu_s"] = round(cpu_s([host.process.pid]), 1)
        time.sleep(5)
        figures["rest_cores"], figures["rest_tables_cores"] = host.cores(options.seconds)
        host.tables.stdin.write("play\n")
        host.tables.stdin.flush()
        time.sleep(options.bet_seconds)
        before, begun = host.settled(), time.monotonic()
        figures["rounds_cores"], figures["rounds_tables_cores"] = host.cores(options.seconds)
        rounds = host.settled() - before
        figures["rounds_s"] = round(rounds / (time.monotonic() - begun), 2)
        figures["still_online"] = host.online()
        figures["host_mib"] = round(rss_mib(host.process.pid))
        return figures


def parse(argv=None):
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, nargs="+", default=[1, 16, 64])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--bet-seconds", type=float, default=15)
    return parser.parse_args(argv)


def main():
    """Run for each number of tables; one line of JSON each."""
    options = parse()
    for count in options.tables:
        print(json.dumps(measure(count, options)), flush=True)


if __name__ == "__main__":
    main()
