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
    """pulses: one Pulse for each sensor from words.INPUT_ROTOR_A to INPUT_HEAD.

    waiting: how many of them have begun and were not told yet.
    """

    def __init__(self, table: object) -> None:
        self._table = table
        self.pulses = [Pulse() for _ in range(words.INPUT_HEAD + 1)]
        self.waiting = 0

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """A line switched. Pulses that have lasted by now come first, so their order holds."""
        if self.waiting:
            self.tick(t_us)
        if self.pulses[sensor].edge(level, t_us):
            self.waiting += 1

    def tick(self, t_us: int) -> None:
        """Tell the pulses that have lasted by now."""
        left = self.waiting
        sensor = -1
        for pulse in self.pulses:
            sensor += 1
            if pulse.pending:
                left -= 1
                if pulse.take(t_us):
                    self.waiting -= 1
                    self._tell(sensor, pulse.rose_us)
                if not left:
                    return

    def _tell(self, sensor: int, t_us: int) -> None:
        table = self._table
        if sensor == words.INPUT_ROTOR_A:
            table.rotor.tick_a(t_us)
        elif sensor == words.INPUT_ROTOR_B:
            table.rotor.ring.tick_b(t_us)
        elif sensor == words.INPUT_INDEX:
            table.rotor.index()
        elif sensor == words.INPUT_HEAD:
            table.pocket.head.pulse(t_us)
        else:
            table.judge.ball_pass(sensor - words.INPUT_RIM_1, t_us)
