"""What sites cost, each in a network namespace of its own with a line to that of the centre.

`python -m hil_tests.estate_sites [SITES ...] [--events 2000] [--tables 16]`, as root

Each site is a ledger, `tabletool feed` and a nats-server; the centre is a nats-server and
`tabletool estate serve`. All events of all sites are written at once. A line of JSON for each
number of sites: CPU of each part for one event, and seconds until the centre had folded all.
"""

import argparse
import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hil_tests.estate_parts import TOOL, counted
from host_tools.bench.estate import cpu_s
from host_tools.tests import nats_server
from tabletools.estate import model, nats_servers
from tabletools.evidence import Terms
from tabletools.store import Actor, Store
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.table.terms import create_table

CENTRE = "tablewire-centre"
CLIENTS, LEAVES = 4222, 7422
START_S, WITHIN_S = 60.0, 300.0
TERMS = Terms("roulette", "hc2023", "french", {"minimum": 500})


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


@contextmanager
def namespaces(sites: Sequence[str]) -> Iterator[None]:
    """A namespace for the centre and for each site: 10.77.N.1 at the centre, 10.77.N.2 there."""
    with ExitStack() as stack:
        for name in (CENTRE, *sites):
            _ip("netns", "add", name)
            stack.callback(_ip, "netns", "del", name)
            _ip("-n", name, "link", "set", "lo", "up")
        for number, site in enumerate(sites):
            peer = ("type", "veth", "peer", "name", "line", "netns", site)
            _ip("link", "add", f"line{number}", "netns", CENTRE, *peer)
            for place, line, last in ((CENTRE, f"line{number}", 1), (site, "line", 2)):
                _ip("-n", place, "address", "add", f"10.77.{number}.{last}/24", "dev", line)
                _ip("-n", place, "link", "set", line, "up")
        yield


class Parts:
    """The processes, by what they do."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._stack, self._folder = stack, folder
        self._pids: dict[str, list[int]] = {}

    def start(self, what: str, place: str, *command: str) -> None:
        """Start a process in a namespace; it is killed at the end."""
        with (self._folder / "log").open("ab") as log:
            whole = ["ip", "netns", "exec", place, *command]
            process = subprocess.Popen(whole, stdout=log, stderr=log)
        self._stack.callback(process.wait, 60)
        self._stack.callback(process.send_signal, signal.SIGKILL)
        self._pids.setdefault(what, []).append(process.pid)

    def serve(self, what: str, place: str, text: str) -> None:
        """Start a nats-server with a configuration."""
        conf = self._folder / f"{place}.conf"
        conf.write_text(text)
        self.start(what, place, str(nats_server.binary()), "-c", str(conf))

    def cpu(self) -> dict[str, float]:
        """CPU seconds of all of a kind, up to now."""
        return {what: cpu_s(pids) for what, pids in self._pids.items()}


def _wait(is_done: Callable[[], bool], seconds: float) -> float:
    """Wait for what other processes do; returns how long it took."""
    begun = time.monotonic()
    while not is_done():
        assert time.monotonic() < begun + seconds, "it did not happen"
        time.sleep(0.2)
    return time.monotonic() - begun


def _fill(place: Path, tables: int, count: int) -> None:
    """Write events of many tables in one transaction."""
    ledger = Store.open(place)
    numbers = [create_table(ledger, f"R{n}", TERMS, Actor("bench")) for n in range(tables)]
    with ledger.write() as db:
        for n in range(1, count + 1):
            enqueue(db, _settlement(n, numbers[n % tables]), ledger.clock.wall_ns())
    ledger.close()


def _settlement(n: int, table: int) -> OutboxEvent:
    """A settled round: ten bets, EUR 35 staked."""
    data: dict[str, object] = {
        "round": n,
        "device": table,
        "number": n,
        "table": table,
        "generation": 1,
    }
    data |= {"outcome": {"pocket": "17"}, "void": False, "bets": 10, "stake_cents": 3500}
    data |= {"win_cents": 1500, "back_cents": 500, "live_cents": 0, "lost_cents": 3000}
    name = f"round-{n}-1"
    return OutboxEvent(name, "tablewire.round.settled", f"round/{n}", data, table)


def measure(count: int, events: int, tables: int) -> dict[str, object]:
    """One run with so many sites; events and tables of each."""
    sites = [f"site{number}" for number in range(count)]
    secrets = {name: f"secret-of-{name}" for name in ("centre", *sites)}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="tablewire-sites-")))
        stack.enter_context(namespaces(sites))
        parts = Parts(stack, folder)
        here = f"127.0.0.1:{CLIENTS}"
        store = folder / "centre"
        text = nats_servers.of_centre(here, f"0.0.0.0:{LEAVES}", store, secrets)
        parts.serve("server of the centre", CENTRE, text)
        for number, site in enumerate(sites):
            up = f"{site}:{secrets[site]}@10.77.{number}.1:{LEAVES}"
            text = nats_servers.of_site(site, here, up, folder / site)
            parts.serve("servers of the sites", site, text)
        database = folder / "estate.db"
        named = [word for site in sites for word in ("--site", site)]
        where = ("--nats", f"nats://{here}", "--db", str(database))
        parts.start("reader", CENTRE, *TOOL, "estate", "serve", *where, *named)
        for site in sites:
            place = folder / f"{site}.ledger"
            Store.open(place).close()
            names = ("--nats", f"nats://{here}", "--site", site)
            parts.start("publishers", site, *TOOL, "feed", "--db", str(place), *names)
        _wait(database.exists, START_S)
        time.sleep(START_S / 6)  # until each has connected and is idle
        before = parts.cpu()
        for site in sites:
            _fill(folder / f"{site}.ledger", tables, events)
        centre = model.Centre.open(database)
        stack.callback(centre.close)
        took_s = _wait(lambda: counted(centre) >= count * events, WITHIN_S)
        after = parts.cpu()
    us = {what: round(1e6 * (after[what] - before[what]) / count / events) for what in after}
    sizes: dict[str, object] = {"sites": count, "tables": tables, "events": events}
    return sizes | {"seconds": round(took_s, 1), "us_an_event": us}


def main() -> None:
    """Print one line of JSON for each number of sites."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sites", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--tables", type=int, default=16)
    options = parser.parse_args()
    for count in options.sites:
        print(json.dumps(measure(count, options.events, options.tables)), flush=True)


if __name__ == "__main__":
    main()
