"""A collector that is killed at a named step; run by test_collect_kill.py.

Reads one JSON order a line, forks a collector for it, and answers with its pid, then how it ended.
An order has url, db, key (hex of the table's, or empty); where it is to be killed, step and nth,
and all_transactions if those of no record count as well.

Before the first order this program collects once itself: its children inherit every statement it
compiled, which takes each of them four times as long as all the rest.
"""

import gc
import json
import os
import select
import signal
import sys
import tempfile
from pathlib import Path

import pytest

from host_tools.tests import statements
from tableemulator.machines.keyed import KeyedTable
from tableemulator.machines.repeater import Served, played
from tabletools.link import Link, Received, open_port
from tabletools.pit.collector import Collector
from tabletools.store import Store
from tablewire.messages import ACKNOWLEDGE, HEARTBEAT, START_SESSION

WAITING = 5


class DyingPort:
    """A port that can be killed at each step of writing an acknowledgement."""

    def __init__(self, port, on_step):
        self.port = port
        self.on_step = on_step
        self.read = port.read
        self.close = port.close

    def write(self, data):
        # The type is the second byte of the body and never zero, so stuffing does not change it.
        types = [piece[2] for piece in data.split(b"\0") if len(piece) > 2]
        names = {ACKNOWLEDGE: "acknowledge", START_SESSION: "start_session"}
        name = next((names[ident] for ident in types if ident in names), None)
        if name is None:
            return self.port.write(data)
        self.on_step(f"before_{name}")
        self.on_step(f"torn_{name}", lambda: self.port.write(data[: len(data) // 2]))
        written = self.port.write(data)
        self.on_step(f"after_{name}")
        return written


def is_at_rest(frame):
    """Whether the table reports that no record waits."""
    return frame.type == HEARTBEAT and frame.values[WAITING] == 0


def collect(order, at_rest):
    """Collect until the table reports that nothing waits. at_rest: called then."""
    hits = 0
    is_record = False  # other transactions have steps too, and are not counted

    def die_at(step, before=lambda: None):
        nonlocal hits, is_record
        is_record |= step == "received"
        is_counted = is_record or step not in ("before_commit", "committed")
        is_counted |= order.get("all_transactions", False)
        if step == "committed":
            is_record = False
        hits += is_counted and step == order.get("step")
        if is_counted and step == order.get("step") and hits == order["nth"]:
            before()
            os.kill(os.getpid(), signal.SIGKILL)

    store = Store.open(Path(order["db"]), at=die_at)
    keys = {1: bytes.fromhex(order["key"])} if order["key"] else {}
    collector = Collector(store, lambda device: keys)
    link = Link(
        order["url"],
        collector.session,
        opener=lambda url: DyingPort(open_port(url), die_at),
        wait=lambda _: select.select([], [], [], 0.001),
    )
    while True:
        for event in link.step():
            collector.take(event)
            if isinstance(event, Received) and is_at_rest(event.frame):
                return at_rest(store, link)


def warm_up():
    """Collect a round, first into an empty database, then into one that is there."""
    secret = bytes(32)
    with tempfile.TemporaryDirectory() as folder:
        for boot in (1, 2):
            table = KeyedTable(7, 1, secret, boot)
            for ident, values, number in played(boot, 1):
                table.say(ident, values, number)
            with Served(table) as served:
                order = {"url": served.url, "db": f"{folder}/night.db", "key": secret.hex()}
                collect(order, close)


def close(store, link):
    """Close everything: no connection may be left to the children."""
    link.close()
    store.close()


def main():
    statements.compiled_once(pytest.MonkeyPatch())
    warm_up()
    gc.collect()
    gc.freeze()  # else a collection in a child would copy every page of this program
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            # Not by way of pyserial, which waits 0.3 s when a socket is closed.
            collect(json.loads(line), lambda store, link: os._exit(0))
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
