"""Hosts to be killed: a program that forks one for each line it reads, and ends it at a step.

A line is JSON with place, url (of the table), step ("" for none) and nth. The child prints its
URL, the parent how it ended. No thread runs in the parent when it forks.
"""

import json
import os
import signal
import sys

from host_tools.tests.served import Host, french
from tabletools.api import server

LEASE_S = 1


def killer(step, nth):
    """What ends this program when a step comes for the nth time."""
    left = nth

    def at(name):
        nonlocal left
        left -= name == step
        if step and left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    return at


def serve(order):
    """Be a host until killed, or until a signal ends it."""
    host = Host(
        order["place"], [french("R1", order["url"])], at=killer(order["step"], order["nth"]),
        lease_s=LEASE_S,
    )  # fmt: skip
    with server.listening(host.settings) as sock:
        print(json.dumps({"at": server.address_of(host.settings, sock), "pid": os.getpid()}),
              flush=True)  # fmt: skip
        running = server.server_of(host.state)
        with server.ended_by_signals(running):
            host.pit.start()
            running.run(sockets=[sock])
            host.pit.stop()


def main():
    """Fork a host for each line."""
    for line in sys.stdin:
        child = os.fork()
        if not child:
            serve(json.loads(line))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(json.dumps({"ended": os.waitstatus_to_exitcode(status)}), flush=True)


if __name__ == "__main__":
    main()
