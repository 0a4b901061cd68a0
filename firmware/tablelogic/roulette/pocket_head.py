"""The pocket from one reader head at a fixed stator angle, combined with the rotor angle.

The head sees the ball's pocket once a turn, and the middle of a pulse counts, so neither the
sense of rotation nor the width of the head's view matters. A reading counts when the turn so far
and the one before were counted exactly, the pulse is as long as a ball in a pocket makes it, and
its middle is within a third of a pocket of a pocket's. A number needs the same pocket over several
whole turns, so one reading more than turns, and a whole turn after the ball has come to rest with
nothing else in it: an object in another pocket may be read twice while the ball still bounces.
"""

from tablewire import roulette as words
from tablewire.compat import const

from ..core.ticks import diff

if -0:  # for mypy
    from .rotor import Rotor

NONE = const(-1)
_POCKET = const(64)  # the unit of places: 1/64 pocket
_THIRD = const(20)  # a reading further from a pocket's middle counts for none
# A ball of 17 to 23 mm in a pocket of 40 mm under a spot of 3 mm makes 0.32 to 0.65 pocket.
_SHORTEST = const(8)  # shorter: noise, or a moving ball
_LONGEST = const(56)  # longer: a hand
_MOVED = const(2)  # consecutive readings, each too far off: the bracket moved


class PocketHead:
    """Tracks the head over turns.

    pulses: since `forget`, or since a turn and a half without any. has_read: a pocket was read
    since `forget`. empty: no pulse for one and a half turns since `watch`. off: how far the last
    pulse was from the middle of a pocket, in 1/64 pocket clockwise. read_off: the same of the last
    reading.
    """

    def __init__(self, rotor: "Rotor", angle_mdeg: int, offset: int, turns: int) -> None:
        self._rotor = rotor
        self._offset = offset
        # 1/64 pocket: below 2^30 for 38 pockets and 359999 mdeg
        self._angle_64 = angle_mdeg * 64 * rotor.pockets // 360000
        self._turns = turns
        self._pockets = [NONE, NONE]  # the pocket read last, and another one
        self._counts = [0, 0]  # consecutive turns that read it
        self._times = [0, 0]  # of its last reading that counted
        self._was = NONE  # pocket read last when the round opened
        self._any_us = 0
        self._aside_us = 0  # of the last pulse beside the pockets
        self._now_us = 0
        self.empty = False
        self.off = self.read_off = 0
        self.forget()

    def watch(self, now_us: int) -> None:
        """A round opens: the ball of the last one may still be in its pocket."""
        self._was = self._pockets[0]
        self.forget()
        self.empty = False
        self._any_us = now_us

    def forget(self) -> None:
        """The ball runs: earlier readings do not count."""
        self.has_read = False
        self._clear()

    def _clear(self) -> None:
        self.pulses = 0
        self._aside = 0  # consecutive turns with a pulse beside the pockets
        self._pockets[0] = self._pockets[1] = NONE
        self._counts[0] = self._counts[1] = 0

    def pulse(self, t_us: int, width_us: int) -> None:
        """The head was covered for width_us, its middle at t_us."""
        self._any_us = t_us
        self.pulses += 1
        rotor = self._rotor
        place = rotor.place_at(t_us, self._angle_64 + _POCKET // 2)
        period_us = rotor.ring.period_us
        shortest_us, longest_us = period_us * _SHORTEST // 64, period_us * _LONGEST // 64
        if place < 0 or not shortest_us < width_us < longest_us:
            return
        self.off = off = place % _POCKET - _POCKET // 2
        turn_us = rotor.turn_us()
        if abs(off) > _THIRD:
            self._beside(t_us, turn_us)
        else:
            self._read((place // _POCKET + self._offset) % rotor.pockets, t_us, turn_us)

    def _beside(self, t_us: int, turn_us: int) -> None:
        since = diff(t_us, self._aside_us)
        if not self._aside or since > turn_us * 3 // 2:
            self._aside = 1
        elif since > turn_us // 2:
            self._aside += 1
        self._aside_us = t_us

    def _read(self, pocket: int, t_us: int, turn_us: int) -> None:
        pockets, counts, times = self._pockets, self._counts, self._times
        self.has_read = True
        self.read_off = self.off
        if pocket != pockets[0]:
            self._swap(pockets)
            self._swap(counts)
            self._swap(times)
        if pocket != pockets[0]:
            pockets[0] = pocket
            counts[0] = 0
        since = diff(t_us, times[0])
        if not counts[0] or since > turn_us * 3 // 2:
            counts[0] = 1
        elif since > turn_us // 2:
            counts[0] += 1
        else:
            return
        times[0] = t_us

    def _swap(self, pair: "list[int]") -> None:
        first = pair[0]
        pair[0] = pair[1]
        pair[1] = first

    def tick(self, now_us: int) -> None:
        """Notice turns without any pulse."""
        turn_us = self._rotor.turn_us()
        self._now_us = now_us
        if turn_us and diff(now_us, self._any_us) > turn_us * 3 // 2:
            self.empty = True
            self._clear()

    def _is_alone(self) -> bool:
        # Whether nothing else was read since the reading before the last.
        turn_us = self._rotor.turn_us()
        return not self._counts[1] or diff(self._times[0], self._times[1]) > turn_us * 7 // 8

    def readings(self) -> int:
        """How many turns in a row read the same pocket, and nothing else."""
        return self._counts[0] if self._is_alone() else 0

    def pocket(self, rests_ms: int) -> int:
        """The agreed pocket index once the ball has been at rest for so long, or NONE."""
        alone_us = rests_ms * 1000
        if self._counts[1]:
            alone_us = min(alone_us, diff(self._now_us, self._times[1]))
        turn_us = self._rotor.turn_us()
        is_sure = alone_us > turn_us + turn_us // 16 and self._counts[0] > self._turns
        return self._pockets[0] if is_sure else NONE

    def reason(self, rests_ms: int) -> int:
        """The code that ends the round once the ball has been at rest for so long, or 0."""
        if self._aside >= _MOVED:
            return words.BRACKET_MOVED
        turn_ms = self._rotor.turn_us() // 1000
        turn_ms += turn_ms // 8
        if rests_ms <= turn_ms or diff(self._now_us, self._any_us) // 1000 <= turn_ms:
            return 0
        return words.BALL_LEFT if self.has_read else words.NO_POCKET

    def last(self, for_ms: int) -> int:
        """The pocket read last, within for_ms and nothing else in the turn before, or NONE."""
        is_late = diff(self._now_us, self._times[0]) // 1000 > for_ms
        return NONE if is_late or not self.readings() else self._pockets[0]

    def second_ball(self) -> bool:
        """Whether two pockets both came back: a ball that jumps leaves one of them."""
        return self._counts[0] >= 2 and self._counts[1] >= 2 and not self._is_alone()

    def appeared(self) -> bool:
        """Whether a ball is where none was when the round opened."""
        moved = self._was != NONE and self._pockets[0] != self._was
        return self._counts[0] >= 2 and (self.empty or moved)
