"""Where the ball may come to rest, and when: what lies in a pocket at another time is no ball.

The rim gives the window: after its last pass the ball was still on the rim, and it had left when
the next sensor should have seen it. Milliseconds of the round's clock.
"""

from tablewire import roulette as words
from tablewire.compat import const

from ..core.clock import MASK, diff

# The thresholds, and what they were measured on: 20,000 healthy rounds of hil_tests.physics, whose
# balls fall for 0.5 to 3.2 s and bounce for up to 7 s; real ones fall for 1.2 to 2.6 s.
_SOONEST_MS = const(300)  # last pass to the first pocket; sliding straight down takes 330
_LATEST_MS = const(4500)  # leaving the rim to the first pocket
_DEAD_MS = const(2700)  # the same, of a ball that never bounces: most land sooner, and bounce
_SETTLES_MS = const(2500)  # leaving the rim until any ball that lands at all has shown itself
_OUT_MS = const(3500)  # between two pockets; a climb up the cone takes 1.8 s at most
_RESTS_MS = const(6500)  # leaving the rim to rest; from then on the head sees it in every turn


class Landing:
    """The ball after it left the rim. pocket: see Pocket; stable_ms: of the array."""

    def __init__(self, pocket: object, rotor: object, stable_ms: int) -> None:
        self._pocket = pocket
        self._rotor = rotor
        self._stable_ms = stable_ms
        self._soonest_ms = 0
        self._left_ms = 0  # the ball had left the rim

    def begin(self, last_ms: int, left_ms: int) -> None:
        """The ball passed a rim sensor last at last_ms, and was gone from the rim at left_ms."""
        self._soonest_ms = (last_ms + _SOONEST_MS) & MASK
        self._left_ms = left_ms

    def reason(self, now_ms: int) -> int:
        """The code that ends the round, or 0."""
        pocket = self._pocket
        if pocket.second_ball():
            return words.SECOND_BALL
        since_ms = diff(now_ms, self._left_ms)
        if pocket.uses_array:
            reason = self._of_array(now_ms, since_ms)
            if reason:
                return reason
        if pocket.uses_head:
            return self._of_head(now_ms, since_ms)
        return 0

    def _of_array(self, now_ms: int, since_ms: int) -> int:
        array = self._pocket.array
        if not array.contacts:
            return words.NO_POCKET if since_ms > _LATEST_MS else 0
        if array.is_steady and diff(array.steady_ms, self._soonest_ms) < 0:
            return words.FOREIGN_MAGNET
        first_ms = diff(array.first_ms, self._left_ms)
        is_dead = array.contacts == 1 and array.pocket(now_ms) >= 0
        if first_ms > _LATEST_MS or (is_dead and first_ms > _DEAD_MS):
            return words.BALL_LEFT
        return words.BALL_LEFT if diff(now_ms, array.last_ms) > _OUT_MS else 0

    def _of_head(self, now_ms: int, since_ms: int) -> int:
        head = self._pocket.head
        if head.has_moved():
            return words.BRACKET_MOVED
        # Every turn from then on has a pulse in it.
        turn_ms = self._rotor.turn_us() // 1000
        turn_ms += turn_ms // 8
        if since_ms <= _RESTS_MS + turn_ms or head.quiet_us // 1000 <= turn_ms:
            return 0
        return words.BALL_LEFT if head.has_read else words.NO_POCKET

    def index(self, now_ms: int) -> int:
        """The pocket index that ends the round, or -1."""
        since_ms = diff(now_ms, self._left_ms)
        if since_ms < _SETTLES_MS + self._stable_ms:
            return -1
        pocket = self._pocket
        if not pocket.uses_array and pocket.head.quiet_us // 1000 < since_ms - _RESTS_MS:
            return pocket.head.last()  # read after it had come to rest
        return pocket.index(now_ms)
