"""What lies at one place of a picture, turned and scaled to a patch of one size and contrast."""

from tablewire.compat import const

from .picture import Picture, way_x, way_y
from .stepwise import finish

if -0:  # for mypy
    from tabletypes import Work

SIZE = const(32)  # places each way
DIE = const(20)  # places across a die
_FINE = const(20)  # sixteenths of a pixel between places: beyond it four samples for each
# The disc whose contrast counts, well inside a die: from each row, first and last column but one.
# What lies around a die does not matter, however bright.
DISC = (
    (8, 13, 19),
    (9, 12, 20),
    (10, 11, 21),
    (11, 10, 22),
    (12, 9, 23),
    (13, 8, 24),
    (14, 8, 24),
    (15, 8, 24),
    (16, 8, 24),
    (17, 8, 24),
    (18, 8, 24),
    (19, 9, 23),
    (20, 10, 22),
    (21, 11, 21),
    (22, 12, 20),
    (23, 13, 19),
)
_PLACES = const(196)  # in it
_LEAST = const(12)  # least spread (four mean deviations) that is made larger
_ROWS = const(4)  # of a patch, filled in one step
_WAYS = const(64)  # the length of a direction of picture.py


def cut(picture: Picture, place: "tuple[int, ...]", out: bytearray) -> None:
    """Write SIZE * SIZE greys around a place into out: 128 the middle's mean, in even contrast.

    place: (x, y, side of the die, direction 0-31); lengths in sixteenths of a pixel.
    """
    finish(steps(picture, place, out))


def steps(picture: Picture, place: "tuple[int, ...]", out: bytearray) -> "Work[None]":
    """Do what cut() does in steps."""
    fill = _coarse if place[2] > _FINE * DIE else _fine
    for row in range(0, SIZE, _ROWS):
        fill(picture, place, row, out)
        yield
    _even(out)


def _fine(picture: Picture, place: "tuple[int, ...]", row: int, out: bytearray) -> None:
    x, y, side, way = place
    level = picture.level
    across = way_x(way) * side
    down = way_y(way) * side
    part = 2 * DIE * _WAYS
    index = row * SIZE
    first = 1 - SIZE + 2 * row
    for j in range(first, first + 2 * _ROWS, 2):
        for i in range(1 - SIZE, SIZE, 2):
            value = level(x + (i * across - j * down) // part, y + (i * down + j * across) // part)
            out[index] = (value + 8) >> 4
            index += 1


def _coarse(picture: Picture, place: "tuple[int, ...]", row: int, out: bytearray) -> None:
    """The mean of four samples for each place, a quarter of a step from it."""
    x, y, side, way = place
    level = picture.level
    across = way_x(way) * side
    down = way_y(way) * side
    part = 4 * DIE * _WAYS
    index = row * SIZE
    first = 2 - 2 * SIZE + 4 * row
    for j in range(first, first + 4 * _ROWS, 4):
        for i in range(2 - 2 * SIZE, 2 * SIZE, 4):
            total = 32
            for b in (j - 1, j + 1):
                for a in (i - 1, i + 1):
                    total += level(
                        x + (a * across - b * down) // part, y + (a * down + b * across) // part
                    )
            out[index] = min(255, total >> 6)
            index += 1


def _even(out: bytearray) -> None:
    """Shift and stretch the greys by mean and mean deviation of the disc."""
    total = 0
    for row, first, end in DISC:
        total += sum(out[row * SIZE + first : row * SIZE + end])
    mean = total // _PLACES
    spread = 0
    for row, first, end in DISC:
        for grey in out[row * SIZE + first : row * SIZE + end]:
            spread += abs(grey - mean)
    spread = max(_LEAST, 4 * spread // _PLACES)
    table = bytearray(256)
    for grey in range(256):
        table[grey] = 128 + max(-127, min(127, (grey - mean) * 160 // spread))
    for index in range(SIZE * SIZE):
        out[index] = table[out[index]]
