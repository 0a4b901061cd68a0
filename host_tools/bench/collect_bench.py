"""`collect`: authenticated records stored a second, each on the disk before it is acknowledged."""

import tempfile
import time
from itertools import count
from pathlib import Path

from host_tools.bench.figure import reported
from tableemulator.machines.keyed import KeyedTable
from tableemulator.machines.repeater import played
from tabletools.evidence import listing
from tabletools.pit.collector import Collector
from tabletools.store import Store

ROUNDS = 100
KEY = bytes(range(32))


def records_a_second(file: Path, rounds: int) -> float:
    """Have a table with a key play; returns how many of its records were taken a second."""
    store = Store.open(file)
    try:
        session = Collector(store, lambda device: {1: KEY}).session
        table = KeyedTable(7, 1, KEY)
        session.connected(0.0)
        while sent := session.outgoing():
            session.receive(table.receive(sent), 0.0)
        session.receive(table.beat(), 0.0)
        wires = [table.say(*entry) for entry in played(1, rounds)]
        start = time.perf_counter()
        for wire in wires:
            session.receive(wire, 0.0)
            table.receive(session.outgoing())
        took = time.perf_counter() - start
        session.receive(table.beat(), 0.0)  # nothing waits: what was heard is judged
        assert not table.journal
        with store.read() as db:
            assert sum(row["settleable"] for row in listing.round_rows(db)) == rounds
    finally:
        store.close()
    return len(wires) / took


def figures(rounds: int = ROUNDS) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    with tempfile.TemporaryDirectory() as folder:
        names = count()
        best = max(records_a_second(Path(folder) / f"{next(names)}", rounds) for _ in range(2))
    return [reported("records verified, stored and acknowledged", round(best), "records/s")]
