"""The top of a die: which pips it has.

The top is sampled on a grid of its own, so size and turn do not matter afterwards. Pips are what
is beyond half way from body to pip; each has to have the size of one, be on a place of the die's
lattice, and all together they have to be one of the six faces. Anything else that differs from
the body by a quarter, and anything that shines, is a doubt.
"""

from tablewire.compat import const

from .outline import cosine, sine
from .regions import Regions
from .rig import Rig
from .runs import FACTS

if -0:  # for mypy
    from tabletypes import Buffer, Work

GRID = const(24)  # samples along an edge
_COUNT = const(576)  # GRID * GRID
_RIM = const(1)  # samples at each edge that are left out: its rounding
_MOST_RUNS = const(288)  # every second sample begins one
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
        self._regions = Regions(_MOST_RUNS)
        self.body = 0  # its grey
        self.x = self.y = 0  # middle of the pips beside that of the top, sixteenths of a pixel
        self._pips: "list[tuple[int, int, int]]" = []  # x, y (sixteenths of a sample), samples

    def steps(self, frame: "Buffer", x: int, y: int, turn: int) -> "Work[int]":
        """Return the face of a top, or NO_FACE, GLARE or OTHER_BODY, in steps.

        x, y: its middle, sixteenths of a pixel; turn: 128ths of a turn.
        """
        self._sample(frame, x, y, turn)
        yield
        rig = self._rig
        # Of the middle sample: pips are fewer than half of them.
        body = sorted(self._grey)[_COUNT // 2]
        if 100 * abs(body - rig.body) > _BODY * abs(rig.body - rig.pip):
            return OTHER_BODY
        if self._mark_samples(body) > _SHINING:
            return GLARE
        yield
        places = self._lattice()
        doubts = 0
        for k in range(_COUNT):
            if self._mark[k] == _DOUBT and not self._is_near_pip(k % GRID, k // GRID):
                self._mark[k] = 0
                doubts += 1
        yield
        self._find_middle(body, turn)
        self.body = body
        return _FACES.get(places, NO_FACE) if doubts <= _DOUBTS else NO_FACE

    def _sample(self, frame: "Buffer", x: int, y: int, turn: int) -> None:
        """Sample the top."""
        rig, grey = self._rig, self._grey
        right, down = cosine(turn) * rig.side, sine(turn) * rig.side  # 256 * 16 of a pixel an edge
        for j in range(GRID):
            v = 2 * j - GRID + 1
            for i in range(GRID):
                u = 2 * i - GRID + 1
                px = x + (u * right - v * down + 256 * GRID) // (512 * GRID)
                py = y + (u * down + v * right + 256 * GRID) // (512 * GRID)
                grey[j * GRID + i] = rig.grey(frame, px, py)

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

    def _find_middle(self, body: int, turn: int) -> None:
        """Find the middle of the pips and the blur around them, by how much they differ from the
        body."""
        regions, grey = self._regions, self._grey
        least = abs(self._rig.body - self._rig.pip) // 16
        u = v = whole = 0
        for number in range(len(regions.area)):
            first, end = max(regions.left[number] - _BLUR, 0), regions.right[number] + _BLUR
            for j in range(
                max(regions.top[number] - _BLUR, 0), min(regions.bottom[number] + _BLUR, GRID)
            ):
                for i in range(first, min(end, GRID)):
                    weight = max(abs(grey[j * GRID + i] - body) - least, 0)
                    u += weight * (2 * i - GRID + 1)
                    v += weight * (2 * j - GRID + 1)
                    whole += weight
        whole = whole or 1
        u, v = (128 * u + whole // 2) // whole, (128 * v + whole // 2) // whole
        right, down = cosine(turn) * self._rig.side, sine(turn) * self._rig.side
        half = 32768 * GRID
        self.x = (u * right - v * down + half) // (2 * half)
        self.y = (u * down + v * right + half) // (2 * half)

    def _lattice(self) -> int:
        """Return the places of the pips as bits, row by row; 0 if one of them is no pip."""
        regions = self._regions
        self._find_regions()
        self._pips.clear()
        places = 0
        for number in range(len(regions.area)):
            place = self._place(number)
            if place < 0 or places & 1 << place:
                return 0
            places |= 1 << place
        return places if self._has_sizes(places) else 0

    def _find_regions(self) -> None:
        mark, runs = self._mark, self._regions.runs
        count = 0
        for k in range(1, _COUNT):
            if mark[k] == _PIP and mark[k - 1] != _PIP:
                runs[FACTS * count], runs[FACTS * count + 1] = k // GRID, k % GRID
            elif mark[k] != _PIP and mark[k - 1] == _PIP:
                runs[FACTS * count + 2] = k % GRID
                count += 1
        self._regions.join(count)

    def _place(self, number: int) -> int:
        """Return the place of a pip on the lattice, 0 to 8, or -1."""
        regions = self._regions
        left, right = regions.left[number], regions.right[number]
        top, bottom = regions.top[number], regions.bottom[number]
        wide, high, area = right - left, bottom - top, regions.area[number]
        if 100 * max(wide, high) > _LONG * min(wide, high) or 2 * area < wide * high:
            return -1
        x, y = 8 * (left + right), 8 * (top + bottom)
        self._pips.append((x, y, area))
        pitch = 16 * GRID * self._rig.pitch // 100
        column, off_x = _nearest(x - 8 * GRID, pitch)
        row, off_y = _nearest(y - 8 * GRID, pitch)
        return 3 * row + column if max(abs(off_x), abs(off_y)) <= _OFF else -1

    def _has_sizes(self, places: int) -> bool:
        rig = self._rig
        area = _COUNT * (rig.one_area if _FACES.get(places) == 1 else rig.pip_area)
        sizes = [pip[2] for pip in self._pips]
        if not sizes or 100 * max(sizes) > _UNLIKE * min(sizes):
            return False
        return _SMALL * area <= 100000 * min(sizes) and 100000 * max(sizes) <= _LARGE * area

    def _is_near_pip(self, i: int, j: int) -> bool:
        for x, y, area in self._pips:
            right, down = 16 * i + 8 - x, 16 * j + 8 - y
            # A disc of three times the area, and a sample around it for the blur.
            if right * right + down * down <= 256 * area + 1200:
                return True
        return False


def _nearest(along: int, pitch: int) -> "tuple[int, int]":
    """Return the nearest of the places -pitch, 0 and pitch, as 0, 1 or 2, and the way to it."""
    if 2 * along < -pitch:
        return 0, along + pitch
    if 2 * along > pitch:
        return 2, along - pitch
    return 1, along
