"""The hall lines: from edges to genuine pulses, in order, to the parts that follow them.

A ball at 2.5 rev/s covers a sensor for 3.3 ms, a magnet for longer. What is over within 2 ms is
electrical, or the bounce that comes with either edge; a gap of less than 3 ms is the same.
"""

from tablewire import roulette as words
from tablewire.compat import const

from ..core.clock import diff

_GAP_US = const(3000)
_SHORTEST_US = const(2000)


class Pulse:
    """A pulse counts once it has lasted; then it is taken, once, with the time it began.

    rose_us: when it began. covered: the level now. pending: it was not taken yet.
    """

    def __init__(self) -> None:
        self.rose_us = 0
        self.covered = False
        self.pending = False
        self._fell_us = 0

    def edge(self, level: int, t_us: int) -> bool:
        """The line switched; True when that makes one more pulse pending."""
        if not level:
            self.covered = False
            self._fell_us = t_us
            return False
        begins = not self.covered and not 0 <= diff(t_us, self._fell_us) < _GAP_US
        self.covered = True
        if not begins:
            return False
        self.rose_us = t_us
        more = not self.pending
        self.pending = True
        return more

    def take(self, now_us: int) -> bool:
        """Whether a pulse that was not taken yet has lasted long enough by now; takes it."""
        if not self.pending:
            return False
        end_us = now_us if self.covered else self._fell_us
        if diff(end_us, self.rose_us) < _SHORTEST_US:
            return False
        self.pending = False
        return True

    def held_us(self, now_us: int) -> int:
        """How long the sensor has been covered, 0 when it is free."""
        return diff(now_us, self.rose_us) if self.covered else 0


class PulseRouter:
    """Passes genuine pulses on, in order, each with the time it began.

    pulses: one Pulse for each sensor up to words.INPUT_HEAD. waiting: how many of them have begun
    and were not passed on yet.
    """

    def __init__(self, pulses: list, rotor: object, head: object, judge: object) -> None:
        self._pulses = pulses
        self._rotor = rotor
        self._head = head
        self._judge = judge
        self.waiting = 0

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """A line switched. Pulses that have lasted by now come first, to keep their order."""
        if self.waiting:
            self.tick(t_us)
        if self._pulses[sensor].edge(level, t_us):
            self.waiting += 1

    def tick(self, t_us: int) -> None:
        """Pass on the pulses that have lasted by now."""
        left = self.waiting
        sensor = -1
        for pulse in self._pulses:
            sensor += 1
            if pulse.pending:
                left -= 1
                if pulse.take(t_us):
                    self.waiting -= 1
                    self._pass_on(sensor, pulse.rose_us)
                if not left:
                    return

    def _pass_on(self, sensor: int, t_us: int) -> None:
        if sensor == words.INPUT_ROTOR_A:
            self._rotor.tick_a(t_us)
        elif sensor == words.INPUT_ROTOR_B:
            self._rotor.ring.tick_b(t_us)
        elif sensor == words.INPUT_INDEX:
            self._rotor.index()
        elif sensor == words.INPUT_HEAD:
            self._head.pulse(t_us)
        else:
            self._judge.ball_pass(sensor - words.INPUT_RIM_1, t_us)
