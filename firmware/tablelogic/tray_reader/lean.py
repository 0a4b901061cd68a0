"""How far a die may lean, by how far it reaches beside its pips.

The middle of the pips is that of the top. A die that leans has its foot elsewhere than a flat one:
it shows a side that a flat one hides, or hides one that a flat one shows. What two opposite sides
differ by gives the place of the foot along that way. Where the top hides both of them the foot may
be anywhere below it, so a die there is in doubt if that may be far from a flat one's.
"""

from tablewire.compat import const

from .outline import cosine, sine
from .rig import Rig
from .runs import LIGHT, SHADE

if -0:  # for mypy
    from tabletypes import Buffer, Work

_QUARTER = const(32)  # of a turn
# Rows in which the end of a side is looked for, on each side of its middle, and percent of the
# side from row to row. Pips of a visible side hide its edge in up to two thirds of them, so one of
# the farthest counts. Beyond are round corners.
_ROWS = const(4)
_APART = const(9)
_COUNT = const(9)
_COUNTS = const(6)
_BEYOND = const(15)  # percent of the side beyond a flat die's end: from there it is looked for
_INSIDE = const(40)  # percent of the side from the middle: up to there
# Of a rise of 128 from tray to body: what a side has at least, and no shadow.
_SIDE_LIGHT = const(26)
_SIDE_DARK = const(77)
# Per mille of the side. By 5 degrees a foot is 87 beside that of a flat die.
_NOISE = const(8)  # by which two sides that the top hides differ
_OFF = const(20)  # by which a foot that is seen may be beside a flat die's, and its blur
_HIDDEN = const(84)  # by which one may be that is not
# Sixteenths of a pixel. A narrow side of a light die in the shade has a third of its contrast, and
# runs into the blur of the top's edge.
_BLUR_LIGHT = const(13)
_BLUR_DARK = const(11)


class Lean:
    """The sides of the die measured last; lengths are sixteenths of a pixel."""

    def __init__(self, rig: Rig) -> None:
        self.reach = [0] * 4  # right, below, left and above, as the die is turned
        self._rig = rig
        self._least = _SIDE_LIGHT if rig.is_light() else _SIDE_DARK
        self._ends = [0] * _COUNT
        self._body = self._base = self._outside = 1  # greys: of the die, of the tray beside it
        # Squares of how far the foot is, and may be, from that of a flat die.
        self._off = self._hidden = 0

    def steps(self, frame: "Buffer", x: int, y: int, turn: int, body: int) -> "Work[None]":
        """Measure a die, in steps.

        x, y: middle of its pips. turn: 128ths of a turn. body: its grey.
        """
        rig, reach = self._rig, self.reach
        self._body = body
        right, down = rig.foot(x, rig.x) - x, rig.foot(y, rig.y) - y
        half = rig.side // 2
        shorter = half - rig.foot(half, 0)
        for k in range(4):
            angle = turn + _QUARTER * k
            foot = (right * cosine(angle) + down * sine(angle)) >> 8
            far = half + max(foot - shorter, 0) + rig.side * _BEYOND // 100
            reach[k] = self._reach(frame, x, y, angle, far)
            yield
        self._off = self._hidden = 0
        for k in range(2):
            angle = turn + _QUARTER * k
            foot = (right * cosine(angle) + down * sine(angle)) >> 8
            self._compare(reach[k] - reach[k + 2], foot, shorter)

    def is_doubtful(self) -> bool:
        """Whether the die measured last leans, or may do so by 5 degrees or more."""
        side = self._rig.side
        off, hidden = side * _OFF // 1000, side * _HIDDEN // 1000
        off += _BLUR_LIGHT if self._rig.is_light() else _BLUR_DARK
        return self._off > off * off or self._hidden > hidden * hidden

    def _compare(self, differ: int, foot: int, shorter: int) -> None:
        """Add how far a foot is from that of a flat die along one way.

        differ: by how much the die reaches farther that way than back. foot: how far from the
        middle of the top a flat die's is. shorter: by how much it reaches less to each side.
        """
        flat = max(foot - shorter, 0) + min(foot + shorter, 0)
        self._off += (differ - flat) * (differ - flat)
        noise = self._rig.side * _NOISE // 1000
        least = differ + shorter if differ > noise else -shorter
        most = differ - shorter if differ < -noise else shorter
        may = max(most - foot, foot - least)
        self._hidden += may * may

    def _reach(self, frame: "Buffer", x: int, y: int, angle: int, far: int) -> int:
        """Return how far a die reaches from the middle of its pips. far: from there inwards."""
        side, c, s, ends = self._rig.side, cosine(angle), sine(angle), self._ends
        x, y = 256 * x + far * c, 256 * y + far * s
        most = (far - side * _INSIDE // 100) // 16
        for k in range(_COUNT):
            across = side * _APART * (k - _ROWS) // 100
            depth = self._depth(frame, x - across * s, y + across * c, c, s, most)
            ends[k] = far - depth
        ends.sort()
        return ends[_COUNTS]

    def _depth(self, frame: "Buffer", x: int, y: int, c: int, s: int, most: int) -> int:
        """Return how far from a place a die begins. x, y: 256 times as fine. most: pixels."""
        self._begin(frame, x, y)
        before = last = 0
        for k in range(most + 1):
            x -= c << 4
            y -= s << 4
            now = self._rise(frame, x, y)
            if last >= self._least:
                # It ends where it has half of what it has here, a pixel farther in.
                if now > 2 * last:
                    return 16 * k + 16 * (now - 2 * last) // (2 * (now - last))
                return 16 * k - 16 * (2 * last - now) // (2 * max(last - before, 1))
            before, last = last, now
        return 16 * most

    def _begin(self, frame: "Buffer", x: int, y: int) -> None:
        """Note the grey of the tray at a place beside a die: it may be in the die's shadow."""
        x >>= 8
        y >>= 8
        base = self._base = self._rig.empty_grey(x, y)
        grey = self._rig.grey(frame, x, y)
        self._outside = min(max(grey, base * SHADE // 100), base + LIGHT)

    def _rise(self, frame: "Buffer", x: int, y: int) -> int:
        """Return how much of the step from tray to body there is at a place, of 128."""
        x >>= 8
        y >>= 8
        floor = self._rig.empty_grey(x, y) * self._outside // self._base
        return 128 * (self._rig.grey(frame, x, y) - floor) // ((self._body - floor) or 1)
