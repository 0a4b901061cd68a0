"""An evening of an estate: sites, a centre, rounds, and every part killed or cut off once.

`python -m hil_tests.estate_evening [--pits 6] [--rounds 200]`: two sites, pits of one table each.
The ledgers are played in this process; what publishes, carries and reads is a process of its own,
as shipped. At the end nothing may be lost, doubled or out of order of its table, and the takings
and closed days of the centre have to be those of the ledgers.
"""

import argparse
import asyncio
import json
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from sqlalchemy import func, select

from host_tools.tests.nats_server import NatsServer
from host_tools.tests.pit import FULL, HOUSE, Pit
from tabletools.cms.jetstream import Server
from tabletools.estate import model
from tabletools.estate.reader import STREAM
from tabletools.money import day_close
from tabletools.money.day_close import Count, Place
from tabletools.money.gaming_day import Span, day_of
from tabletools.pit.assignments import Equipment, TableAssignment, describe
from tabletools.reports import takings
from tabletools.reports.follower import Follower
from tabletools.reports.reading import Reader
from tabletools.store import Actor, people
from tabletools.store.schema.books import outbox

SITES = ("athens", "berlin")
CUT_MS = 600_000
"""Ten minutes of the evening."""
WITHIN_S = 180.0
_TOOL = [sys.executable, "-c", "from tabletools.cli.main import main; main()"]


class Outcome(NamedTuple):
    """What the evening came to. caught_up_s: after the last part was back."""

    events: int
    lost: int
    doubled: int
    out_of_order: int
    differences: list[str]
    caught_up_s: float


class Gate:
    """The line from a site to the centre: forwards bytes until it is cut."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.leaves = self._listener.getsockname()[1]
        self._is_open = True
        self._ends: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Drop what is connected, and whatever connects until `join`."""
        self._is_open = False
        ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def join(self) -> None:
        """Forward again."""
        self._is_open = True

    def close(self) -> None:
        """Cut it for ever."""
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                try:
                    if not self._is_open:
                        raise OSError
                    far = socket.create_connection(("127.0.0.1", self._to), 5)
                except OSError:
                    near.close()
                    continue
                self._ends += [near, far]
                for here, there in ((near, far), (far, near)):
                    threading.Thread(target=_forward, args=(here, there), daemon=True).start()


def _forward(here: socket.socket, there: socket.socket) -> None:
    with suppress(OSError):
        here.settimeout(None)
        while data := here.recv(65_536):
            there.sendall(data)
    for end in (here, there):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


class Part:
    """A process of the program, started again after it was killed."""

    def __init__(self, log: Path, *arguments: str) -> None:
        self._log = log
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start it."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([*_TOOL, *self._arguments], stdout=log, stderr=log)

    def end(self, number: int = signal.SIGKILL) -> None:
        """End it, by default as a crash does."""
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait(60)


class PlayedPit:
    """A pit of one table: its ledger, and the process that publishes its events."""

    def __init__(self, folder: Path, site: str, name: str, server: NatsServer) -> None:
        self.site, self.name = site, name
        place = folder / f"{site}-{name}.ledger"
        self.pit = Pit(str(place))
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
        """Two users count what has to be at the desk, less one euro."""
        pit = self.pit
        cas = people.create_user(pit.ledger, "Cas", "cashier", None, HOUSE)
        both = [Actor("Sue", pit.users[0]), Actor("Cas", cas)]
        with pit.ledger.read() as db:
            due = day_close.expected(db, Place("EUR")).expected_cents
        day = day_of(pit.clock.wall_ns(), 6)
        count = Count(day, Place("EUR"), due - 100, both, "end of the day", "close")
        day_close.close(pit.ledger, count, 6)

    def sent(self) -> list[str]:
        """The ids of all events, in the order of the ledger."""
        with self.pit.ledger.read() as db:
            return list(db.execute(select(outbox.c.event_id).order_by(outbox.c.id)).scalars())

    def takings(self) -> tuple[int, int, int, int]:
        """Games, undone, drop and win of the ledger."""
        follower, reader = Follower(self.pit.ledger), Reader(self.pit.ledger)
        try:
            while follower.step():
                pass
            with reader.look_back() as back:
                sums = list(takings.between(back.model, Span(0, 2**62)).values())
        finally:
            follower.close()
            reader.close()
        [whole] = sums
        return whole.games, whole.undone, whole.drop_cents, whole.win_cents


def _terms(pit: Pit) -> Any:
    from tabletools.evidence import tables

    with pit.ledger.read() as db:
        return tables.terms_of(db, pit.table)[1]


class Evening:
    """Two sites, a centre, and what happens to them."""

    def __init__(self, stack: ExitStack, folder: Path, pits: int, seed: int) -> None:
        self.chance = random.Random(seed)
        self.hub = NatsServer(folder / "centre").start()
        stack.callback(self.hub.stop)
        self.gates = {site: Gate(self.hub.leaves) for site in SITES}
        self.servers = {
            site: NatsServer(folder / site, site, self.gates[site]).start() for site in SITES
        }
        for site in SITES:
            stack.callback(self.gates[site].close)
            stack.callback(self.servers[site].stop)
        self.pits = [
            PlayedPit(folder, site, f"pit-{number}", self.servers[site])
            for site in SITES
            for number in range(pits)
        ]
        for one in self.pits:
            stack.callback(one.pit.ledger.close)
            stack.callback(one.feed.end)
        self.place = folder / "estate.db"
        sites = [word for site in SITES for word in ("--site", site)]
        where = ("--nats", self.hub.url, *sites, "--db", str(self.place))
        self.reader = Part(folder / "estate.log", "estate", "serve", *where)
        stack.callback(self.reader.end)

    def play(self, rounds: int) -> None:
        """Play rounds at every pit."""
        for _ in range(rounds):
            for one in self.pits:
                one.play(self.chance)

    def run(self, rounds: int) -> Outcome:
        """Play; cut a site off for ten minutes, kill every part; close the day and compare."""
        part = max(1, rounds // 6)
        self.play(part)
        self.gates["athens"].cut()
        for one in self.pits:
            one.pit.clock.pass_ms(CUT_MS)
            one.pit.attach()  # its lease ended meanwhile
        self.play(part)
        self.pits[0].feed.end()
        self.play(part)
        self.pits[0].feed.start()
        self.gates["athens"].join()
        for server in (self.servers["berlin"], self.hub):
            server.stop()
            self.play(part)
            server.start()
        self.reader.end()
        self.play(part)
        self.reader.start()
        for one in self.pits:
            one.close_day()
        return self.compared()

    def compared(self) -> Outcome:
        """Wait until the centre has everything, then compare."""
        sent = {(one.site, one.name): one.sent() for one in self.pits}
        count = sum(map(len, sent.values()))
        begun, limit = time.monotonic(), time.monotonic() + WITHIN_S
        centre = model.Centre.open(self.place)
        while _counted(centre) < count and time.monotonic() < limit:
            time.sleep(0.5)
        centre.close()
        caught_up_s = time.monotonic() - begun
        arrived = self._arrived()
        lost = doubled = disorder = 0
        for place, ids in sent.items():
            times = Counter(name for name, _ in arrived.get(place, []))
            lost += len(set(ids) - set(times))
            doubled += sum(times.values()) - len(times) + len(set(times) - set(ids))
            disorder += _disorder(arrived.get(place, []))
        return Outcome(count, lost, doubled, disorder, list(self._differences()), caught_up_s)

    def _arrived(self) -> dict[tuple[str, str], list[tuple[str, dict[str, Any]]]]:
        """Id and event of every message in the stream of the centre, in its order, by pit."""
        server = Server(self.hub.broker, "auditor")
        server.open()

        async def read() -> list[bytes]:
            streams = server.streams
            last = (await streams.stream_info(STREAM)).state.last_seq
            bodies: list[bytes] = []
            for first in range(1, last + 1, 200):
                numbers = range(first, min(first + 200, last + 1))
                asked = (streams.get_msg(STREAM, number) for number in numbers)
                bodies += [one.data or b"" for one in await asyncio.gather(*asked)]
            return bodies

        try:
            bodies = server.run(read())
        finally:
            server.close()
        arrived: dict[tuple[str, str], list[tuple[str, dict[str, Any]]]] = {}
        for event in map(json.loads, bodies):
            place = event["site"], event["pit"]
            arrived.setdefault(place, []).append((event["id"], event))
        return arrived

    def _differences(self) -> Iterator[str]:
        """Yield where centre and ledger differ."""
        centre = model.Centre.open(self.place)
        try:
            with centre.read() as db:
                for one in self.pits:
                    here = (one.site, one.name)
                    names = [func.sum(model.takings.c[name]) for name in model.SUMS]
                    col = model.takings.c
                    query = select(*names).where(col.site == one.site, col.pit == one.name)
                    figures = tuple(map(int, db.execute(query).one()))
                    if figures != one.takings():
                        yield f"takings of {here}: {figures} at the centre, {one.takings()} there"
                    day = model.days.c
                    query = select(day.expected_cents, day.counted_cents)
                    closed = db.execute(
                        query.where(day.site == one.site, day.pit == one.name)
                    ).all()
                    if [tuple(row) for row in closed] != [(2 * FULL, 2 * FULL - 100)]:
                        yield f"closed days of {here}: {closed}"
        finally:
            centre.close()


def _counted(centre: model.Centre) -> int:
    """Return how many events the centre has folded."""
    with centre.read() as db:
        query = select(func.coalesce(func.sum(model.pits.c.events), 0))
        return int(db.execute(query).scalar_one())


def _disorder(arrived: list[tuple[str, dict[str, Any]]]) -> int:
    """Count events that came before an earlier one of their table."""
    newest: dict[object, str] = {}
    count = 0
    for _, event in arrived:
        table = event.get("table")
        count += event["sequence"] < newest.get(table, "")
        newest[table] = event["sequence"]
    return count


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
    print(
        f"estate evening: {2 * options.pits} pits, {options.rounds} rounds each,"
        f" {outcome.events} events: {outcome.lost} lost, {outcome.doubled} doubled,"
        f" {outcome.out_of_order} out of order; caught up in {outcome.caught_up_s:.1f} s"
    )
    for difference in outcome.differences:
        print(f"estate evening: {difference}")
    return int(any(outcome[1:5]))


if __name__ == "__main__":
    sys.exit(main())
