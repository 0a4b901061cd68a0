"""The places of the far wall and of the mark on it in a picture: a shift means the camera moved.

The wall is searched in eight stretches; in each the sharpest step of grey near its place is its
end. The median of those found decides, so a die or a shadow does not. The mark, a patch of another
grey on the wall, is searched in one stretch along the wall.
"""

from array import array

from tablewire.compat import const

if -0:  # for mypy
    from tabletypes import Buffer

_STRETCHES = const(8)
_LENGTH = const(8)  # px of a stretch
_REACH = const(10)  # px to each side of the expected place
_STEP = const(10)  # greys: less is no edge
_LEAST = const(3)  # stretches that must show one
_LOST = const(255)


class Landmarks:
    """width: of the pictures, px."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._levels = array("h", bytes(2 * (2 * _REACH + 1)))
        self._off = array("h", bytes(2 * _STRETCHES))

    def shift(self, frame: "Buffer", wall: int, mark: int) -> int:
        """Pixels that wall or mark are off their places, the greater; 255: not found.

        wall: row at which the cloth begins; mark: column at which the mark does.
        """
        pixels = memoryview(frame)
        across = (self._width - _LENGTH) // _STRETCHES
        for k in range(_STRETCHES):
            self._off[k] = self._wall(pixels, wall, k * across)
        offsets = sorted(off for off in self._off if off >= 0)
        if len(offsets) < _LEAST:
            return _LOST
        off = self._mark(pixels, wall, mark)
        return max(offsets[len(offsets) // 2], off) if off >= 0 else _LOST

    def _wall(self, pixels: memoryview, place: int, column: int) -> int:
        first = max(place - _REACH, 0)
        count = place + _REACH - first
        for k in range(count):
            pixel = (first + k) * self._width + column
            self._levels[k] = sum(pixels[pixel : pixel + _LENGTH])
        return self._sharpest(first, count, place, _LENGTH)

    def _mark(self, pixels: memoryview, wall: int, place: int) -> int:
        first = place - _REACH
        rows = max(wall - 2, 1)
        for k in range(2 * _REACH):
            pixel = first + k
            level = 0
            for _ in range(rows):
                level += pixels[pixel]
                pixel += self._width
            self._levels[k] = level
        return self._sharpest(first, 2 * _REACH, place, rows)

    def _sharpest(self, first: int, count: int, place: int, length: int) -> int:
        # Over two pixels, because a lens blurs an edge.
        best = _STEP * length
        edge = -1
        for k in range(1, count - 1):
            step = abs(self._levels[k + 1] - self._levels[k - 1])
            if step >= best:
                best = step
                edge = k
        return abs(first + edge - place) if edge >= 0 else -1
