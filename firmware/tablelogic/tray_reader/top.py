"""The top of a die: which pips it has.

The top is sampled on a grid of its own, so size and turn do not matter afterwards. Pips are what
is beyond half way from body to pip. Each sample of them belongs to the nearest place of the die's
lattice, so that pips which a blur joins are still told apart. What is at a place has to be round,
of a pip's size and near its middle, and all places together have to be one of the six faces.
Anything else that differs from the body by a quarter, and anything that shines, is a doubt.
"""

from array import array

from tablewire.compat import const

from .forms import sample
from .outline import cosine, sine
from .rig import Rig
from .sizes import GRID

if -0:  # for mypy
    from tabletypes import Buffer, Work

_COUNT = const(576)  # GRID * GRID
_RIM = const(1)  # samples at each edge that are left out: its rounding
# Places of pips as bits, row by row.
_FACES = {
    0b000010000: 1,
    0b100000001: 2,
    0b001000100: 2,
    0b100010001: 3,
    0b001010100: 3,
    0b101000101: 4,
    0b101010101: 5,
    0b101101101: 6,
    0b111000111: 6,
}
_OFF = const(26)  # sixteenths of a sample: how far a pip may be from its place
_SMALL = const(45)  # percent of a pip's area
_LARGE = const(190)
_UNLIKE = const(150)  # percent: the largest pip of a die against its smallest
_LONG = const(180)  # percent: length of a pip against its width
_BLUR = const(1)  # samples around a pip
_STRAY = const(3)  # samples at a place that are no pip, but the edge of one beside it or a doubt
_DOUBTS = const(4)  # samples that may differ without being a pip
_BODY = const(40)  # percent of the contrast by which a body may differ from the rig's
_SHINE = const(24)  # greys beyond the lighter of body and pip that are a highlight
_SHINING = const(2)  # samples that may

NO_FACE = const(0)
GLARE = const(-1)
OTHER_BODY = const(-2)
_DOUBT = const(1)  # marks of samples
_PIP = const(2)


class Top:
    """Reads tops; its buffers are made once."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._grey = bytearray(_COUNT)
        self._mark = bytearray(_COUNT)  # 0 body, _DOUBT or _PIP; 0 at the rim
        self._pitch = 16 * GRID * rig.pitch // 100  # sixteenths of a sample
        self.body = 0  # its grey
        self.x = self.y = 0  # middle of the pips beside that of the top, sixteenths of a pixel
        self._pips: "list[tuple[int, int, int]]" = []  # x, y (sixteenths of a sample), samples

    def steps(self, frame: "Buffer", x: int, y: int, turn: int) -> "Work[int]":
        """Return the face of a top, or NO_FACE, GLARE or OTHER_BODY, in steps.

        x, y: its middle, sixteenths of a pixel; turn: 128ths of a turn.
        """
        rig = self._rig
        right, down = cosine(turn) * rig.side, sine(turn) * rig.side
        sample(frame, self._grey, array("i", (rig.scale, x, y, right, down)))
        yield
        # Of the middle sample: pips are fewer than half of them.
        body = self.body = sorted(self._grey)[_COUNT // 2]
        if 100 * abs(body - rig.body) > _BODY * abs(rig.body - rig.pip):
            return OTHER_BODY
        if self._mark_samples(body) > _SHINING:
            return GLARE
        yield
        face = self._face(turn)
        yield
        return NO_FACE if self._doubts() > _DOUBTS else face

    def _mark_samples(self, body: int) -> int:
        """Mark the samples; return how many shine."""
        rig = self._rig
        contrast = abs(rig.body - rig.pip)
        brightest = min(max(body, rig.body, rig.pip) + _SHINE, 254)
        shining = 0
        for j in range(_RIM, GRID - _RIM):
            for k in range(j * GRID + _RIM, (j + 1) * GRID - _RIM):
                grey = self._grey[k]
                shining += grey > brightest
                depth = body - grey if rig.is_light() else grey - body
                # Away from the pip's grey it is a doubt as well.
                is_doubt = 4 * abs(depth) > contrast
                self._mark[k] = _PIP if 2 * depth > contrast else _DOUBT if is_doubt else 0
        return shining

    def _face(self, turn: int) -> int:
        """Return the face, NO_FACE if a place has no pip but something; find their middle."""
        columns, rows = [0] * GRID, [0] * GRID
        for k in range(_COUNT):
            if self._mark[k] == _PIP:
                columns[k % GRID] += 1
                rows[k // GRID] += 1
        right, down = self._borders(columns), self._borders(rows)
        self._pips.clear()
        places = u = v = 0
        for place in range(9):
            row, column = place // 3, place % 3
            cell = right[column], right[column + 1], down[row], down[row + 1]
            left, end, top, bottom, area = self._blob(*cell)
            if area <= _STRAY:
                continue
            x, y = 8 * (left + end), 8 * (top + bottom)
            off_x = x - 8 * GRID - (column - 1) * self._pitch
            off_y = y - 8 * GRID - (row - 1) * self._pitch
            wide, high = end - left, bottom - top
            is_round = 100 * max(wide, high) <= _LONG * min(wide, high) and 2 * area >= wide * high
            if not is_round or max(abs(off_x), abs(off_y)) > _OFF:
                return NO_FACE
            places |= 1 << place
            self._pips.append((x, y, area))
            along, across = self._middle(
                max(left - _BLUR, cell[0]),
                min(end + _BLUR, cell[1]),
                max(top - _BLUR, cell[2]),
                min(bottom + _BLUR, cell[3]),
            )
            u += along
            v += across
        if not self._has_sizes(places):
            return NO_FACE
        self._find_middle(u, v, turn)
        return _FACES.get(places, NO_FACE)

    def _borders(self, counts: "list[int]") -> "list[int]":
        """Return where the lines of the lattice begin, and the end of the last one.

        counts: samples of pips by column, or by row. All may be beside their places by one way,
        which is found first.
        """
        pitch, off = self._pitch, 0
        for _ in range(3):
            first, last = ((8 * GRID + 7 + off + way) // 16 for way in (-pitch // 2, pitch // 2))
            ways = 0
            for k in range(GRID):
                line = -pitch if k < first else pitch if k >= last else 0
                ways += counts[k] * (16 * k + 8 - 8 * GRID - line)
            off = ways // max(sum(counts), 1)
        return [0, first, last, GRID]

    def _blob(self, first: int, end: int, top: int, bottom: int) -> "tuple[int, ...]":
        """Return left, right, top and bottom of what samples of pips are there, and how many."""
        left, right, low, high, area = end, first, bottom, top, 0
        for j in range(top, bottom):
            for i in range(first, end):
                if self._mark[j * GRID + i] == _PIP:
                    left, right = min(left, i), max(right, i + 1)
                    low, high = min(low, j), j + 1
                    area += 1
        return left, right, low, high, area

    def _middle(self, left: int, right: int, top: int, bottom: int) -> "tuple[int, int]":
        """Return the middle of a pip and its blur, by how much they differ from the body.

        In 256ths of a sample, from the middle of the top.
        """
        grey, body = self._grey, self.body
        least = abs(self._rig.body - self._rig.pip) // 16
        u = v = whole = 0
        for j in range(top, bottom):
            for i in range(left, right):
                weight = max(abs(grey[j * GRID + i] - body) - least, 0)
                u += weight * (2 * i - GRID + 1)
                v += weight * (2 * j - GRID + 1)
                whole += weight
        whole = whole or 1
        return (128 * u + whole // 2) // whole, (128 * v + whole // 2) // whole

    def _find_middle(self, u: int, v: int, turn: int) -> None:
        """Note the middle of the pips. u, v: sums of theirs."""
        right, down = cosine(turn) * self._rig.side, sine(turn) * self._rig.side
        whole = 65536 * GRID * len(self._pips)
        self.x = (u * right - v * down + whole // 2) // whole
        self.y = (u * down + v * right + whole // 2) // whole

    def _has_sizes(self, places: int) -> bool:
        rig = self._rig
        area = _COUNT * (rig.one_area if _FACES.get(places) == 1 else rig.pip_area)
        sizes = [pip[2] for pip in self._pips]
        if not sizes or 100 * max(sizes) > _UNLIKE * min(sizes):
            return False
        return _SMALL * area <= 100000 * min(sizes) and 100000 * max(sizes) <= _LARGE * area

    def _doubts(self) -> int:
        """Return how many samples differ that are at no pip; one of a pip's depth is too many."""
        doubts = 0
        for k in range(_COUNT):
            mark = self._mark[k]
            if mark and not self._is_near_pip(k % GRID, k // GRID):
                doubts += 1 if mark == _DOUBT else _DOUBTS + 1
        return doubts

    def _is_near_pip(self, i: int, j: int) -> bool:
        for x, y, area in self._pips:
            right, down = 16 * i + 8 - x, 16 * j + 8 - y
            # A disc of three times the area, and a sample around it for the blur.
            if right * right + down * down <= 256 * area + 1200:
                return True
        return False
