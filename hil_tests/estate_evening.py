"""An evening of an estate: sites, a centre, rounds, and every part killed or cut off once.

`python -m hil_tests.estate_evening [--pits 6] [--rounds 200]`: two sites, pits of one table each.
The ledgers are played in this process; what publishes, carries and reads is a process of its own,
see `estate_parts`. `estate_hosts` plays whole hosts.
"""

import argparse
import random
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hil_tests.estate_parts import SITES, Centre, Outcome, Part, PitLedger
from host_tools.tests.nats_server import NatsServer
from host_tools.tests.pit import HOUSE, Pit
from tabletools.pit.assignments import Equipment, TableAssignment, describe
from tabletools.store import Actor, people

CUT_MS = 600_000
"""Ten minutes of the evening."""


class PlayedPit:
    """A pit of one table: its ledger, and the process that publishes its events."""

    def __init__(self, folder: Path, site: str, name: str, server: NatsServer) -> None:
        place = folder / f"{site}-{name}.ledger"
        self.pit = Pit(str(place))
        self.ledger = PitLedger(site, name, self.pit.ledger)
        self.number = 0
        terms = _terms(self.pit)
        equipment = Equipment("", f"wheel of {site}", f"batch {name}")
        device = self.pit.device.device
        assignment = TableAssignment(self.pit.table, "R1", device, "", terms, equipment=equipment)
        describe(self.pit.ledger, self.pit.lease, assignment)
        where = ("--nats", server.url, "--site", site, "--pit", name)
        log = folder / f"{site}-{name}.log"
        self.feed = Part(log, "feed", "--db", str(place), *where)

    def play(self, chance: random.Random) -> None:
        """Play a round: won, lost, void or corrected afterwards."""
        self.number += 1
        pit = self.pit
        bets = [(pit.ada, "red", 500 * chance.randint(1, 9))]
        if chance.random() < 0.5:
            number = str(chance.randint(0, 36))
            bets.append((pit.ben, "straight", 500, {"numbers": [number]}))  # type: ignore[arg-type]
        pit.play(self.number, None if chance.random() < 0.1 else chance.randint(0, 36), *bets)
        if chance.random() < 0.1:
            pit.rule(self.number, {"pocket": str(chance.randint(1, 36))})

    def close_day(self) -> None:
        """A supervisor and a cashier close it."""
        cas = people.create_user(self.pit.ledger, "Cas", "cashier", None, HOUSE)
        self.ledger.close_day([Actor("Sue", self.pit.users[0]), Actor("Cas", cas)])


def _terms(pit: Pit) -> Any:
    from tabletools.evidence import tables

    with pit.ledger.read() as db:
        return tables.terms_of(db, pit.table)[1]


class Evening:
    """Two sites, a centre, and what happens to them."""

    def __init__(self, stack: ExitStack, folder: Path, pits: int, seed: int) -> None:
        self.chance = random.Random(seed)
        self.centre = Centre(stack, folder)
        self.pits = [
            PlayedPit(folder, site, f"pit-{number}", self.centre.servers[site])
            for site in SITES
            for number in range(pits)
        ]
        for one in self.pits:
            stack.callback(one.pit.ledger.close)
            stack.callback(one.feed.end)

    def play(self, rounds: int) -> None:
        """Play rounds at every pit."""
        for _ in range(rounds):
            for one in self.pits:
                one.play(self.chance)

    def run(self, rounds: int) -> Outcome:
        """Play; cut a site off for ten minutes, kill every part; close the day and compare."""
        part = max(1, rounds // 6)
        self.play(part)
        self.centre.gates["athens"].cut()
        for one in self.pits:
            one.pit.clock.pass_ms(CUT_MS)
            one.pit.attach()  # its lease ended meanwhile
        self.play(part)
        self.pits[0].feed.end()
        self.play(part)
        self.pits[0].feed.start()
        self.centre.gates["athens"].join()
        for server in (self.centre.servers["berlin"], self.centre.hub):
            server.stop()
            self.play(part)
            server.start()
        self.centre.reader.end()
        self.play(part)
        self.centre.reader.start()
        for one in self.pits:
            one.close_day()
        return self.centre.compared([one.ledger for one in self.pits])


def evening(folder: Path, pits: int, rounds: int, seed: int = 1) -> Outcome:
    """Play an evening in a folder."""
    with ExitStack() as stack:
        return Evening(stack, folder, pits, seed).run(rounds)


def main() -> int:
    """Play one, print what it came to; 0 when nothing was lost, doubled or different."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pits", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with TemporaryDirectory(prefix="tablewire-evening-") as folder:
        outcome = evening(Path(folder), options.pits, options.rounds, options.seed)
    print(f"estate evening: {2 * options.pits} pits, {options.rounds} rounds each, {outcome}")
    for difference in outcome.differences:
        print(f"estate evening: {difference}")
    return 0 if outcome.is_whole else 1


if __name__ == "__main__":
    sys.exit(main())
