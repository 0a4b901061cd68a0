"""A grey picture and what is measured in it. Positions are sixteenths of a pixel."""

from tablewire.compat import const

if -0:  # for mypy
    from tabletypes import Buffer

# The 32 directions: 64 times the sine of k/32 of a turn; the cosine stands eight further on.
_SINE = (
    (0, 12, 24, 36, 45, 53, 59, 63, 64, 63, 59, 53, 45, 36, 24, 12)
    + (0, -12, -24, -36, -45, -53, -59, -63, -64, -63, -59, -53, -45, -36, -24, -12)
    + (0, 12, 24, 36, 45, 53, 59, 63)
)
WAYS = const(32)


def way_x(k: int) -> int:
    """Return 64 times how far direction k, 0-31, goes to the right."""
    return _SINE[k + 8]


def way_y(k: int) -> int:
    """Return 64 times how far direction k, 0-31, goes down."""
    return _SINE[k]


def root(square: int) -> int:
    """Return the whole part of a square root."""
    guess = square
    better = (square + 1) // 2
    while better < guess:
        guess = better
        better = (guess + square // guess) // 2
    return guess


class Picture:
    """A frame of width * height bytes, row by row; both at least 16."""

    def __init__(self, frame: "Buffer", width: int, height: int) -> None:
        self.frame = frame
        self.width = width
        self.height = height

    def level(self, x: int, y: int) -> int:
        """Return 16 times the grey at a position, between the four pixels around it."""
        column = min(max(x >> 4, 0), self.width - 2)
        row = min(max(y >> 4, 0), self.height - 2)
        right = min(max(x - (column << 4), 0), 16)
        down = min(max(y - (row << 4), 0), 16)
        frame = self.frame
        i = row * self.width + column
        above = frame[i] * (16 - right) + frame[i + 1] * right
        i += self.width
        below = frame[i] * (16 - right) + frame[i + 1] * right
        return (above * (16 - down) + below * down) >> 4

    def around(self, x: int, y: int, radius: int) -> "list[int]":
        """Return 16 times the greys at eight places around a position, darkest first."""
        return sorted(
            self.level(x + way_x(k) * radius // 64, y + way_y(k) * radius // 64)
            for k in range(0, WAYS, 4)
        )
