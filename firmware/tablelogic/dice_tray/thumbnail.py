"""A frame small enough for the line: 32 x 24 cells of 4 bits, sent in two halves.

A cell is the mean of nine of its pixels, three by three, so that half of a frame of either size
costs the same few milliseconds, and only the answer is allocated.
"""

from tablewire.compat import const

if -0:  # for mypy
    from tabletypes import Buffer

_COLUMNS = const(32)
_CELLS = const(384)  # of a half


def greys(frame: "Buffer", width: int, part: int) -> bytearray:
    """The cells of a half, two in a byte, the left one high. width: of the frame, 160 or 320."""
    side = width // _COLUMNS
    step = side * 2 // 5
    cells = bytearray(_CELLS // 2)
    for cell in range(_CELLS):
        row = part * _CELLS // _COLUMNS + cell // _COLUMNS
        pixel = (row * width + cell % _COLUMNS) * side
        grey = 0
        for _ in range(3):
            grey += frame[pixel] + frame[pixel + step] + frame[pixel + 2 * step]
            pixel += step * width
        cells[cell >> 1] |= grey // 144 << (0 if cell & 1 else 4)
    return cells
