"""The ball on the rim: accepts only passes that one decelerating ball can make.

A chain of passes is one ball's run. It begins with three consecutive passes that fit a lap; every
later one is compared with the time at which the deceleration of the laps before lets the ball
come to that sensor. Circuits are counted along the chain up to the last pass that came when it
was due, so additions by a hand, a sleeve, a kick or interference are not counted.

Angles are 1/1024 turn, times microseconds. `growth` is how much longer a lap is than the one
before by deceleration alone, in 1/1024: deceleration x lap^2.
"""

from tablewire.compat import const
from tablewire.messages import UNKNOWN_U16
from tablewire.roulette import INPUT_RIM_1, INPUT_RIM_2, INPUT_RIM_3, INPUT_RIM_4

from ..core.ticks import diff

if -0:  # for mypy
    from .lap_law import LapLaw

CHAIN_BEGINS = const(3)  # passes that fit a lap: a ball's
RIMS = (INPUT_RIM_1, INPUT_RIM_2, INPUT_RIM_3, INPUT_RIM_4)

_TURN = const(1024)

# The thresholds, and what they were measured on: 300 healthy rounds of hil_tests.physics. Wheels
# of 0.34 to 0.42 m, tilt to 0.4 degrees, share of drag by the square of the speed 0.1 to 0.8.
_SHORTEST_LAP_US = const(250000)  # no hand spins a ball faster than 4 rev/s
_LAUNCH_LAP_US = const(1200000)  # of two passes that may be a ball's
_CAUGHT_ODD = const(2)  # counts as this many passes beside the chain: caught and thrown again
_LONGEST_LAP_US = const(3000000)  # the slowest ball on a rim made 2.6 s
_PART_LESS = const(64)  # first part of a lap relative to its arc: a slowing ball takes less ...
_PART_MORE = const(24)  # ... never more, except by tilt and the place of the sensor
_EARLY = const(72)  # of 1024: how much sooner than at an even speed; tilt made 31
_EARLY_US = const(2000)
_GROWTH_SKID = const(512)  # growth while it is not known: a ball that skids loses 2/7 of its speed
_GROWTH_MORE = const(150)  # beyond one and a half of the growth so far
_LATE = const(64)  # of 1024, and
_LATE_US = const(4000)
# The width of a pulse says how fast the ball is there. From one lap to the next it may change as
# the lap does, and beside that by a contact that bounces for 2 ms, the edges' jitter, and a 16th
# of the width for the ball's spot:
_WIDTH_US = const(2500)
_WIDER = const(64)
_SKID_LAPS = const(3)  # as long as a ball may skid (2.7 turns did): its growth may fall
_DUE_PART = const(11)
_DUE_US = const(3000)
# Once a ball rolls, growth never falls, and it rises by the square of the lap at most. Beyond that
# by so much of 1024 the circuits before do not count:
_FIRST_FALLS = const(40)  # a first pass may be 4 % of a lap beside its place: the ball skids
_GAINS = const(31)  # of 1024: a lap shorter than the one before by more is not a ball's
_WIDE_US = const(80000)  # a ball of 6.5 degrees at the slowest covers a sensor for 50 ms
_WIDEST = const(300)  # a ball of 13 degrees, in 1/8192 lap
_WIDE_MORE_US = const(5000)  # twice as wide as the ball, plus this much: a hand or a sleeve
_ALIKE_US = const(2000)
# A ball slows down, so it covers a sensor for longer a lap later; one that skids loses 2/7 of its
# speed. Between the same two pulses so much of it is of the edges' jitter (0.2 ms) and the spot:
_GROWS_US = const(500)
_SILENT_LAPS = const(3)
_DIRTY = const(-1)  # a lap: it ended with a dirty pulse, so the next one is not known either
_CRAWL_US = const(4500000)
_FIRM_PASSES = const(2)  # of each sensor, after which a chain is a ball
_STUCK_LAP_US = const(6000000)


def _grows(before_us: int, width_us: int) -> bool:
    """Whether two pulses of one sensor, a lap apart, may be of one ball by their widths."""
    longest = width_us + width_us // 8 + _GROWS_US
    return before_us < longest and width_us < before_us + before_us // 2 + _GROWS_US


class Track:
    """The motion of the ball between launch and drop.

    active: something was seen at the rim. passes: in the chain, 0 while there is none. odd: passes
    beside the chain. late: passes later than those of a ball that slows down by itself. lap_us:
    the last lap. first_lap_us: the first. first_us, last_us: of the chain, or of what was seen
    when there is none. next_us: how long after the last pass a ball that is still on the rim
    passes a sensor at the latest. left_us: how long after it the ball is taken to have left; by
    two sensors next_us, half a lap on the average, with which the pocket's times were measured, by
    more of them a quarter of a lap later. is_due: the last pass came when it was due. sure_us: the
    last that did. at_rest: the judge found nothing wrong, and no pass came since, see
    core.snapshot.
    """

    def __init__(self, angles_mdeg: "list[int]", law: "LapLaw") -> None:
        """Take the angle of each rim sensor clockwise from the first one, rising from 0."""
        self._angles = [angle * _TURN // 360000 for angle in angles_mdeg]
        self._firm = _FIRM_PASSES * len(angles_mdeg)
        self._times = [0] * len(angles_mdeg)
        self._places = [0] * len(angles_mdeg)  # how far the ball had turned at its last pass
        self._widths = [0] * len(angles_mdeg)
        self._laps = [0] * len(angles_mdeg)  # the lap that ended there, 0 unknown
        self._law = law
        self._raw_sensors = [-1, -1]  # the last two passes of any kind, the older first; -1 none
        self._raw_times = [0, 0]
        self._raw_widths = [0, 0]
        self.reset()

    def reset(self) -> None:
        """Forget the ball: the next pass is a launch."""
        self.at_rest: "int" = False
        self.active = False
        self.odd = 0
        self.late = 0
        self._any_us = 0  # the last pass in the chain, or a late one
        self.first_us = 0
        self.last_us = 0
        self._raw_sensors[0] = self._raw_sensors[1] = -1
        self._same = 0  # consecutive passes on one sensor
        self._pair_us = -1  # the second of two consecutive passes that may be a ball's, -1 none
        self._forget()

    def _forget(self) -> None:
        self.passes = 0
        self._suspect = -1
        self._suspect_from = 0
        self._tight_to = 0
        self.lap_us = 0
        self.first_lap_us = 0
        self.next_us = 0
        self.left_us = 0
        self.sure_us = 0
        self.is_due = False
        self._way = 0
        self._last = 0  # sensor of the last pass
        self._turned = 0  # since the first pass of the chain
        self._sure = 0  # of it, up to the last pass that came when it was due
        self._growth = self._growth_before = -1  # of the last lap and the one before; -1 unknown
        self._doubt = 0  # of it, what counts only if the next growth is as it should be
        self._width = 0  # of the ball, in 1/8192 lap

    def activate(self, t_us: int) -> None:
        """Something came over a rim sensor."""
        self.active = True
        if not self.passes:
            self.first_us = self.last_us = t_us

    def ball_pass(self, sensor: int, t_us: int, width_us: int) -> bool:
        """Rim sensor 1 (sensor 0) or another was covered for width_us, its middle at t_us.

        False: a hand or a sleeve.
        """
        self.at_rest = False
        if self.is_wide(sensor, t_us, width_us):
            # Within the run, and narrower than a hand: a chip that slides in the rim.
            if self.passes and width_us < _WIDE_US and diff(t_us, self.last_us) < self.next_us:
                self.odd += 1
            return False
        if not self.passes:
            self._begin(sensor, t_us, width_us)
        elif not self._goes_on(sensor, t_us, width_us):
            # A chain of three may have a false beginning.
            if self.passes >= self._firm or not self._begin(sensor, t_us, width_us):
                self.odd += 1
        self._keep(sensor, t_us, width_us)
        return True

    def is_wide(self, sensor: int, t_us: int, width_us: int) -> bool:
        """Whether a pulse is too wide for the ball, however slow it may be: a hand or a sleeve."""
        if not self._width:
            return width_us > _WIDE_US
        step = min(diff(t_us, self.last_us), _STUCK_LAP_US)
        lap_us = (step >> 4) * _TURN // self._arc(self._last, sensor, self._way) << 4
        lap_us = max(self.lap_us, min(lap_us, _STUCK_LAP_US))
        return width_us > (lap_us >> 3) * self._width // 512 + _WIDE_MORE_US

    def _keep(self, sensor: int, t_us: int, width_us: int) -> None:
        sensors, times, widths = self._raw_sensors, self._raw_times, self._raw_widths
        step = diff(t_us, times[1])
        if not self.passes and self._pair_us < 0 and sensors[1] >= 0 and 0 < step < _LAUNCH_LAP_US:
            self._note_pair(sensor, t_us, width_us, step)
        is_same = sensor == sensors[1] and _SHORTEST_LAP_US < step < _LONGEST_LAP_US
        self._same = self._same + 1 if is_same else 0
        sensors[0], times[0], widths[0] = sensors[1], times[1], widths[1]
        sensors[1], times[1], widths[1] = sensor, t_us, width_us

    def _note_pair(self, sensor: int, t_us: int, width_us: int, step: int) -> None:
        # Two passes that may be a ball's: if the chain begins later, that ball was caught.
        before = self._raw_widths[1]
        alike = 2 * abs(width_us - before) < min(width_us, before) + _ALIKE_US
        for way in (1, -1):
            lap_us = (step >> 4) * _TURN // self._arc(self._raw_sensors[1], sensor, way) << 4
            if alike and _SHORTEST_LAP_US < lap_us < _LAUNCH_LAP_US:
                self._pair_us = t_us

    def _arc(self, before: int, after: int, way: int) -> int:
        return ((self._angles[after] - self._angles[before]) * way - 1) % _TURN + 1

    def _arc_ahead(self, sensor: int, way: int) -> int:
        # To the next sensor on the ball's way.
        arc = _TURN
        for other in range(len(self._angles)):
            arc = min(arc, self._arc(sensor, other, way))
        return arc

    def _begin(self, sensor: int, t_us: int, width_us: int) -> bool:
        # Whether the last three passes are a ball's: a chain begins with them.
        first, middle = self._raw_sensors
        if first < 0:
            return False
        first_us, middle_us = self._raw_times
        all_us, part_us = diff(t_us, first_us), diff(middle_us, first_us)
        narrow = min(self._raw_widths[0], self._raw_widths[1], width_us)
        wide = max(self._raw_widths[0], self._raw_widths[1], width_us)
        if first == middle or middle == sensor or wide > 2 * narrow + _ALIKE_US:
            return False
        if first == sensor and not _grows(self._raw_widths[0], width_us):
            return False
        if not 0 < part_us < all_us < 2 * _LONGEST_LAP_US:
            return False
        way = self._way_of(sensor, all_us, part_us)
        if not way:
            return False
        part = self._arc(first, middle, way)
        arc = part + self._arc(middle, sensor, way)
        lap_us = (all_us >> 3) * _TURN // arc << 3
        self._forget()
        self._way = way
        was_caught = self._pair_us >= 0 and diff(first_us, self._pair_us) > lap_us * 3 // 2
        self.odd = _CAUGHT_ODD if was_caught else 0
        self.passes = CHAIN_BEGINS
        self.first_us = first_us
        self.first_lap_us = lap_us
        self._turned = self._sure = arc
        self._doubt = part
        self._widths[first], self._widths[middle] = self._raw_widths
        self._widths[sensor] = width_us
        self.sure_us = t_us
        self.is_due = True
        self._width = min((width_us << 10) // (lap_us >> 3), _WIDEST)
        for place in range(len(self._laps)):
            self._laps[place] = 0
            self._places[place] = -1  # never: no other sensor is so near
        self._times[first], self._places[first] = first_us, 0
        self._times[middle], self._places[middle] = middle_us, part
        if first == sensor:
            self._laps[sensor] = all_us
        self._passed(sensor, t_us, lap_us)
        return True

    def _way_of(self, sensor: int, all_us: int, part_us: int) -> int:
        """The only way in which the last two passes and this one fit a lap, 0 if there is none.

        By sensors opposite each other both ways fit.
        """
        first, middle = self._raw_sensors
        fitting = 0
        for way in (1, -1):
            part = self._arc(first, middle, way)
            arc = part + self._arc(middle, sensor, way)
            lap_us = (all_us >> 3) * _TURN // arc << 3
            off = (part_us >> 3) * _TURN // (all_us >> 3) - part * _TURN // arc
            is_lap = arc <= _TURN and _SHORTEST_LAP_US < lap_us < _LONGEST_LAP_US
            if is_lap and -_PART_LESS < off < _PART_MORE:
                if fitting:
                    return 0
                fitting = way
        return fitting

    def _passed(self, sensor: int, t_us: int, lap_us: int) -> None:
        self.lap_us = lap_us
        self.last_us = self._any_us = t_us
        self._last = sensor
        self._times[sensor] = t_us
        self._places[sensor] = self._turned
        arc = self._arc_ahead(sensor, self._way)
        growth = max(self._growth, 0)
        latest = self._time_for(arc, growth + growth // 2 + _GROWTH_MORE)
        self.next_us = min(latest, _LONGEST_LAP_US // _TURN * arc)
        self.left_us = self.next_us + (lap_us // 4 if len(self._angles) > 2 else 0)

    def _time_for(self, arc: int, growth: int) -> int:
        """How long the ball takes from the last pass over an arc, at a growth."""
        lap = self.lap_us >> 4
        even = lap * arc // _TURN
        time = even
        for _ in range(2):
            # Its mean speed there is less than that of the last lap by (lap + time) / 2 of it.
            less = growth * (_TURN + time * _TURN // lap) // (2 * _TURN)
            time = even * _TURN // (_TURN - min(less, 640))
        return time << 4

    def _goes_on(self, sensor: int, t_us: int, width_us: int) -> bool:
        step = diff(t_us, self.last_us)
        arc = self._arc(self._last, sensor, self._way)
        soonest = (self.lap_us >> 4) * arc // 64
        if step < soonest - (soonest >> 4) * _EARLY // 64 - _EARLY_US:
            return False
        growth = self._growth
        if growth < 0:
            latest = self._time_for(arc, _GROWTH_SKID)
        else:
            latest = self._time_for(arc, growth + growth // 2 + _GROWTH_MORE)
        if step > latest + (latest >> 4) * _LATE // 64 + _LATE_US:
            # Later than a ball left alone: one that sticks. A pulse far too narrow for so slow a
            # ball is another's, or the ball was caught and thrown again.
            lap_us = min((step >> 4) * _TURN // arc << 4, _STUCK_LAP_US)
            if width_us > (lap_us >> 3) * self._width // 2048 - _ALIKE_US:
                self.late += 1
                self._any_us = t_us
            else:
                self.odd += 1
            return True
        predicted = self._time_for(arc, max(growth, 0))
        ball_us = (self.lap_us >> 3) * self._width // 1024
        due = (
            growth >= 0
            and ball_us // 2 - _ALIKE_US < width_us < 2 * ball_us + _ALIKE_US
            and abs(step - predicted) < predicted // _DUE_PART + _DUE_US
        )
        if growth >= 0 and not due and self._arc_ahead(self._last, self._way) < arc < _TURN:
            self.odd += 1  # it did not come by the sensor in between, nor when it was due
            return True
        self._turned += arc
        self.passes += 1
        if self._turned == _TURN and not _grows(self._widths[sensor], width_us):
            self._discount(self._doubt)  # the first pass was not of this ball
            self._places[sensor] = -_TURN
        self.is_due = due
        self._passed(sensor, t_us, self._lap_of(sensor, t_us, width_us, step, arc))
        if self.is_due:
            self.sure_us = t_us
            if not self._doubt:
                self._sure = self._turned
        elif self.late:
            self.late += 1  # neither pulse was where the ball should be
        return True

    def _lap_of(self, sensor: int, t_us: int, width_us: int, step: int, arc: int) -> int:
        # The lap that ends here, and the growth if the one before is known.
        lap, before = (step >> 4) * _TURN // arc << 4, 0
        is_lap = self._turned - self._places[sensor] == _TURN
        if is_lap:
            lap, before = diff(t_us, self._times[sensor]), self._laps[sensor]
        if self._suspect == sensor:
            self._discount(self._suspect_from)  # no other sensor's lap spans that moment
            self._suspect = -1
        missed = self._missed(sensor)
        if missed:
            self.is_due = False  # until one comes that confirms it
            self._tight_to = self._turned + _TURN
            if missed > 1 or before <= 0 or self._growth < 0:
                self._discount(self._turned)
        self._laps[sensor] = lap if is_lap and before != _DIRTY else 0
        if before > 0:
            self._judge_lap(sensor, lap, before, width_us)
        self._widths[sensor] = width_us
        return lap

    def _missed(self, sensor: int) -> int:
        # How many sensors between the last pass and this one missed the ball.
        arc = self._arc(self._last, sensor, self._way)
        count = -1
        for other in range(len(self._angles)):
            count += self._arc(self._last, other, self._way) <= arc
        return count

    def _judge_lap(self, sensor: int, lap: int, before: int, width_us: int) -> None:
        """Compare a lap with the one before it, by the law."""
        last, before_last, law = self._growth, self._growth_before, self._law
        more = ((lap - before) >> 2) * _TURN // (before >> 2)
        growth = more * 2 * (lap >> 8) // ((lap + before) >> 8)
        if more < -_GAINS and (last < 0 or not self._doubt):
            self.odd += _CAUGHT_ODD
        if last >= 0:
            rolls = self._turned > _SKID_LAPS * _TURN
            low, high = min(last, before_last), max(last, before_last)
            tight = self._turned <= self._tight_to
            slack = law.expect(low, high, more, lap, rolls, tight)
            if self._doubt and not law.least - _FIRST_FALLS <= growth <= law.most:
                self._discount(self._doubt)
            elif growth > law.most or (
                rolls
                and (growth < law.least or self._is_odd_width(sensor, width_us, growth, slack))
            ):
                self._suspect_pulse(sensor)
                return
        self._suspect = -1
        if self._turned - self._doubt >= _TURN:
            self._doubt = 0
        self._growth = max(min(growth, 600), 0)
        self._growth_before = last if last >= 0 else self._growth

    def _is_odd_width(self, sensor: int, width_us: int, growth: int, slack: int) -> bool:
        # Whether the ball is faster or slower than the growth of its lap makes it.
        before_us = self._widths[sensor]
        beside_us = before_us * (_WIDER + slack + (growth >> 2)) // _TURN + _WIDTH_US
        return abs(width_us - before_us * (_TURN + growth) // _TURN) > beside_us

    def _suspect_pulse(self, sensor: int) -> None:
        """A lap ended beside the law: by a dirty pulse, or the ball was caught and thrown again.

        Beside a dirty pulse the next sensor's lap, which spans the same moment, obeys. Otherwise
        circuits count again from that pulse.
        """
        self._laps[sensor] = _DIRTY
        self.is_due = False
        if self._suspect >= 0 or self._turned <= self._tight_to:
            self._discount(self._suspect_from if self._suspect >= 0 else self._turned)
            self._suspect = self._growth = -1
        else:
            self._suspect, self._suspect_from = sensor, self._turned

    def _discount(self, turned: int) -> None:
        """Count circuits from so far after the first pass on."""
        self._doubt = 0
        self._turned -= turned
        self._tight_to -= turned
        self._suspect_from -= turned
        self._sure = max(self._sure - turned, 0)
        for place in range(len(self._places)):
            self._places[place] -= turned

    def direction(self) -> int:
        """1 clockwise, -1 counter-clockwise, 0 not yet known."""
        return self._way if self.passes >= self._firm else 0

    def circuits_centi(self) -> int:
        """Hundredths of a circuit from the first pass to the last that was due, rounded down."""
        return self._sure * 100 // _TURN

    def last_rim(self) -> int:
        """The rim sensor passed last, from 1."""
        return self._last + 1

    def friction_ddegss(self) -> int:
        """Slowing in the last lap in 0.1 degree per second squared; 65535 unknown."""
        if self._growth < 0:
            return UNKNOWN_U16
        lap_ms = self.lap_us // 1000
        return self._growth * 3600 // _TURN * 1000 // lap_ms * 1000 // lap_ms

    def unseen_us(self, now_us: int, drop_lap_us: int) -> int:
        """How long the ball may still be out of sight; below 0 it left the rim.

        It has left if no pass came for one and a half laps.

        A ball too fast to drop (laps below drop_lap_us) gets four and a half seconds, enough to
        reappear where a sticky track made it crawl.
        """
        limit = self.lap_us + self.lap_us // 2 + 100000
        if self.lap_us < drop_lap_us:
            limit = _CRAWL_US
        return limit - diff(now_us, self._any_us)

    def silent_sensor(self) -> int:
        """The rim sensor that was silent for three laps of the others, or -1.

        One of two is: without it there is no chain, so three passes of the other, a lap apart.
        """
        if len(self._angles) > 2:
            for sensor in range(len(self._angles)):
                if self.passes and self._turned - self._places[sensor] > _SILENT_LAPS * _TURN:
                    return RIMS[sensor]
            return -1
        return RIMS[1 - self._raw_sensors[1]] if self._same >= _SILENT_LAPS else -1
