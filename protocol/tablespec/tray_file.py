"""Creates the file of a commissioned dice tray, `tray.0` on a board, that its firmware reads.

A tray with two lights that are switched in turn has `tray.1` for the second.

Little-endian: version and facts (u16 each), the floor as two bytes for each row, the grey of each
cell of the empty tray row by row, and the CRC-32 of all that, which is the digest of the tray.
"""

import struct
from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

FILES = ("tray.0", "tray.1")
"""Names in the flash of a board, by light; the number as extension says that it is no program."""
COLUMNS, ROWS = 160, 120
"""Cells of a tray, each one pixel of the small frames."""
VERSION = 3


class Facts(NamedTuple):
    """What commissioning measured, besides the empty tray.

    scale: px, side of a cell. side: of a die's top, sixteenths of a pixel; x, y: the point below
    the lens, likewise. height: of the lens above the floor, sixteenths of a die's edge. corner:
    radius of the corners of a top, percent of the side. body, pip: greys. pitch: from pip to pip
    of a 3 along an edge, percent of the side. pip_area, one_area: of a pip and of that of a 1, per
    mille of the top. sharpness: see `Outline` of the firmware. lean: per mille of an edge by which
    the foot of a die that leans is beside a flat one's, see `Lean`. rises: how much of the step
    from tray to top sides have that face right, down, left and up in the picture, percent.
    """

    scale: int
    side: int
    height: int
    x: int
    y: int
    corner: int
    body: int
    pip: int
    pitch: int
    pip_area: int
    one_area: int
    sharpness: int
    lean: int
    rises: tuple[int, int, int, int]


def tray_file(facts: Facts, spans: Sequence[tuple[int, int]], empty: bytes) -> bytes:
    """Return the file. spans: of each row the first cell of the floor and the one after the last,
    0 and 0 without any. empty: grey of each cell."""
    head = struct.pack("<18H", VERSION, *facts[:-1], *facts.rises)
    data = head + bytes(cell for span in spans for cell in span) + empty
    return data + crc32(data).to_bytes(4, "little")
