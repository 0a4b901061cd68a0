# mypy: ignore-errors
"""Plays a recorded round (hil_tests/chip/recording.py) to the shipped logic; prints its decisions.

A line of JSON for each, as they were recorded.
"""

import binascii
import hashlib
import json

from tabledev.app.roles import make_role
from tablelogic.core.engine import Engine
from tablelogic.core.snapshot import Snapshot

CALLS, FRAME = "/round/calls", "/round/%d"


def plain(values):
    return [list(value) if isinstance(value, (bytes, list, tuple)) else value for value in values]


class Sink:
    """Where decisions go."""

    def __init__(self):
        self.round = 0

    def may_open(self):
        print(json.dumps(["may_open"]))
        return True

    def round_opened(self, values):
        self.note("round_opened", values)
        self.round += 1
        return self.round

    def record(self, ident, values):
        print(json.dumps(["record", ident, plain(values)]))
        return True

    def ended(self, ident, values):
        print(json.dumps(["ended", ident, plain(values)]))

    def note(self, name, values):
        print(json.dumps([name, plain(values)]))

    def bets_closed(self, values):
        self.note("bets_closed", values)

    def fault_raised(self, values):
        self.note("fault_raised", values)

    def fault_cleared(self, values):
        self.note("fault_cleared", values)

    def state(self, values):
        self.note("state", values)


class Sensors:
    """What a control step finds; ring, array and analog of it."""

    def __init__(self):
        self.ring = self.array = self.analog = self

    def show(self, edges, bits, raw):
        self.edges, self.bits, self.raw = edges, binascii.unhexlify(bits), raw

    def drain(self, edge, t_us):
        for each in self.edges:
            edge(*each)

    def read(self, bits=None):
        if bits is not None:
            bits[:] = self.bits
        return self.raw


class Player:
    """Has a method for each kind of call."""

    def __init__(self):
        self.engine = None
        self.sensors = Sensors()
        self.eye = self.frame = None

    def make(self, trace_bytes):
        self.engine = Engine(bytearray(trace_bytes), Sink())

    def begin(self, config):
        self.engine.begin(make_role, config)

    def open_eye(self, number, config):
        from tablelogic.dice_tray.eye import Eye

        self.eye = None
        with open(FRAME % number, "rb") as file:
            tray = file.read()
        self.eye = Eye(config, lambda light: tray)

    def sense(self, t_us, *levels):
        self.sensors.show(*levels)
        self.engine.sense(t_us, self.sensors)

    def tick(self, t_us):
        self.engine.tick(t_us)

    def role(self, name, values):
        getattr(self.engine.role, name)(*values)

    def report(self, values):
        self.engine.role.report[:] = values

    def order(self, ident, values):
        self.engine.order(ident, values)

    def look(self, number):
        with open(FRAME % number, "rb") as file:
            self.frame = file.read()
        self.eye.look(self.frame)

    def read(self):
        for _ in self.eye.steps(self.frame):
            pass

    def seen(self, ident):
        fields = ["seen"]
        fields.extend(self.eye.fields)
        print(json.dumps(fields))
        self.engine.order(ident, self.eye.fields)

    def keep(self):
        self.eye.keep()

    def missed(self):
        self.eye.missed()

    def end(self):
        whole = Snapshot(self.engine.role)
        while whole.look():
            pass
        numbers = ["numbers"]
        whole.give(numbers.append)
        print(json.dumps(numbers))
        trace = self.engine.trace
        digest = hashlib.sha256(memoryview(trace.buf)[: trace.length]).digest()
        print(json.dumps(["trace", binascii.hexlify(digest).decode()]))


player = Player()
with open(CALLS) as calls:
    for line in calls:
        name, *values = json.loads(line)
        getattr(player, name)(*values)
player.end()
