"""The outline of a region: how far it reaches in 16 directions, to a sixteenth of a pixel.

What is between the ends of a row or column does not matter, so pips near an edge do not. An end is
where the grey crosses a level between two pixels: that between tray and top, or, for the outline
of everything that is no shadow, sides included, the one just above the tray.
"""

from array import array

from tablewire.compat import const

from .forms import ends
from .rig import Rig
from .sizes import COLUMNS, FACTS, FALL, FAR, LIGHT, ROWS, STEPS, TOP, WAYS

if -0:  # for mypy
    from tabletypes import Buffer, IntArray, Work

    from .regions import Regions

TURN = const(128)  # parts of a turn in which angles are given
# 256 times the sine of k/128 of a turn, a quarter of it.
_QUARTER = (
    0, 13, 25, 38, 50, 62, 74, 86, 98, 109, 121, 132, 142, 152, 162, 172, 181, 190,
    198, 206, 213, 220, 226, 231, 237, 241, 245, 248, 251, 253, 255, 256, 256,
)  # fmt: skip


def sine(k: int) -> int:
    """Return 256 times the sine of k/128 of a turn."""
    k &= 127
    if k >= 64:
        return -sine(k - 64)
    return _QUARTER[k] if k <= 32 else _QUARTER[64 - k]


def cosine(k: int) -> int:
    """Return 256 times the cosine of k/128 of a turn."""
    return sine(k + 32)


X = tuple(cosine(8 * k) for k in range(WAYS))
Y = tuple(sine(8 * k) for k in range(WAYS))


class Outline:
    """The outline measured last; buffers are made once."""

    def __init__(self, rig: Rig) -> None:
        # Farthest in each direction, sixteenths of a pixel, and what ends() adds to.
        self.reach: "IntArray" = array("i", [0] * (STEPS + 1))
        # Percent of the step from tray to top that is within a pixel at the ends, along rows and
        # columns; twice that for light dice, three times for dark ones.
        self.sharpness = 0
        self._empty = rig.empty
        # Factors of a pixel's grey and of the tray's, and an offset: by how much the pixel is on
        # the die's side of the level. Light dice have a second level, of top and sides.
        top = whole = (-3, -1, -2 * rig.body)
        if rig.is_light():
            top, whole = (2, 1, rig.body), (1, 1, LIGHT)
        self._facts = [
            array("i", (rig.scale, rig.body) + level + (0,) + X + Y) for level in (top, whole)
        ]
        # First and last cells of a row and of a column; 255 and 0 without any.
        self._rows = bytearray(ROWS), bytearray(ROWS)
        self._columns = bytearray(COLUMNS), bytearray(COLUMNS)

    def steps(
        self, frame: "Buffer", regions: "Regions", number: int, is_whole: bool
    ) -> "Work[list[int]]":
        """Return reach, of a region, in steps.

        is_whole: of all that is no shadow, not only of its top.
        """
        facts, reach = self._facts[is_whole], self.reach
        self._find_ends(regions, number, is_whole)
        for k in range(STEPS + 1):
            reach[k] = FAR if k < WAYS else 0
        yield
        for is_row, (firsts, lasts) in ((1, self._rows), (0, self._columns)):
            facts[5] = is_row
            ends(frame, self._empty, (firsts, lasts, reach), facts)
        self.sharpness = 100 * reach[FALL] // max(reach[STEPS], 1)
        return list(reach[:WAYS])

    def _find_ends(self, regions: "Regions", number: int, is_whole: bool) -> None:
        for firsts, lasts in (self._rows, self._columns):
            for line in range(len(firsts)):
                firsts[line], lasts[line] = 255, 0
        (lefts, rights), (tops, bottoms) = self._rows, self._columns
        for index in range(regions.count):
            row, first, end, kind = regions.runs[FACTS * index : FACTS * (index + 1)]
            if regions.label[index] == number and (is_whole or kind == TOP):
                lefts[row] = min(lefts[row], first)
                rights[row] = end - 1
                for column in range(first, end):
                    if tops[column] > row:
                        tops[column] = row
                    bottoms[column] = row
