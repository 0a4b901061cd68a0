"""A collector that is killed at a named step; run by test_inbox_kill.py.

Reads one JSON order a line, forks a collector for it, and answers with its pid, then how it ended.
"""

import json
import os
import select
import signal
import sys
from pathlib import Path

from tabletools.inbox import Collector, Inbox, opened
from tabletools.link import Link, Received, open_port
from tablewire.messages import ACKNOWLEDGE, HEARTBEAT

WAITING = 5


class DyingPort:
    """A port whose writing of acknowledgements has steps."""

    def __init__(self, port, at):
        self.port = port
        self.at = at
        self.read = port.read
        self.close = port.close

    def write(self, data):
        # The type is the second byte of the body, never zero, so it stands as it is.
        if not any(len(piece) > 2 and piece[2] == ACKNOWLEDGE for piece in data.split(b"\0")):
            return self.port.write(data)
        self.at("before_acknowledge")
        self.at("torn_acknowledge", lambda: self.port.write(data[: len(data) // 2]))
        written = self.port.write(data)
        self.at("after_acknowledge")
        return written


def is_at_rest(frame):
    """Whether the table says that no record waits."""
    return frame.type == HEARTBEAT and frame.values[WAITING] == 0


def collect(order):
    """Collect until the table says that nothing waits."""
    hits = 0

    def at(step, before=lambda: None):
        nonlocal hits
        hits += step == order["step"]
        if step == order["step"] and hits == order["nth"]:
            before()
            os.kill(os.getpid(), signal.SIGKILL)

    inbox = Inbox(opened(Path(order["db"])), at=at)
    collector = Collector(inbox, lambda device: {})
    link = Link(
        order["url"],
        collector.session,
        opener=lambda url: DyingPort(open_port(url), at),
        record=collector.sent,
        wait=lambda _: select.select([], [], [], 0.001),
    )
    while True:
        for event in link.step():
            collector.take(event)
            if isinstance(event, Received) and is_at_rest(event.frame):
                # Not by way of pyserial, which waits 0.3 s when a socket is closed.
                os._exit(0)


def main():
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            collect(json.loads(line))
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
