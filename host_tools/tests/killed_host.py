"""Hosts to be killed: a program that forks one for each line it reads, and ends it at a step.

A line is JSON with place, url (of the table), session_key (a file), step ("" for none) and nth.
The child prints its URL, the parent how it ended. No thread runs in the parent when it forks.

Before the first line this program plays a round itself: its children inherit what it compiled.
"""

import gc
import json
import os
import signal
import sys
import tempfile
from contextlib import closing

import pytest

from host_tools.tests import statements
from host_tools.tests.served import Floor, Host, french
from tabletools.api import server

LEASE_S = 1


def killer(step, nth):
    """What ends this program when a step comes for the nth time."""
    left = nth

    def die_at(name):
        nonlocal left
        left -= name == step
        if step and left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    return die_at


def serve(order):
    """Be a host until killed, or until a signal ends it."""
    host = Host(
        order["place"],
        [french("R1", order["url"])],
        at=killer(order["step"], order["nth"]),
        lease_s=LEASE_S,
        session_key=order["session_key"],
    )
    with server.listening(host.settings) as sock:
        print(
            json.dumps({"at": server.address_of(host.settings, sock), "pid": os.getpid()}),
            flush=True,
        )
        running = server.server_of(host.state)
        with server.ended_by_signals(running):
            host.pit.start()
            running.run(sockets=[sock])
            host.pit.stop()


def warm_up():
    """A round with a bet, from the first start of a host to its end."""
    with tempfile.TemporaryDirectory() as folder, closing(Floor(f"{folder}/ledger")) as floor:
        seat = floor.host.terminal(floor.host.login("Sue"), floor.table, "ada")
        floor.open()
        bet, key = {"bet": "red", "stake_cents": 500}, {"Idempotency-Key": "the bet"}
        assert seat.post("/v1/bets", json=bet, headers=key).status_code == 201
        floor.shut()
        floor.fall(7)


def main():
    """Fork a host for each line."""
    statements.compiled_once(pytest.MonkeyPatch())
    warm_up()
    gc.collect()
    gc.freeze()  # else a collection in a child would copy every page of this program
    for line in sys.stdin:
        child = os.fork()
        if not child:
            serve(json.loads(line))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(json.dumps({"ended": os.waitstatus_to_exitcode(status)}), flush=True)


if __name__ == "__main__":
    main()
