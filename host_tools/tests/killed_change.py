"""A change of a key that is killed at a named step; run by test_keys_kill.py.

Reads one JSON order a line: url, keyring, command, serial, nth. Forks a program that changes the
key and is killed (SIGKILL) at its nth step, and answers with how it ended. A step is the moment
before each call that reaches the disk or the table; the last one is the end of the program.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

from tabletools.cli.keys import change
from tabletools.keys import Keyring
from tabletools.link import Session

DISK = ("open", "fsync", "replace")


def change_key(order):
    left = order["nth"]

    def step():
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def stepped(function):
        def call(*args, **kwargs):
            step()
            return function(*args, **kwargs)

        return call

    def outgoing(session, most, _outgoing=Session.outgoing):
        data = _outgoing(session, most)
        if data:
            step()
        return data

    for name in DISK:
        setattr(os, name, stepped(getattr(os, name)))
    Session.outgoing = outgoing
    change._AGAIN_S = 0.1
    time.sleep = lambda _: None  # pyserial waits 0.3 s when a socket is closed
    changed = change.Change(order["url"], Keyring(Path(order["keyring"])), lambda text: None)
    changed.provision(order["serial"]) if order["command"] == "provision" else changed.rotate()
    step()
    os._exit(0)


def main():
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            change_key(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
