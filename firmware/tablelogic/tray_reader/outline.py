"""The outline of a region: how far it reaches in 16 directions, to a sixteenth of a pixel.

What is between the ends of a row or column does not matter, so pips near an edge do not. An end is
where the grey crosses a level between two pixels: that between tray and top, or, for the outline
of everything that is no shadow, sides included, the one just above the tray.
"""

from tablewire.compat import const

from .rig import COLUMNS, ROWS, Rig
from .runs import FACTS, LIGHT, TOP

if -0:  # for mypy
    from tabletypes import Buffer, Work

    from .regions import Regions

    Ends = tuple[bytearray, bytearray]

WAYS = const(16)
TURN = const(128)  # parts of a turn in which angles are given
# 256 times the sine of k/128 of a turn, a quarter of it.
_QUARTER = (0, 13, 25, 38, 50, 62, 74, 86, 98, 109, 121, 132, 142, 152, 162, 172, 181) + (
    190,
    198,
    206,
    213,
    220,
    226,
    231,
    237,
    241,
    245,
    248,
    251,
    253,
    255,
    256,
    256,
)
_INSIDE = const(2)  # px: where the search for an end begins
_FAR = const(-1 << 20)
_NONE = const(-1)


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
        self.reach = [0] * WAYS  # farthest in each direction, sixteenths of a pixel
        # Percent of the step from tray to top that is within a pixel at the ends, along rows and
        # columns; twice that for light dice, three times for dark ones.
        self.sharpness = 0
        self._scale, self._body, self._empty = rig.scale, rig.body, rig.empty
        self._width, self._height = COLUMNS * rig.scale, ROWS * rig.scale
        # Factors of a pixel's grey and of the tray's, and an offset: by how much the pixel is on
        # the die's side of the level. Light dice have a second level, of top and sides.
        self._top_level = self._whole_level = (-3, -1, -2 * rig.body)
        if rig.is_light():
            self._top_level, self._whole_level = (2, 1, rig.body), (1, 1, LIGHT)
        self._level = self._top_level
        # First and last cells of a row and of a column; 255 and 0 without any.
        self._rows = bytearray(ROWS), bytearray(ROWS)
        self._columns = bytearray(COLUMNS), bytearray(COLUMNS)
        self._fall = self._steps = 0  # sums over the ends

    def steps(
        self, frame: "Buffer", regions: "Regions", number: int, is_whole: bool
    ) -> "Work[list[int]]":
        """Return reach, of a region, in steps.

        is_whole: of all that is no shadow, not only of its top.
        """
        self._level = self._whole_level if is_whole else self._top_level
        self._fall = self._steps = 0
        self._find_ends(regions, number, is_whole)
        for k in range(WAYS):
            self.reach[k] = _FAR
        for row in range(ROWS):
            self._put_ends(frame, self._rows, row, True)
        yield
        for column in range(COLUMNS):
            self._put_ends(frame, self._columns, column, False)
        self.sharpness = 100 * self._fall // max(self._steps, 1)
        return self.reach

    def _put_ends(self, frame: "Buffer", ends: "Ends", line: int, is_row: bool) -> None:
        """Measure both ends of a row or column of cells."""
        firsts, lasts = ends
        if lasts[line] < firsts[line]:
            return
        scale = self._scale
        first, last = firsts[line] * scale, (lasts[line] + 1) * scale - 1
        for k in range(line * scale, (line + 1) * scale):
            for end, way in ((first, -1), (last, 1)):
                if is_row:
                    self._put(self._end(frame, end, k, way, 0), 16 * k + 8)
                else:
                    self._put(16 * k + 8, self._end(frame, k, end, 0, way))

    def _find_ends(self, regions: "Regions", number: int, is_whole: bool) -> None:
        rows, columns = self._rows, self._columns
        for firsts, lasts in (rows, columns):
            for line in range(len(firsts)):
                firsts[line], lasts[line] = 255, 0
        for index in range(regions.count):
            row, first, end, kind = regions.runs[FACTS * index : FACTS * (index + 1)]
            if regions.label[index] == number and (is_whole or kind == TOP):
                rows[0][row] = min(rows[0][row], first)
                rows[1][row] = end - 1
                for column in range(first, end):
                    columns[0][column] = min(columns[0][column], row)
                    columns[1][column] = row

    def _end(self, frame: "Buffer", x: int, y: int, right: int, down: int) -> int:
        """Return where a die ends along one axis, from a pixel on or beside it; or _NONE.

        right, down: the way out.
        """
        empty, scale, width, height = self._empty, self._scale, self._width, self._height
        per_grey, per_base, offset = self._level
        x -= _INSIDE * right
        y -= _INSIDE * down
        step = right + down
        place = (x if right else y) - step
        inner = 0
        for _ in range(2 * _INSIDE + scale + 1):
            if not (0 <= x < width and 0 <= y < height):
                break
            base = empty[y // scale * COLUMNS + x // scale]
            outer = per_grey * frame[y * width + x] - per_base * base - offset
            if outer <= 0 < inner:
                self._fall += inner - outer
                self._steps += abs(self._body - base)
                return 16 * place + 8 + step * 16 * inner // (inner - outer)
            inner = outer
            place += step
            x += right
            y += down
        return _NONE

    def _put(self, x: int, y: int) -> None:
        if x == _NONE or y == _NONE:
            return
        reach, xs, ys = self.reach, X, Y
        for k in range(WAYS):
            far = (x * xs[k] + y * ys[k]) >> 8
            if far > reach[k]:
                reach[k] = far
