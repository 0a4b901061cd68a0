"""A picture in blocks of 8 x 8 px: what moved since the one before, and since a result.

Each block is represented by the mean of every second row, relative to the mean of the picture:
flickering lamps change all blocks alike and move nothing.
"""

from array import array

from tablewire.compat import const
from tablewire.crc import crc32

if -0:  # for mypy
    from tabletypes import Buffer

SIDE = const(8)  # px
_STEP = const(4)  # greys a block changes by when something moved in it
_UNKNOWN = const(0xFFFF)


class Blocks:
    """mean: of the picture, greys. span: brightest block less darkest."""

    def __init__(self, width: int, height: int) -> None:
        self._width = width
        self._columns = width // SIDE
        self._rows = height // SIDE
        count = self._columns * self._rows
        self._now = array("h", bytes(2 * count))
        self._before = array("h", bytes(2 * count))
        self._result = array("h", bytes(2 * count))
        self._has_before = self._has_now = self._has_kept = False
        self.mean = 0
        self.span = 0

    def measure(self, frame: "Buffer") -> None:
        """Measure a picture; the one measured last becomes the previous one."""
        self._now, self._before = self._before, self._now
        self._has_before, self._has_now = self._has_now, True
        pixels, now = memoryview(frame), self._now
        total = block = 0
        for row in range(self._rows):
            for column in range(self._columns):
                pixel = row * SIDE * self._width + column * SIDE
                grey = 0
                for _ in range(SIDE // 2):
                    grey += sum(pixels[pixel : pixel + SIDE])
                    pixel += 2 * self._width
                now[block] = grey >> 5
                total += grey >> 5
                block += 1
        self.mean = total // block
        self.span = max(now) - min(now)
        for place in range(block):
            now[place] -= self.mean

    def spread(self, first: int, end: int) -> int:
        """Greys between the brightest and the darkest block within rows first to end - 1, px."""
        blocks = self._now[-(-first // SIDE) * self._columns : end // SIDE * self._columns]
        return max(blocks) - min(blocks) if blocks else 0

    def changed(self) -> int:
        """Blocks that differ from the previous picture; 65535 when there was none."""
        return self._differ(self._before) if self._has_before else _UNKNOWN

    def since_kept(self) -> int:
        """Blocks that differ from the stored picture; 65535 when there is none."""
        return self._differ(self._result) if self._has_kept else _UNKNOWN

    def keep(self) -> None:
        """Store the picture measured last."""
        self._has_kept = True
        for place in range(len(self._now)):
            self._result[place] = self._now[place]

    def stored(self) -> bytes:
        """Return the stored picture, followed by its sum."""
        data = bytes(self._result)
        return data + (crc32(data, 0) & 0xFFFFFFFF).to_bytes(4, "little")

    def restore(self, data: "bytes | None") -> None:
        """Restore what stored() returned before a power cut; anything else is ignored."""
        length = 2 * len(self._result)
        if data is None or len(data) != length + 4:
            return
        if crc32(data[:length], 0) & 0xFFFFFFFF == int.from_bytes(data[length:], "little"):
            self._result = array("h", data[:length])
            self._has_kept = True

    def _differ(self, other: "array[int]") -> int:
        count = 0
        for place in range(len(other)):
            if abs(self._now[place] - other[place]) > _STEP:
                count += 1
        return count
