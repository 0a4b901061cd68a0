"""The hall lines: routes genuine pulses, in order, to their users; detects stuck lines.

A ball at 2.5 rev/s covers a sensor for 3.3 ms, a magnet for longer. A pulse of less than 2 ms is
electrical, or the bounce at either edge; so is a gap of less than 3 ms.
"""

from tablewire import codes
from tablewire import roulette as words
from tablewire.compat import const
from tablewire.messages import PHASE_CLOSED
from tablewire.roulette import INPUT_HEAD, INPUT_RIM_1, INPUT_RIM_3, INPUT_ROTOR_A, INPUT_ROTOR_B

from ..core.ticks import MASK, diff
from .track import RIMS

if -0:  # for mypy
    from ..core.round import RoundControl
    from .judge import Judge
    from .pocket_head import PocketHead
    from .ring import Ring
    from .rotor import Rotor
    from .track import Track

_GAP_US = const(3000)
_SHORTEST_US = const(2000)
_HELD_US = const(1000000)  # a ball covers a rim sensor for 30 ms at most
_RESTS_US = const(2500000)  # a ball that rests on a rim sensor
_PARKED_US = const(10000000)  # a ball held at the rim before its launch


def place_of(sensor: int) -> int:
    """Where the Pulse of a sensor is in a list of them: rim 3 and 4 come after the head."""
    return sensor if sensor <= INPUT_HEAD else sensor - INPUT_RIM_3 + INPUT_HEAD + 1


class Pulse:
    """A pulse counts once it has lasted; then it is taken, once, with the time it began.

    rose_us, fell_us: when it began, and ended last. covered: the level now. pending: it was not
    taken yet. ending: it was taken, and its end is not known yet.
    """

    def __init__(self) -> None:
        self.rose_us = 0
        self.covered = False
        self.pending = False
        self.ending = False
        self.fell_us = 0

    def edge(self, level: int, t_us: int) -> bool:
        """The line switched; True when that makes one more pulse pending."""
        if not level:
            self.covered = False
            self.fell_us = t_us
            return False
        begins = not self.covered and not 0 <= diff(t_us, self.fell_us) < _GAP_US
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
        end_us = now_us if self.covered else self.fell_us
        if diff(end_us, self.rose_us) < _SHORTEST_US:
            return False
        self.pending = False
        self.ending = True
        return True

    def has_ended(self, now_us: int) -> bool:
        """Whether a pulse that was taken has ended for good."""
        return not self.covered and diff(now_us, self.fell_us) >= _GAP_US


class PulseRouter:
    """Passes on genuine pulses, in order.

    Those of the rotor with the time they began (and the width of A's once known), those of a rim
    sensor and the head once they have ended, with their middle and duration.

    head: None if there is none. pulses: one Pulse for each sensor, see place_of. waiting: how many
    of them have begun and were not passed on yet. ending: how many of rim and head have not ended
    yet.
    """

    def __init__(
        self, pulses: "list[Pulse]", rotor: "Rotor", head: "PocketHead | None", judge: "Judge"
    ) -> None:
        self._pulses = pulses
        self._rotor = rotor
        self._head = head
        self._judge = judge
        self.waiting = 0
        self.ending = 0

    def edge(self, place: int, level: int, t_us: int) -> None:
        """A line switched. Pulses that have lasted by now come first, to keep their order."""
        if self.waiting:
            self.tick(t_us)
        pulse = self._pulses[place]
        if level and pulse.ending and place >= INPUT_RIM_1 and pulse.has_ended(t_us):
            self.ends(t_us)
        if pulse.edge(level, t_us):
            self.waiting += 1
        elif place == INPUT_ROTOR_A and not level:
            width_us = diff(t_us, pulse.rose_us)
            if width_us >= _SHORTEST_US:
                self._rotor.ring.width_us = width_us

    def tick(self, t_us: int) -> None:
        """Pass on the pulses that have lasted by now."""
        left = self.waiting
        place = 0
        for pulse in self._pulses:
            if pulse.pending:
                if pulse.take(t_us):
                    self.waiting -= 1
                    if place == INPUT_ROTOR_A:
                        self._rotor.tick_a(pulse.rose_us)
                    elif place == INPUT_ROTOR_B:
                        self._rotor.ring.tick_b(pulse.rose_us)
                    elif place == words.INPUT_INDEX:
                        self._rotor.index(pulse.rose_us)
                    else:
                        self.ending += 1
                        if place != INPUT_HEAD:
                            self._judge.ball_seen(pulse.rose_us)
                left -= 1
                if not left:
                    return
            place += 1

    def ends(self, t_us: int) -> None:
        """Pass on the pulses of rim and head that have ended by now, the oldest first."""
        pulses = self._pulses
        while True:
            oldest = 0
            for place in range(INPUT_RIM_1, len(pulses)):
                pulse = pulses[place]
                if pulse.ending and pulse.has_ended(t_us):
                    if not oldest or diff(pulse.rose_us, pulses[oldest].rose_us) < 0:
                        oldest = place
            if not oldest:
                return
            self._end(oldest, pulses[oldest])

    def _end(self, place: int, pulse: Pulse) -> None:
        pulse.ending = False
        self.ending -= 1
        width_us = diff(pulse.fell_us, pulse.rose_us)
        middle_us = (pulse.rose_us + width_us // 2) & MASK
        if place == INPUT_HEAD:
            if self._head:
                self._head.pulse(middle_us, width_us)
        else:
            rim = place - INPUT_RIM_1 - (place > INPUT_HEAD)
            self._judge.ball_pass(rim, middle_us, width_us)


class SensorWatch:
    """A sensor that is silent or held while the machine moves: raises and clears `sensor_stuck`.

    rims: the Pulse of each rim sensor.
    """

    def __init__(
        self, control: "RoundControl", ring: "Ring", track: "Track", rims: "list[Pulse]"
    ) -> None:
        self._control = control
        self._ring = ring
        self._track = track
        self._rims = rims

    def edge(self, sensor: int, level: int) -> None:
        """A fault is active: a ring sensor clears it by rising, a rim sensor by falling."""
        if sensor == self._control.faults.sensor(codes.SENSOR_STUCK):
            if bool(level) == (sensor < INPUT_RIM_1):
                self._control.clear_fault(codes.SENSOR_STUCK)

    def tick(self, t_us: int) -> None:
        """Time passed."""
        if not (self._ring.at_rest and self._track.at_rest):
            self._look_for_silence()
        rim = 0
        for pulse in self._rims:
            if pulse.covered:
                self._covered(RIMS[rim], pulse, t_us)
            rim += 1

    def _look_for_silence(self) -> None:
        control = self._control
        silent = self._ring.silent_sensor()
        if silent < 0 and control.phase != PHASE_CLOSED:
            silent = self._track.silent_sensor()
        if silent >= 0:
            control.raise_fault(codes.SENSOR_STUCK, silent, 0, 1)

    def _covered(self, sensor: int, pulse: Pulse, t_us: int) -> None:
        control, track = self._control, self._track
        held = diff(t_us, pulse.rose_us)
        if held <= _HELD_US:
            return
        running = track.passes and control.phase != PHASE_CLOSED
        if running and diff(track.last_us, pulse.rose_us) <= 0:
            if held > _RESTS_US:
                control.void(words.BALL_STUCK, sensor)
        elif running or held > _PARKED_US:
            control.raise_fault(codes.SENSOR_STUCK, sensor, held, _HELD_US)
