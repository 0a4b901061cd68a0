"""What an evening of an estate is made of: lines, servers and ledgers of its sites, its centre.

What publishes, carries and reads is a process of its own, as shipped. At the end nothing may be
lost, doubled or out of order of its table, and takings and closed days of the centre have to be
those of the ledgers.
"""

import asyncio
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import func, select

from host_tools.tests.nats_server import NatsServer
from tabletools.cms.jetstream import Server
from tabletools.estate import model
from tabletools.estate.reader import STREAM
from tabletools.money import day_close
from tabletools.money.day_close import Count, Place
from tabletools.money.gaming_day import Span, day_of
from tabletools.reports import takings
from tabletools.reports.follower import Follower
from tabletools.reports.reading import Reader
from tabletools.store import Actor, Store
from tabletools.store.schema.books import outbox

SITES = ("athens", "berlin")
AGAIN_S = 0.5
"""From the end of a process to its next start."""
WITHIN_S = 180.0
"""From the last part being back to the centre having everything."""
_HOUR = 6
_MISSING_CENTS = 100
"""Of every count at the end of a day."""
TOOL = [sys.executable, "-c", "from tabletools.cli.main import main; main()"]


class Outcome(NamedTuple):
    """What the evening came to. caught_up_s: after the last part was back."""

    events: int
    lost: int
    doubled: int
    out_of_order: int
    differences: list[str]
    caught_up_s: float

    @property
    def is_whole(self) -> bool:
        """Whether nothing was lost, doubled, out of order or different."""
        return not any(self[1:5])

    def __str__(self) -> str:
        is_late = self.caught_up_s >= WITHIN_S
        return (
            f"{self.events} events: {self.lost} lost, {self.doubled} doubled,"
            f" {self.out_of_order} out of order;"
            f" {'not ' if is_late else ''}caught up in {self.caught_up_s:.1f} s"
        )


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
    """A process of the program; whenever it ended it is started again, as by a service manager."""

    def __init__(self, log: Path, *arguments: str) -> None:
        self._log = log
        self._arguments = arguments
        self._lock = threading.Lock()
        self.start()

    def start(self) -> None:
        """Start it."""
        self._over = threading.Event()
        self._process = self._start()
        threading.Thread(target=self._watch, args=(self._over,), daemon=True).start()

    def _start(self) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            return subprocess.Popen([*TOOL, *self._arguments], stdout=log, stderr=log)

    def _watch(self, over: threading.Event) -> None:
        while True:
            self._process.wait()
            if over.wait(AGAIN_S):
                return
            with self._lock:
                if not over.is_set():
                    self._process = self._start()

    def end(self, number: int = signal.SIGKILL) -> None:
        """End it, by default as a crash does, and leave it so."""
        with self._lock:
            self._over.set()
        self._process.send_signal(number)
        self._process.wait(60)

    def crash(self) -> None:
        """Kill it; it is started again."""
        self._process.kill()


class PitLedger:
    """The ledger of a pit, as it is compared with the centre."""

    def __init__(self, site: str, name: str, ledger: Store) -> None:
        self.site, self.name, self.ledger = site, name, ledger
        self._closed: list[tuple[int, int]] = []

    def close_day(self, both: Sequence[Actor]) -> None:
        """Two users count what has to be at the desk, less one euro."""
        with self.ledger.read() as db:
            due_cents = day_close.expected(db, Place("EUR")).expected_cents
        counted_cents = due_cents - _MISSING_CENTS
        day = day_of(self.ledger.clock.wall_ns(), _HOUR)
        count = Count(day, Place("EUR"), counted_cents, both, "end of the day", "close")
        day_close.close(self.ledger, count, _HOUR)
        self._closed.append((due_cents, counted_cents))

    def sent(self) -> list[str]:
        """The ids of all events, in the order of the ledger."""
        with self.ledger.read() as db:
            return list(db.execute(select(outbox.c.event_id).order_by(outbox.c.id)).scalars())

    def takings(self) -> tuple[int, ...]:
        """Games, undone, drop and win of the ledger, of all its tables.

        Behind a gap in the numbers of a database that crashed its read model waits 45 s.
        """
        follower, reader = Follower(self.ledger), Reader(self.ledger)
        limit, behind = time.monotonic() + WITHIN_S, 1
        try:
            while behind and time.monotonic() < limit:
                follower.step()
                with reader.look_back() as back:
                    behind = back.behind
                    sums = takings.between(back.model, Span(0, 2**62)).values()
        finally:
            follower.close()
            reader.close()
        each = [(one.games, one.undone, one.drop_cents, one.win_cents) for one in sums]
        return tuple(map(sum, zip(*each, strict=True)))

    def differences(self, db: Any) -> Iterator[str]:
        """Yield where the centre, whose database is read, differs from the ledger."""
        here = f"{self.site} {self.name}"
        names = [func.sum(model.takings.c[name]) for name in model.SUMS]
        col = model.takings.c
        query = select(*names).where(col.site == self.site, col.pit == self.name)
        figures = tuple(map(int, db.execute(query).one()))
        if figures != (own := self.takings()):
            yield f"takings of {here}: {figures} at the centre, {own} there"
        day = model.days.c
        query = select(day.expected_cents, day.counted_cents)
        rows = db.execute(query.where(day.site == self.site, day.pit == self.name)).all()
        closed = [tuple(map(int, row)) for row in rows]
        if closed != self._closed:
            yield f"closed days of {here}: {closed} at the centre, {self._closed} there"


class Centre:
    """The servers of the sites and of the centre, and what reads there."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self.hub = NatsServer(folder / "centre").start()
        stack.callback(self.hub.stop)
        self.gates = {site: Gate(self.hub.leaves) for site in SITES}
        self.servers = {
            site: NatsServer(folder / site, site, self.gates[site]).start() for site in SITES
        }
        for site in SITES:
            stack.callback(self.gates[site].close)
            stack.callback(self.servers[site].stop)
        self._place = folder / "estate.db"
        sites = [word for site in SITES for word in ("--site", site)]
        where = ("--nats", self.hub.url, *sites, "--db", str(self._place))
        self.reader = Part(folder / "estate.log", "estate", "serve", *where)
        stack.callback(self.reader.end)

    def compared(self, ledgers: Sequence[PitLedger]) -> Outcome:
        """Wait until the centre has everything, then compare."""
        sent = {(one.site, one.name): one.sent() for one in ledgers}
        count = sum(map(len, sent.values()))
        begun, limit = time.monotonic(), time.monotonic() + WITHIN_S
        centre = model.Centre.open(self._place)
        while counted(centre) < count and time.monotonic() < limit:
            time.sleep(0.5)
        caught_up_s = time.monotonic() - begun
        arrived = self._arrivals()
        lost = doubled = 0
        disorder: list[str] = []
        for place, ids in sent.items():
            times = Counter(name for name, _ in arrived.get(place, []))
            lost += len(set(ids) - set(times))
            doubled += sum(times.values()) - len(times) + len(set(times) - set(ids))
            disorder += _disorder(arrived.get(place, []))
        with centre.read() as db:
            differences = [line for one in ledgers for line in one.differences(db)]
        centre.close()
        figures = count, lost, doubled, len(disorder)
        return Outcome(*figures, disorder + differences, caught_up_s)

    def _arrivals(self) -> dict[tuple[str, str], list[tuple[str, dict[str, Any]]]]:
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


def counted(centre: model.Centre) -> int:
    """Return how many events the centre has folded."""
    with centre.read() as db:
        query = select(func.coalesce(func.sum(model.pits.c.events), 0))
        return int(db.execute(query).scalar_one())


def _disorder(arrived: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Name the events that came after a later one of their table."""
    newest: dict[object, dict[str, Any]] = {}
    late = []
    for name, event in arrived:
        before = newest.setdefault(event.get("table"), event)
        if event["sequence"] < before["sequence"]:
            where = f"{event['site']} {event['pit']} table {event.get('table')}"
            late.append(f"out of order: {where}: {name} after {before['id']} ({before['type']})")
        else:
            newest[event.get("table")] = event
    return late
