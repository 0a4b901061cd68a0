"""The pocket from one reader head at a fixed stator angle, combined with the rotor angle.

The head sees the ball's pocket once a turn. A reading counts when the turn so far and the one
before were counted exactly; a number needs the same pocket over several whole turns, so one
reading more than turns, with nothing else between.
"""

from tablewire.compat import const

from ..core.clock import diff

NONE = const(-1)


class PocketHead:
    """Follows the head over turns.

    readings: turns in a row that read `seen`. others: turns in a row with the same second pocket.
    empty: no pulse for one and a half turns since `watch`.
    """

    def __init__(self, rotor: object, angle_mdeg: int, offset: int, turns: int) -> None:
        self._rotor = rotor
        self._offset = offset
        # 1/64 pocket: below 2^30 for 38 pockets and 359999 mdeg
        self._angle_64 = angle_mdeg * 64 * rotor.pockets // 360000
        self._turns = turns
        self.pulses = 0  # of any kind since `forget`
        self.seen = NONE
        self.readings = 0
        self.others = 0
        self.empty = False
        self._was = NONE  # pocket read last when the round opened
        self._other = NONE  # the second pocket
        self._pulse_us = 0  # of the last counted reading
        self._other_us = 0
        self._any_us = 0

    def watch(self, now_us: int) -> None:
        """A round opens: the ball of the last one may still lie in its pocket."""
        self._was = self.seen
        self.forget()
        self.empty = False
        self._any_us = now_us

    def forget(self) -> None:
        """Begin to count agreements anew."""
        self.pulses = 0
        self.seen = NONE
        self.readings = 0
        self.others = 0

    def pulse(self, t_us: int) -> None:
        """A magnet came under the head at t_us."""
        self._any_us = t_us
        self.pulses += 1
        pocket = self._rotor.pocket_at(t_us, self._angle_64)
        if pocket < 0:
            return
        pocket = (pocket + self._offset) % self._rotor.pockets
        since = diff(t_us, self._pulse_us)
        half = self._rotor.turn_us() // 2
        if pocket == self.seen:
            if since > half:
                self.readings = self.readings + 1 if since < half * 3 else 1
                self._pulse_us = t_us
                if diff(t_us, self._other_us) > half * 3:
                    self.others = 0
        elif self.readings and 0 <= since < half * 2 - half // 8:
            self._second(pocket, t_us, half)
        else:
            self.seen = pocket
            self.readings = 1
            self.others = 0
            self._pulse_us = t_us

    def _second(self, pocket: int, t_us: int, half: int) -> None:
        # Another pocket within the same turn: noise once, or the ball still jumps; a second ball
        # when it comes back a turn later.
        since = diff(t_us, self._other_us)
        if not self.others or pocket != self._other or not 0 <= since < half * 3:
            self.others = 1
        elif since > half:
            self.others += 1
        self._other = pocket
        self._other_us = t_us

    def tick(self, now_us: int) -> None:
        """Notice turns without any pulse."""
        turn = self._rotor.turn_us()
        if turn and diff(now_us, self._any_us) > turn + turn // 2:
            self.empty = True
            self.forget()

    def pocket(self) -> int:
        """The agreed pocket index, or NONE."""
        return self.seen if self.readings > self._turns and not self.others else NONE

    def second_ball(self) -> bool:
        """Whether two pockets both came back: a ball that jumps leaves one of them."""
        return self.others >= 2 and self.readings >= 2

    def appeared(self) -> bool:
        """Whether a ball lies where none lay when the round opened."""
        moved = self._was != NONE and self.seen != self._was
        return self.readings >= 2 and (self.empty or moved)
