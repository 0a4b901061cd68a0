"""An evening of an estate with whole hosts: two sites of two hosts each, players and a centre.

`python -m hil_tests.estate_hosts [--tables 12] [--bettors 1] [--cut-s 600] [--step-s 15]`

Each site is a PostgreSQL, two `tabletool serve`, emulated tables that play by themselves and
terminals that bet over HTTP, all of them processes. One site is cut off from the centre for ten
minutes, and each part is killed once while bets go on: every host, the processes beside it, the
databases, what publishes, the servers, the reader. At the end every bet that was answered is in
its ledger once, the books are verified, and the centre has come to what the ledgers came to.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, NamedTuple

from hil_tests.estate_parts import SITES, Centre, Outcome, Part, PitLedger
from host_tools.bench.estate import HOUSE, Estate
from host_tools.bench.estate_bench import betting, ended
from tabletools.store import Actor, Store, people

HOSTS = 2
"""Of each site."""
LEASE_S = 10
"""As of a host whose settings name none."""
PIT = "main"
_REFERRED = """
SELECT (SELECT COUNT(*) FROM bets WHERE standing = 'referred') + (SELECT COUNT(*) FROM referrals)
"""


class Plan(NamedTuple):
    """How large the evening is. step_s: between two parts that are killed."""

    tables: int = 12
    """Of each site."""
    bettors: int = 1
    """At each table."""
    bet_s: float = 5.0
    """In which a round takes bets."""
    pause_s: float = 1.0
    """Of a player between two bets."""
    cut_s: float = 600.0
    step_s: float = 15.0


class Evening(NamedTuple):
    """What it came to, of all sites, verified in their ledgers."""

    bets: int
    settlements: int
    referred: int
    """Bets that were not in time, or of which that cannot be proved: two users have to rule."""
    estate: Outcome


class Site:
    """The hosts, tables and players of a site, and the process that publishes its events."""

    def __init__(self, stack: ExitStack, name: str, centre: Centre, plan: Plan) -> None:
        options = SimpleNamespace(
            bettors=plan.bettors,
            bet_seconds=plan.bet_s,
            hosts=HOSTS,
            pause=plan.pause_s,
            lease_s=LEASE_S,
        )
        self.name = name
        self.estate: Any = Estate(stack, options, plan.tables)
        self.estate.start_hosts(stack)
        where = ("--nats", centre.servers[name].url, "--site", name, "--pit", PIT)
        log = self.estate.folder / "feed.log"
        self.feed = Part(log, "feed", "--db", self.estate.place, *where)
        stack.callback(self.feed.end)
        self._bets = stack.enter_context(ExitStack())
        self._answers = self._bets.enter_context(betting(self.estate))

    def kill_host(self, number: int) -> None:
        """Kill a host; the other takes its tables over, and it comes back at the same port."""
        self.estate.kill(number)
        self.estate.start_again(number)

    def kill_beside(self, number: int) -> None:
        """Kill the processes that a host has beside it."""
        pid = self.estate.hosts[number].pid
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)

    def crash_database(self) -> None:
        """Crash the database; it recovers."""
        self.estate.cluster.stop()
        self.estate.cluster.start()

    def end(self) -> tuple[int, int, int]:
        """Let the last rounds end; returns how many bets, settlements and referred bets there are.

        Raises AssertionError unless each bet that was answered is there once and the books are
        balanced.
        """
        self._bets.close()
        [answers] = self._answers
        figures = ended(self.estate, answers)
        self.estate.end_hosts()
        referred = self.estate.ask(_REFERRED)
        bets, settlements = len(answers["taken"]), figures["verified"]
        assert settlements == bets - referred, (bets, settlements, referred)
        return bets, settlements, referred

    def closed(self) -> tuple[PitLedger, Store]:
        """The ledger, whose day is closed now."""
        ledger = Store.open_existing(self.estate.place)
        both = [
            Actor(name, people.create_user(ledger, name, role, None, HOUSE))
            for name, role in (("Cas", "cashier"), ("Sam", "supervisor"))
        ]
        pit = PitLedger(self.name, PIT, ledger)
        pit.close_day(both)
        return pit, ledger


def accidents(sites: Sequence[Site], centre: Centre) -> Iterator[tuple[str, Callable[[], object]]]:
    """What happens while one site is cut off, in its order: a text and the act."""
    for site in sites:
        for number in range(HOSTS):
            yield f"{site.name}: host {number} killed", partial(site.kill_host, number)
            yield f"{site.name}: beside host {number} killed", partial(site.kill_beside, number)
        yield f"{site.name}: database crashed", site.crash_database
        yield f"{site.name}: publisher killed", site.feed.crash
        yield f"{site.name}: server killed", centre.servers[site.name].crash
    yield "centre: server killed", centre.hub.crash
    yield "centre: reader killed", centre.reader.crash


def evening(folder: Path, plan: Plan, say: Callable[[str], object] = print) -> Evening:
    """Play an evening in a folder. Raises AssertionError for a bet lost or doubled."""
    with ExitStack() as stack:
        centre = Centre(stack, folder)
        sites = [Site(stack, name, centre, plan) for name in SITES]
        begun = time.monotonic()
        time.sleep(plan.step_s)
        gate = centre.gates[SITES[0]]
        gate.cut()
        cut = time.monotonic()
        say(f"{cut - begun:6.0f} s  {SITES[0]}: cut off from the centre")
        for text, act in accidents(sites, centre):
            act()
            say(f"{time.monotonic() - begun:6.0f} s  {text}")
            time.sleep(plan.step_s)
        time.sleep(max(0.0, cut + plan.cut_s - time.monotonic()))
        gate.join()
        say(f"{time.monotonic() - begun:6.0f} s  {SITES[0]}: joined again")
        time.sleep(plan.step_s)
        counts = [site.end() for site in sites]
        closed = [site.closed() for site in sites]
        outcome = centre.compared([pit for pit, _ in closed])
        for _, ledger in closed:
            ledger.close()
    bets, settlements, referred = map(sum, zip(*counts, strict=True))
    return Evening(bets, settlements, referred, outcome)


def main() -> int:
    """Play one, print what it came to; 0 when nothing was lost, doubled or different."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in Plan()._asdict().items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    plan = Plan(**vars(parser.parse_args()))
    with TemporaryDirectory(prefix="tablewire-evening-") as folder:
        bets, settlements, referred, outcome = evening(Path(folder), plan)
    print(
        f"estate of hosts: {len(SITES)} sites of {HOSTS} hosts and {plan.tables} tables:"
        f" {bets} bets answered, each in its ledger once: {settlements} settled and verified,"
        f" {referred} referred; {outcome}"
    )
    for difference in outcome.differences:
        print(f"estate of hosts: {difference}")
    return 0 if outcome.is_whole else 1


if __name__ == "__main__":
    sys.exit(main())
