"""The pocket by the configured sensors (switch array, reader head, or both), and when it is valid.

An object in a pocket at a time at which no ball lands is no ball. The rim gives the window: at its
last pass the ball was still on the rim, and it had left when the next sensor should have seen it.
Milliseconds of the round's clock.
"""

from tablewire import roulette as words
from tablewire.compat import const
from tablewire.messages import UNKNOWN_I8

from ..core.ticks import diff
from .pocket_array import PocketArray

if -0:  # for mypy
    from tabletypes import Config, Sure

    from .rotor import Rotor

NONE = const(-1)
_LIES_MS = const(300)

# The thresholds, and what they were measured on: 600 healthy rounds of hil_tests.physics, whose
# balls fall for 0.5 to 3.2 s and bounce for up to 7 s; real ones fall for 1.2 to 2.6 s.
_SOONEST_MS = const(300)  # last pass to the first pocket; sliding straight down takes 330
_LATEST_MS = const(5000)  # leaving the rim to the first pocket
_DEAD_MS = const(2700)  # the same, of a ball that never bounces: most land sooner, and bounce
_SETTLES_MS = const(2500)  # leaving the rim until a ball that bounces has been seen
_SHOWS_MS = const(6500)  # until the ball has shown itself beside an object that looks like it
_OUT_MS = const(3500)  # between two pockets; a climb up the cone takes 1.8 s at most
_DIFFERS_TURNS = const(2)
# Last pass to rest, for a head alone: a turn later there was a pulse in 7,995 of 8,000 rounds. One
# ball in a thousand bounces for longer, and mostly passes the head.
_RESTS_MS = const(6500)


class Pocket:
    """Reads every working sensor and accepts only what all of them report.

    sensor: messages.POCKET_SENSOR_*. head: None if there is none.
    """

    def __init__(self, cfg: "Config", rotor: "Rotor") -> None:
        self.sensor = cfg[words.POCKET_SENSOR]
        self.uses_array = self.sensor != words.POCKET_SENSOR_HEAD
        self.array = PocketArray(rotor.pockets, cfg[words.ARRAY_STABLE_MS])
        self.head: "Sure[PocketHead]" = None
        if self.sensor != words.POCKET_SENSOR_ARRAY:
            from .pocket_head import PocketHead  # in memory only where one is fitted

            self.head = PocketHead(
                rotor, cfg[words.HEAD_ANGLE_MDEG], cfg[words.INDEX_OFFSET], cfg[words.HEAD_TURNS]
            )
        self._stable_ms = cfg[words.ARRAY_STABLE_MS]
        self._last_ms = 0  # the ball passed the rim last
        self._left_ms = 0  # it had left the rim

    def watch(self, now_us: int, now_ms: int) -> None:
        """A round opens."""
        self.array.watch(now_ms)
        if self.head:
            self.head.watch(now_us)

    def forget(self) -> None:
        """The ball runs: what the head read before does not count."""
        if self.head:
            self.head.forget()

    def index(self, now_ms: int) -> int:
        """The pocket index that ends the round, or NONE.

        All fitted sensors agree on it, after the time in which the ball of the rim lands; later
        if two were seen, as an object in a pocket makes it. Of two kinds of sensor each confirms
        the other: one reading of the head is enough, once the array shows its pocket. An earlier
        one may be of the ball bouncing beside it.
        """
        if not self.uses_array:
            return self.head.pocket(self._rests_ms(now_ms))
        array = self.array
        settles_ms = _SHOWS_MS if array.twos else _SETTLES_MS
        if diff(now_ms, self._left_ms) < settles_ms + self._stable_ms:
            return NONE
        pocket = array.pocket(now_ms)
        if self.head and self.head.last(array.for_ms(now_ms)) != pocket:
            return NONE
        return pocket

    def agreements(self) -> int:
        """How many readings agree: turns of the head, or one stable array."""
        return min(self.head.readings(), 255) if self.head else 1

    def head_off_centi(self) -> int:
        """How far the head's reading was from the middle of the pocket, in 1/100 clockwise."""
        return self.head.read_off * 100 // 64 if self.head else UNKNOWN_I8

    def second_ball(self) -> bool:
        """Whether any fitted sensor sees two balls."""
        if self.uses_array and self.array.second_ball():
            return True
        return self.head is not None and self.head.second_ball()

    def on_rim(self, now_ms: int) -> bool:
        """The ball passed a rim sensor; returns whether something is in a pocket nevertheless."""
        array = self.array
        array.on_rim()
        if self.uses_array and array.reading != NONE and array.for_ms(now_ms) > _LIES_MS:
            return True
        return self.head is not None and self.head.readings() > 0

    def appeared(self, now_ms: int) -> bool:
        """Whether a ball is in a pocket where all were empty since the round opened."""
        if self.uses_array and self.array.appeared(now_ms):
            return True
        return self.head is not None and self.head.appeared()

    def left_rim(self, last_ms: int, left_ms: int) -> None:
        """The ball passed a rim sensor last at last_ms, and was gone from the rim at left_ms."""
        self._last_ms = last_ms
        self._left_ms = left_ms

    def reason(self, now_ms: int) -> int:
        """The code that ends the round of a ball that left the rim, or 0."""
        if self.second_ball():
            return words.SECOND_BALL
        reason = self._of_array(now_ms) if self.uses_array else 0
        if not reason and self.head:
            return self.head.reason(self._rests_ms(now_ms)) or self._differ(now_ms)
        return reason

    def _differ(self, now_ms: int) -> int:
        # Two turns of the head read another pocket than the array shows all the while.
        array, head = self.array, self.head
        if not self.uses_array or array.pocket(now_ms) < 0 or head.readings() < _DIFFERS_TURNS:
            return 0
        read = head.last(array.for_ms(now_ms))
        return words.SENSORS_DIFFER if read not in (NONE, array.reading) else 0

    def _rests_ms(self, now_ms: int) -> int:
        # How long the ball has been at rest: an array shows it, without one every ball is by then.
        if not self.uses_array:
            return diff(now_ms, self._last_ms) - _RESTS_MS
        return self.array.for_ms(now_ms) if self.array.reading >= 0 else 0

    def _of_array(self, now_ms: int) -> int:
        array = self.array
        if not array.contacts:
            return words.NO_POCKET if diff(now_ms, self._left_ms) > _LATEST_MS else 0
        if array.is_steady and diff(array.steady_ms, self._last_ms) < _SOONEST_MS:
            return words.FOREIGN_MAGNET
        first_ms = diff(array.first_ms, self._left_ms)
        if array.is_moved:
            return words.BALL_LEFT  # a hand moved it
        is_dead = array.contacts == 1 and array.pocket(now_ms) >= 0
        if first_ms > _LATEST_MS or (is_dead and first_ms > _DEAD_MS):
            return words.BALL_LEFT
        return words.BALL_LEFT if diff(now_ms, array.last_ms) > _OUT_MS else 0
