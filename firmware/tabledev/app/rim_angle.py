"""Measures the angle between two rim sensors and what they miss, by a ball that runs round.

From one pass of a sensor to its next the ball has made a turn; when it passed the other one in
between says where that is. A ball slows down, so of two such turns in a row, each begun at another
sensor, the first makes an arc too short by what the second makes it too long. When it passed one
of them twice in the time of a turn, the other one missed it.
"""

from array import array

from tablelogic.core.ticks import diff
from tablewire.compat import const
from tablewire.roulette import INPUT_RIM_1

_TURN = const(4096)
_BOUNCE_US = const(100000)
# A tilted wheel speeds the ball up and slows it down in each turn, a slow one more.
_SLOWEST_US = const(1200000)
_FASTEST_US = const(250000)  # as tablelogic.roulette.track: no hand spins a ball faster
_LONGER = const(8)  # a lap is longer than the one half a turn before by an eighth at most


class RimAngle:
    """Of rim sensor 1 and one other. count: of the pairs of turns so far.

    missed_1, missed: passes that rim sensor 1 and the other one missed.
    """

    def __init__(self) -> None:
        self.count = self.missed_1 = self.missed = 0
        self._sum = 0
        self._last = 0  # rim sensor of the last pass, 0 before it
        self._times = array("i", bytes(16))  # of the last four passes, the oldest first
        self._passes = 0  # of these, in turns at both sensors

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """A rim sensor switched. Allocates nothing."""
        if not level:
            return
        times = self._times
        if sensor == self._last:
            turn_us = diff(t_us, times[3])
            if turn_us < _BOUNCE_US:
                return
            if _FASTEST_US < turn_us < _SLOWEST_US:
                if sensor == INPUT_RIM_1:
                    self.missed += 1
                else:
                    self.missed_1 += 1
            self._passes = 0
        self._last = sensor
        for place in range(3):
            times[place] = times[place + 1]
        times[3] = t_us
        self._passes += 1
        if self._passes >= 4:
            self._measure(times, sensor != INPUT_RIM_1)

    def _measure(self, times: "array[int]", begins_at_1: bool) -> None:
        first, second = diff(times[2], times[0]), diff(times[3], times[1])
        if first < _FASTEST_US or second > _SLOWEST_US:
            return
        if not first <= second <= first + first // _LONGER:
            return
        # The arc from the sensor of the first pass to the other one, in both turns.
        arc = (diff(times[1], times[0]) >> 4) * _TURN // (first >> 4)
        arc += (diff(times[3], times[2]) >> 4) * _TURN // (second >> 4)
        self._sum += arc if begins_at_1 else 2 * _TURN - arc
        self.count += 1

    def arc_mdeg(self) -> int:
        """From sensor 1 to the other one the way the ball ran, the mean."""
        return self._sum * 45000 // (_TURN // 4 * self.count)

    def mdeg(self) -> int:
        """The same, the shorter way round."""
        arc = self.arc_mdeg()
        return min(arc, 360000 - arc)
