"""Whether an outline is that of one flat die, and where its top is.

Away from the point below the lens a flat die shows the side that faces it. So the outline is
between that of the top alone, where the side has the tray's grey, and that of top and foot
together. Each of sixteen directions has to be within a tolerance of that.
"""

from tablewire.compat import const

from .outline import X, Y, cosine, sine
from .rig import Rig
from .sizes import WAYS

_LOOSE = const(5)  # sixteenths of a pixel, and percent of the side: tolerance of an outline
_PERCENT = const(3)
_HIDDEN = const(5)  # percent of the side that a shadow at its foot may hide
_STEPS = const(8)
_APART = const(4)  # between turns that are tried first
_QUARTER = const(32)  # of a turn: a square is the same again
_WORST = const(1 << 20)
# Percent of the tolerance for a die of another size, whose side is that of its outline: it fits
# by 70, dice that lean by 12 degrees and chips from 80 on.
_LIKE = const(75)

SIZE = const(1)
LEAN = const(2)
OBJECT = const(3)


class Square:
    """The best fit of a flat die to an outline. reach: of the outline.

    side: of its top, sixteenths of a pixel; 0: the rig's.
    """

    def __init__(self, rig: Rig, reach: "list[int]", side: int = 0) -> None:
        self.x = self.y = 0  # middle of the top, sixteenths of a pixel
        self.turn = 0  # 128ths of a turn, 0 to 31
        self.misfit = _WORST  # farthest from a flat die's outline, sixteenths of a pixel
        self._rig = rig
        self._side = side or rig.side
        self._least = _WORST
        self._top = [0] * WAYS  # reach of the top, and of top and foot, of the trial
        self._both = [0] * WAYS
        for turn in range(0, _QUARTER, _APART):
            self._fit(reach, turn)
        for apart in (_APART // 2, _APART // 4):
            turn = self.turn
            self._fit(reach, turn - apart)
            self._fit(reach, turn + apart)
        self.turn %= _QUARTER

    def is_die(self) -> bool:
        """Whether the outline is that of a flat die of the rig's size."""
        return self.misfit <= tolerance(self._rig)

    def other(self, reach: "list[int]") -> int:
        """Return what the outline is of, if not of a flat die of the rig's size.

        SIZE: a flat die of another one. LEAN: of something wider, as a die that leans. Or OBJECT.
        """
        side = self._side * sum(reach) // max(sum(self._tops(self.turn)), 1)
        fit = Square(self._rig, reach, max(side, 1))
        if 100 * fit.misfit <= _LIKE * tolerance(self._rig):
            return SIZE
        return LEAN if side >= self._side else OBJECT

    def leans(self, whole: "list[int]") -> bool:
        """Whether the outline of top and sides is not that of a flat die. whole: its reach."""
        return self.lean(whole) > tolerance(self._rig)

    def lean(self, whole: "list[int]", soft: int = -1) -> int:
        """Return how far an outline of top and sides is from that of a flat die.

        soft: sixteenths of a pixel by which it is larger all around; below 0: what it is. Its
        level is just above the tray's, where a blurred edge reaches farther.
        """
        tops = self._tops(self.turn)
        self._place(self.x, self.y, tops, self._feet(tops))
        hidden = self._rig.side * _HIDDEN // 100
        off = [whole[k] - self._both[k] for k in range(WAYS)]
        if soft < 0:
            soft = sum(off) // WAYS
        return max(max(off) - soft, soft - min(off) - hidden)

    def sharpness(self, along: int) -> int:
        """Return the sharpness across its edges. along: that along rows and columns."""
        return along * (cosine(self.turn) + sine(self.turn)) >> 8

    def _tops(self, turn: int) -> "list[int]":
        """Return how far a top reaches from its middle."""
        corner = self._side * self._rig.corner // 100
        straight = self._side // 2 - corner
        angles = [8 * k - turn for k in range(WAYS)]
        return [(straight * (abs(cosine(a)) + abs(sine(a))) >> 8) + corner for a in angles]

    def _feet(self, tops: "list[int]") -> "list[int]":
        return [self._rig.foot(top, 0) for top in tops]

    def _place(self, x: int, y: int, tops: "list[int]", feet: "list[int]") -> None:
        """Note how far a die reaches. tops, feet: how far it does from the middle of each."""
        rig, top, both = self._rig, self._top, self._both
        xs, ys = X, Y
        foot_x, foot_y = rig.foot(x, rig.x), rig.foot(y, rig.y)
        for k in range(WAYS):
            far = ((x * xs[k] + y * ys[k]) >> 8) + tops[k]
            foot = ((foot_x * xs[k] + foot_y * ys[k]) >> 8) + feet[k]
            top[k] = far
            both[k] = far if far > foot else foot

    def _fit(self, reach: "list[int]", turn: int) -> None:
        """Fit a die turned so, by least squares; note it if it is the best one so far."""
        tops = self._tops(turn)
        feet = self._feet(tops)
        top, both, xs, ys = self._top, self._both, X, Y
        x = y = 0
        for k in range(WAYS):
            x += reach[k] * xs[k]
            y += reach[k] * ys[k]
        x, y = x >> 11, y >> 11  # the sixteen directions count eight times each way
        for _ in range(_STEPS + 1):
            self._place(x, y, tops, feet)
            right = down = worst = squares = 0
            for k in range(WAYS):
                off = reach[k] - top[k]
                if off > 0:
                    off = reach[k] - both[k]
                    if off <= 0:
                        continue
                right += off * xs[k]
                down += off * ys[k]
                squares += off * off
                worst = max(worst, abs(off))
            if squares < self._least:
                self._least = squares
                self.x, self.y, self.turn, self.misfit = x, y, turn, worst
            right, down = (right + 1024) >> 11, (down + 1024) >> 11
            if right == down == 0:
                break
            x += right
            y += down


def tolerance(rig: Rig) -> int:
    """Return how far an outline may be from a flat die's, sixteenths of a pixel."""
    return _LOOSE + rig.side * _PERCENT // 100
