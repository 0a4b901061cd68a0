"""What commissioning measured of a tray: its floor, how it looks empty, its dice, its lens.

The empty tray is stored in cells, the floor as a span of cells in each row. The camera looks
straight down, so the tops of dice have one size everywhere in the picture; their feet are nearer
to the point below the lens. Lengths are sixteenths of a pixel unless a field says otherwise.
"""

from array import array

from tablewire.compat import const
from tablewire.crc import crc32

from .sizes import COLUMNS, ROWS

if -0:  # for mypy
    from tabletypes import Buffer

_VERSION = const(3)
_FACTS = const(14)  # version and single facts
_HEAD = const(36)  # bytes: those and four rises, two each
_SPANS = const(240)  # 2 * ROWS
_CELLS = const(19200)  # COLUMNS * ROWS
_EDGE = const(16)  # a die's edge in the unit of height


class RigError(Exception):
    """The stored rig cannot be used; args: what is wrong with it."""


class Rig:
    """A commissioned tray. data: its file, as tablespec.tray_file makes it. Raises RigError."""

    def __init__(self, data: "Buffer") -> None:
        length = _HEAD + _SPANS + _CELLS
        if len(data) != length + 4:
            raise RigError("length")
        view = memoryview(data)
        self.digest = int.from_bytes(view[length:], "little")
        if crc32(view[:length], 0) & 0xFFFFFFFF != self.digest:
            raise RigError("sum")
        head = array("H", bytes(view[:_HEAD]))
        (
            version,
            self.scale,  # px: side of a cell, 1 or 2
            self.side,  # of a die's top
            self.height,  # of the lens above the floor, sixteenths of a die's edge
            self.x,  # of the point below the lens
            self.y,
            self.corner,  # radius of the corners of a top, percent of the side
            self.body,  # grey of a top
            self.pip,  # grey in the middle of a pip
            self.pitch,  # from pip to pip of a 3, along an edge, percent of the side
            self.pip_area,  # per mille of the top
            self.one_area,  # of the pip of a 1, per mille of the top
            self.sharpness,  # across the edges of tops, see Outline
            self.lean,  # per mille of an edge by which the foot of a die that leans is elsewhere
        ) = head[:_FACTS]
        # Of sides that face right, down, left and up in the picture: how much of the step from
        # tray to top they have, percent.
        self.rises = head[_FACTS:]
        if version != _VERSION:
            raise RigError("version")
        self.spans = view[_HEAD : _HEAD + _SPANS]
        self.empty = view[_HEAD + _SPANS : length]
        # Native code looks at cells without a check of its own.
        is_within = max(self.spans) <= COLUMNS
        if not (is_within and 1 <= self.scale <= 2 and self.side and self.height > _EDGE):
            raise RigError("values")

    def is_light(self) -> bool:
        """Whether the dice are lighter than their pips."""
        return self.body > self.pip

    def usual_grey(self) -> int:
        """Return the grey of the empty tray below the lens: above it sides have their rises."""
        column, row = (self.x >> 4) // self.scale, (self.y >> 4) // self.scale
        return self.empty[min(row, ROWS - 1) * COLUMNS + min(column, COLUMNS - 1)]

    def foot(self, along: int, lens: int) -> int:
        """Return where the foot of a die is that has its top there, in x or y. lens: x or y."""
        return lens + (along - lens) * (self.height - _EDGE) // self.height

    def hidden(self) -> int:
        """Return by how much the foot of a die below the lens is less wide than its top, to each
        side."""
        return self.side // 2 - self.foot(self.side // 2, 0)

    def is_inside(self, row: int, first: int, end: int) -> bool:
        """Whether cells first to end - 1 of a row have floor on all sides."""
        if not 0 < row < ROWS - 1:
            return False
        for k in (2 * row - 2, 2 * row, 2 * row + 2):
            if first <= self.spans[k] or end >= self.spans[k + 1]:
                return False
        return True
