"""Whether a die leans, by how much it shows of its sides.

The middle of the pips is that of the top. From there a die reaches as far as its top, and farther
where a side shows: the sum of the rises from tray to body along a line is that reach, a side
counted by its share of the contrast. No blur changes a sum. What opposite reaches differ by is
where the foot is. It is compared with what a flat die shows at its place, and with what it would
show if its foot were beside that by the least lean, in each of 16 directions: a die has to
be nearer to the flat one. So one is in doubt too where the top hides how it stands.
"""

from array import array

from tablewire.compat import const

from .forms import rises
from .outline import X, Y, cosine, sine
from .rig import Rig
from .sizes import COUNT, ROW_PERCENTS, WAYS

if -0:  # for mypy
    from tabletypes import Buffer, Work

_QUARTER = const(32)  # of a turn
_BEYOND = const(15)  # percent of the side beyond a flat die's end: from there it is summed
_INSIDE = const(40)  # percent of the side from the middle: up to there it is die
_SHADOW = const(77)  # of a rise of 128 from tray to a dark body: a shadow of it has less


class Lean:
    """The sides of the die measured last; lengths are sixteenths of a pixel."""

    def __init__(self, rig: Rig) -> None:
        self.reach = [0] * 4  # right, below, left and above, as the die is turned
        self.out = [0] * 4  # how far the foot of a flat die is beyond its top, to these sides
        self._rig = rig
        self.least = 0 if rig.is_light() else _SHADOW
        self._ends = array("i", [0] * COUNT)
        self._rows = tuple(rig.side * percent // 100 for percent in ROW_PERCENTS)
        self._foot = [0, 0]  # how far from the middle of the top a flat die's is
        self._rises = [0] * 4  # of its sides, percent
        self._floor = rig.usual_grey()
        # Beside each side: the grey of the tray as a share of the die's, of 256; 0: dark dice.
        self.floors = [0] * 4

    def steps(self, frame: "Buffer", x: int, y: int, turn: int, body: int) -> "Work[None]":
        """Measure a die, in steps.

        x, y: middle of its pips. turn: 128ths of a turn. body: its grey.
        """
        rig, foot, out = self._rig, self._foot, self.out
        right, down = rig.foot(x, rig.x) - x, rig.foot(y, rig.y) - y
        for k in range(4):
            angle = turn + _QUARTER * k
            far = (right * cosine(angle) + down * sine(angle)) >> 8
            out[k] = max(far - rig.hidden(), 0)
            if k < 2:
                foot[k] = far
            c, s, start = cosine(angle), sine(angle), self.far(k)
            count = (start - rig.side * _INSIDE // 100) // 16
            facts = (rig.scale, body, self.least, x, y, c, s, start, count) + self._rows
            outside = rises(frame, rig.empty, self._ends, array("i", facts)) // COUNT
            self.reach[k] = sum(self._ends) // COUNT
            self.floors[k] = 256 * outside // max(body, 1) if rig.is_light() else 0
            self._rises[k] = self._rise_to(angle, self.floors[k])
            yield

    def far(self, k: int) -> int:
        """Return from where a side is looked for, from the middle of the top."""
        return self._rig.side // 2 + self.out[k] + self._rig.side * _BEYOND // 100

    def is_doubtful(self) -> bool:
        """Whether the die measured last is as near to one that leans as to a flat one."""
        lean = self._rig.side * self._rig.lean // 1000
        flat = self._off(0, 0)
        return any(self._off(lean * X[k] >> 8, lean * Y[k] >> 8) <= flat for k in range(WAYS))

    def _rise_to(self, angle: int, floor: int) -> int:
        """Return the rise of a side that faces that way, percent. floor: see floors.

        A side has a grey of its own, so its rise is less above a lighter tray. Light that falls
        from one side adds to what all have by the cosine of the angle between.
        """
        c, s, (right, below, left, above) = cosine(angle), sine(angle), self._rig.rises
        all_have = (min(right, left) * c * c + min(below, above) * s * s) >> 8
        rise = (all_have + max((right - left) * c + (below - above) * s, 0)) >> 8
        if not floor:
            return rise
        usual = 256 * self._floor // self._rig.body
        return (rise * (256 - usual) + 100 * (usual - floor)) // max(256 - floor, 1)

    def _off(self, right: int, down: int) -> int:
        """Return how far what the sides show is from that of a die with its foot so far from that
        of a flat one, squared."""
        off = 0
        for k in range(2):
            foot = self._foot[k] + (down if k else right)
            hidden = self._rig.hidden()
            visible = max(foot - hidden, 0) * self._rises[k]
            visible += min(foot + hidden, 0) * self._rises[k + 2]
            more = self.reach[k] - self.reach[k + 2] - visible // 100
            off += more * more
        return off
