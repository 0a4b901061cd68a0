"""The ball on the rim from passes of two sensors: circuits, direction, laps, odd passes.

Circuits are counted from the first pass to the last, each step by the arc between the sensors
passed, so a missed pass makes the count smaller, never larger: a lower bound of the true ones.
"""

from tablewire.compat import const
from tablewire.roulette import INPUT_RIM_1, INPUT_RIM_2

from ..core.clock import diff

_TURN = const(1024)
_SHORTEST_LAP_US = const(250000)  # no hand spins a ball faster than 4 rev/s
_VOTES = const(3)
_SILENT_LAPS = const(3)
_CRAWL_US = const(4500000)
_LEAPS = const(3)  # laps in a row, by either sensor, that are no unseen lap


class Track:
    """What the ball does between launch and drop.

    active: a ball was seen. passes: counted ones. odd: passes one ball cannot make.
    lap_us: the last lap, 0 before both sensors were passed in turn. first_lap_us: the first such.
    at_rest: the judge found nothing wrong, and no pass came since; see core.snapshot.
    """

    def __init__(self, rim_angle_mdeg: int) -> None:
        self._arc = rim_angle_mdeg * _TURN // 360000
        self._times = [0, 0]
        self.reset()

    def reset(self) -> None:
        """Forget the ball: the next pass is a launch."""
        self.at_rest = False
        self.active = False
        self.passes = 0
        self.odd = 0
        self.lap_us = 0
        self.first_lap_us = 0
        self.first_us = 0
        self.last_us = 0
        self._last = 0  # sensor of the last pass, 0 or 1
        self._row = 0  # passes in a row that alternated
        self._same = 0  # passes in a row on one sensor
        self._step_us = 0  # between the last two passes
        self._votes = 0  # for clockwise
        self._steps_12 = 0
        self._steps_21 = 0
        self._laps = 0  # steps from one sensor to itself
        self._leaps = 0  # laps in a row far longer than the one before, 0.._LEAPS - 1
        self._first_step_us = 0  # of the first step from one sensor to the other
        self._first_forward = True  # that step went from 1 to 2

    def ball_pass(self, sensor: int, t_us: int) -> None:
        """The ball passed rim sensor 1 (sensor 0) or 2 (sensor 1) at t_us."""
        self.at_rest = False
        if not self.active:
            self.active = True
            self.first_us = t_us
        elif not self._follows(sensor, t_us):
            self.odd += 1
            return
        self.passes += 1
        self._times[sensor] = t_us
        self._last = sensor
        self.last_us = t_us

    def _follows(self, sensor: int, t_us: int) -> bool:
        step = diff(t_us, self.last_us)
        if sensor == self._last:
            if step < self._floor_us():
                return False
            self._laps += 1
            self._same += 1
            self._row = 0
            if step * 4 < self.lap_us * 7:
                self.lap_us = step  # the other sensor missed one pass
        else:
            since = diff(t_us, self._times[sensor])
            if self.passes > 1 and self._row and since < self._floor_us():
                return False
            self._alternated(sensor, step, since)
        self._step_us = step
        return True

    def _floor_us(self) -> int:
        return max(self.lap_us * 3 // 5, _SHORTEST_LAP_US)

    def _alternated(self, sensor: int, step: int, since: int) -> None:
        self._same = 0
        self._row += 1
        if not self._first_step_us:
            self._first_step_us = step
            self._first_forward = sensor == 1
        if sensor:
            self._steps_12 += 1
        else:
            self._steps_21 += 1
        if self._row < 2:
            return
        if since * 4 > self.lap_us * 7 > 0 and self._leaps < _LEAPS - 1:
            self._leaps += 1  # a lap nobody saw: a ball slows by two fifths a lap at most
            return
        self._leaps = 0
        if since * 5 < self.lap_us * 4:
            self.odd += 1  # a ball never gains speed
        self.lap_us = since
        if not self.first_lap_us:
            self.first_lap_us = since
        # The shorter step is the arc from 1 to 2 when the ball runs clockwise.
        forward = step if sensor else self._step_us
        backward = self._step_us if sensor else step
        self._votes += 1 if forward < backward else -1

    def direction(self) -> int:
        """1 clockwise, -1 counter-clockwise, 0 not yet known (fewer than three laps agree)."""
        if self._votes >= _VOTES:
            return 1
        return -1 if self._votes <= -_VOTES else 0

    def circuits_centi(self) -> int:
        """Hundredths of a circuit between first and last pass, rounded down."""
        arc = self._arc
        forward = arc if self._votes >= 0 else _TURN - arc
        turned = self._laps * _TURN + self._steps_12 * forward + self._steps_21 * (_TURN - forward)
        return turned * 100 // _TURN

    def left_us(self, now_us: int, drop_lap_us: int) -> int:
        """How long the ball may still be out of sight; below 0 it left the rim.

        That is when no pass came for one and a half laps.

        A ball too fast to drop (laps below drop_lap_us) gets four and a half seconds, time enough
        to show up again where a sticky track made it crawl.
        """
        limit = self.lap_us + self.lap_us // 2 + 100000
        if self.lap_us < drop_lap_us:
            limit = _CRAWL_US
        return limit - diff(now_us, self.last_us)

    def first_step_lap_us(self, direction: int) -> int:
        """The lap time the first step between the sensors implies for a direction, 0 unknown."""
        arc = self._arc if self._first_forward == (direction > 0) else _TURN - self._arc
        return self._first_step_us // arc * _TURN

    def silent_sensor(self) -> int:
        """The rim sensor that stayed silent for three laps of the other, or -1."""
        if self._same < _SILENT_LAPS:
            return -1
        return INPUT_RIM_1 if self._last else INPUT_RIM_2
