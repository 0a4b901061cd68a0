"""A roulette table on a TCP port that a test plays: key, sessions, records until acknowledged."""

import time
from queue import Empty, SimpleQueue

from tableemulator.machines import repeater
from tableemulator.machines.keyed import KeyedTable
from tabletools.evidence.maintenance import walked_keys
from tablewire.messages import (
    BETS_CLOSED,
    CONFIGURATION_CHANGED,
    FETCH_TRACE,
    PHASE_BETS_OPEN,
    PHASE_CLOSED,
    ROUND_OPENED,
    ROUND_VOID,
    TRACE_CHUNK,
)
from tablewire.roulette import CLOSE_CAUSE_BALL_DETECTED, WHEEL_RESULT, WHEEL_SINGLE

DEVICE, SECRET = 7, bytes(range(32))
KEYS = {DEVICE: {1: SECRET}}
VOID = (404, 1, 255, 65535, 0, 0, 65535, 65535)
# What a host reads of a roulette table: its role, min_circuits, and what a walk proves.
MEASURED = {1, 8, *walked_keys("roulette")}


def result(pocket):
    """The values of a wheel_result of a valid spin of a single-zero wheel."""
    return repeater.result(pocket, "single")


class Played(KeyedTable):
    """Sends what a test orders; orders may come from any thread.

    beats: the number of heartbeats. look_s, beat_s, repeat_s: how often it reads its port, sends a
    heartbeat, and sends what waits again.
    """

    look_s, beat_s, repeat_s = 0.005, 0.05, 0.2

    def __init__(self, device=DEVICE, secret=SECRET, boot=1):
        super().__init__(device, 1, secret, boot)
        self.beats = 0
        self._orders = SimpleQueue()
        self._next = None  # order that waits until a host has read the configuration

    def beat(self):
        """A heartbeat, counted."""
        self.beats += 1
        return super().beat()

    def _obey(self, frame):
        if frame.type == FETCH_TRACE:  # it kept nothing of that round
            return self.say(TRACE_CHUNK, (frame.values[0], 0, 0, b""))
        return super()._obey(frame)

    def order(self, ident, values, number, phase, read_by=0.0):
        """Have the table send a record. read_by: until then, once its configuration was read."""
        if ident == CONFIGURATION_CHANGED:
            self.read_keys.clear()
        self._orders.put((ident, values, number, phase, read_by))

    def open(self, number, *, is_read=True):
        """A round opens. is_read: once a host has read the configuration in its present session,
        for it takes no bets before."""
        read_by = time.monotonic() + 20 if is_read else 0.0
        self.order(ROUND_OPENED, (WHEEL_SINGLE, 7, 60_000), number, PHASE_BETS_OPEN, read_by)

    def close(self, number):
        """No more bets."""
        self.order(BETS_CLOSED, (CLOSE_CAUSE_BALL_DETECTED, 8_000), number, PHASE_CLOSED)

    def end(self, number, pocket=None):
        """The ball falls, or the round is void."""
        ident, values = (ROUND_VOID, VOID) if pocket is None else (WHEEL_RESULT, result(pocket))
        self.order(ident, values, number, PHASE_CLOSED)

    def serve(self, port, stop):
        """Talk on a port by the wall clock until stopped; the table's clock runs with it."""
        beat_at = repeat_at = 0.0
        while not stop():
            self.keep_time()
            heard = port.receive(self.look_s)
            self.keep_time()
            port.send(self.receive(heard))
            if not self.is_silent:
                port.send(self.news())
            now = time.monotonic()
            if now >= beat_at:
                port.send(self.beat())
                beat_at = now + self.beat_s
            if now >= repeat_at:
                port.send(self.repeat())
                repeat_at = now + self.repeat_s

    def news(self):
        """The records that are due now."""
        wire = b""
        while True:
            try:
                self._next = self._next or self._orders.get_nowait()
            except Empty:
                return wire
            ident, values, number, phase, read_by = self._next
            if time.monotonic() < read_by and not self.read_keys >= MEASURED:
                return wire
            self._next, self.phase = None, phase
            wire += self.say(ident, values, number)
