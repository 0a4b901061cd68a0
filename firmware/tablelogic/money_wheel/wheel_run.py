"""One run of a money wheel: distance, speed, deceleration, number of pushes.

Distances are quarters of a segment in the direction of the run; a step back and forth counts
once. Speeds are 0.1 degree a second, means of a quarter turn while it is fast and of a
segment when it is slow.
"""

from tablewire.compat import const

from ..core.ticks import diff
from .coasting import Coasting
from .turn_losses import Turns

if -0:  # for mypy
    from .coast_law import Law

_STARTED = const(8)  # quarters: less is a nudge
_DDEG_US = const(900000000)  # a quarter turn in 0.1 degree times microseconds
# A quarter turn this much slower or faster than the one before can be uneven pins.
_UNEVEN_PERCENT = const(3)
_DOUBT_PERCENT = const(
    18
)  # this much slower it is braked even if the pulses of two pins are missing
_FASTER_PERCENT = const(10)
_SLOW_PIN_US = const(100000)  # from here on each segment is judged


class Run:
    """direction: 1 P rises, -1 it falls, 0 at rest. pin_us: last whole segment, 0 unknown.

    friction_ddegss: deceleration of a free run in 0.1 degree per second squared, as calibrated.
    pushes: times it was set in motion or made faster. braked: by more than friction can.
    """

    def __init__(self, pins: int, friction_ddegss: int, law: "Law") -> None:
        self._quarters = 4 * pins
        self._pin_ddeg_us = 4 * _DDEG_US // pins
        self._friction = friction_ddegss
        # The square of speed that a segment takes away.
        self._pin_loss = 2 * friction_ddegss * 3600 // pins
        self.law = law
        self.coasting = Coasting(law)
        self.turns = Turns(law)
        self.reset()

    def reset(self) -> None:
        """The wheel rests."""
        self.direction = self.pin_us = self.pushes = 0
        self.braked = False
        self._let_go()
        self.back = 0  # quarters behind the furthest point
        self._lead = 0  # quarters from the start, signed, before it counts as a run
        self._far = 0  # quarters at the furthest point
        self._pushed = 0  # quarters at the end of the last push
        self._faster = True  # the hand is still pushing
        self._pin_at_us = self._mark_us = 0
        self._window_us = 0  # last quarter turn
        self._sure_us = 0  # last one in which no pulse was missing, 0 none
        self._doubtful = 1  # quarter turns that prove nothing: the first, and with a pulse missing
        self._free_at = 0  # quarters where the first free quarter turn ended
        self._free_ddegs = 0  # and its speed

    def _let_go(self) -> None:
        # What was before a push counts no more.
        self.law.reset()
        self.coasting.reset()
        self.turns.reset()

    def step(self, step: int, t_us: int) -> None:
        """One quarter of a segment: 1 P rises, -1 it falls."""
        direction = self.direction
        if not direction:
            self._begin(step, t_us)
        elif step != direction:
            if not self.back:
                self.coasting.came_back(t_us)
            self.back += 1
        elif self.back:
            self.back -= 1
            if not self.back:
                self.coasting.came_back(t_us)
        else:
            self._far = far = self._far + 1
            if not far & 3:
                self._pin(t_us)
            if not far % (self._quarters >> 2):
                self._quarter_turn(t_us)

    def _begin(self, step: int, t_us: int) -> None:
        self._lead += step
        if abs(self._lead) >= _STARTED:
            self.direction = 1 if self._lead > 0 else -1
            self.pushes = 1
            self._pin_at_us = self._mark_us = t_us

    def doubt(self) -> None:
        """A pulse is missing: this quarter turn seems longer than it is, the next one shorter."""
        self._doubtful = 2

    def _pin(self, t_us: int) -> None:
        before, self.pin_us = self.pin_us, diff(t_us, self._pin_at_us)
        self._pin_at_us = t_us
        if 0 < before < _SLOW_PIN_US and self.pin_us * 2 > before * 3:
            self.doubt()  # no hand is that quick: a magnet is gone
        elif before >= _SLOW_PIN_US and not self._faster and not self._doubtful:
            fast, slow = self._pin_speed(before), self._pin_speed(self.pin_us)
            # Beyond four times the friction, and the effect of one uneven pin.
            if fast * fast - slow * slow > 4 * self._pin_loss + fast * fast // 4:
                self.braked = True

    def _pin_speed(self, pin_us: int) -> int:
        return self._pin_ddeg_us // pin_us if pin_us else 0

    def _quarter_turn(self, t_us: int) -> None:
        before_us, self._window_us = self._window_us, diff(t_us, self._mark_us)
        self._mark_us = t_us
        before = _DDEG_US // before_us if before_us else 0
        now = _DDEG_US // self._window_us
        between_ms = (before_us + self._window_us) // 2000
        loss = before - now - 3 * self._friction * between_ms // 1000
        if self._doubtful:
            self._doubtful -= 1
            self.turns.forget()
            self.braked = self.braked or 100 * loss > before * _DOUBT_PERCENT
            if self._faster:  # for the distance the hand is still pushing, for the count maybe not
                self._pushed = self._far
                self._faster = 200 * now > before * (200 + _FASTER_PERCENT)
            return
        sure = _DDEG_US // (self._sure_us or before_us)  # a push may fall into doubtful ones
        self._sure_us = self._window_us
        if now * 100 > sure * (100 + _FASTER_PERCENT):
            self.pushes += not self._faster
            self._faster = True
            self._let_go()
            self._pushed = self._far
            self._free_ddegs = 0
            return
        if self._faster or not self._free_ddegs:
            self._faster = False
            self._free_at = self._far
            self._free_ddegs = now
        elif now > before:
            self._pushed = self._far  # a hand keeps it at its speed
        self.braked = self.braked or 100 * loss > before * _UNEVEN_PERCENT
        self.turns.quarter(t_us, now > before)

    def is_free(self) -> bool:
        """Whether no hand drives it any more."""
        return self._free_ddegs > 0

    def is_slow(self) -> bool:
        """Whether each segment is judged separately."""
        return self.pin_us > _SLOW_PIN_US

    def stopped_hard(self) -> bool:
        """Whether the last whole segment was too fast for friction to stop the wheel after it."""
        speed = self._pin_speed(self.pin_us)
        return speed * speed > 4 * self._pin_loss

    def speed_ddegs(self) -> int:
        """Mean speed of the last quarter turn, 0 unknown."""
        return _DDEG_US // self._window_us if self._window_us else 0

    def drpm(self) -> int:
        """Speed of the wheel in 0.1 rpm, 0 at rest."""
        return min(self.speed_ddegs() // 6, 20000) if self.direction else 0

    def friction_ddegss(self) -> int:
        """Mean deceleration since the last push, by speed lost over distance; 0 unknown."""
        way_ddeg = (self._far - self._free_at) * 3600 // self._quarters
        fast, slow = self._free_ddegs, self._pin_speed(self.pin_us)
        is_known = fast and way_ddeg >= 1800
        return (fast * fast - slow * slow) // (2 * way_ddeg) if is_known else 0

    def revolutions_centi(self) -> int:
        """Hundredths of turns since the first push, to the furthest point."""
        return self._far * 100 // self._quarters

    def pushed_centi(self) -> int:
        """Hundredths of turns since the end of the last push."""
        return (self._far - self._pushed) * 100 // self._quarters
