"""Where bodies of dice may lie: what stands out from the cloth, as whole things of a die's shape.

The second way to a die beside its pips: pips that glare or marbling hides leave the body in sight.
"""

from tablewire.compat import const

from .cell_grid import SIDE, Cells
from .picture import Picture
from .stepwise import CELLS
from .things import LEAST, things

if -0:  # for mypy
    from tabletypes import Spot, Work

_LARGEST = const(112)  # px, either way: what is larger is no group of dice
_FAINT = const(10)  # greys, beside the noise, that make a body
_LEVELS = (32, 45, 64, 88)  # percent of the body's contrast, at which its outline is drawn
_EDGES = const(2)  # px of cloth kept around a thing
_ROWS = const(8)  # of a box, measured in one step


def bodies(picture: Picture, cells: Cells) -> "Work[list[Spot]]":
    """Return (x, y, side) of each thing that may be a body, in sixteenths of a pixel, in steps.

    Writes over cells.mean.
    """
    spots: "list[Spot]" = []
    marks = cells.mean
    for cell in range(len(marks)):
        marks[cell] = cells.cloth[cell]
    for cell in range(len(marks)):
        if not (cell + 1) % CELLS:
            yield
        if not marks[cell]:
            box = yield from _walk(cells, cell)
            if max(box[2] - box[0], box[3] - box[1]) <= _LARGEST:
                yield from _look(picture, cells, box, spots)
    return spots


def _walk(cells: Cells, cell: int) -> "Work[tuple[int, int, int, int]]":
    """Mark a connected thing; return its first column and row and those after the last, px."""
    marks = cells.mean
    stack = cells.stack
    stack[0] = cell
    marks[cell] = 1
    waiting = 1
    walked = 0
    left = right = cell % cells.columns
    top = bottom = cell // cells.columns
    while waiting:
        waiting -= 1
        walked += 1
        if not walked % CELLS:
            yield
        cell = stack[waiting]
        column = cell % cells.columns
        row = cell // cells.columns
        left, right = min(left, column), max(right, column)
        top, bottom = min(top, row), max(bottom, row)
        for other in cells.near(cell):
            if other >= 0 and not marks[other]:
                marks[other] = 1
                stack[waiting] = other
                waiting += 1
    return left * SIDE, top * SIDE, (right + 1) * SIDE, (bottom + 1) * SIDE


def _look(
    picture: Picture, cells: Cells, box: "tuple[int, ...]", spots: "list[Spot]"
) -> "Work[None]":
    """Add the bodies in a box: the dark ones, the light ones, and those that are both."""
    left, top = max(0, box[0] - _EDGES), max(0, box[1] - _EDGES)
    right = min(picture.width, box[2] + _EDGES)
    bottom = min(picture.height, box[3] + _EDGES)
    rises = bytearray((right - left) * (bottom - top))
    least = (_FAINT + cells.noise) // 2
    colours = 0
    for sign in (-1, 1, 0):
        if sign == 0 and colours < 2:
            break  # of one colour
        yield from _measure(picture, cells, (left, top, right, bottom, sign), rises)
        body = _contrast(rises, least)
        if not body:
            continue
        colours += 1
        before = 0
        for percent in _LEVELS:
            level = max(least, body * percent // 100)
            if level > before:
                outlines = yield from things(rises, right - left, level, cells.stack)
                for x, y, side in outlines:
                    _add((16 * left + x, 16 * top + y, side), spots)
            before = level


def _add(place: "Spot", spots: "list[Spot]") -> None:
    if not any(_is_near(place, other) for other in spots):
        spots.append(place)


def _is_near(place: "tuple[int, ...]", other: "tuple[int, ...]") -> bool:
    near = max(place[2], other[2]) // 14
    return (
        abs(place[0] - other[0]) < near
        and abs(place[1] - other[1]) < near
        and abs(place[2] - other[2]) < near
    )


def _measure(
    picture: Picture, cells: Cells, box: "tuple[int, ...]", out: bytearray
) -> "Work[None]":
    """Write half of how far each pixel of a box is above the cloth; below: sign -1; either: 0."""
    left, top, right, bottom, sign = box
    pixel = 0
    for row in range(top, bottom):
        first = min(row // SIDE, cells.rows - 1) * cells.columns
        i = row * picture.width
        for column in range(left, right):
            rise = picture.frame[i + column]
            rise -= cells.level[first + min(column // SIDE, cells.columns - 1)]
            if sign:
                rise *= sign
            elif rise < 0:
                rise = -rise
            out[pixel] = rise >> 1 if rise > 0 else 0
            pixel += 1
        if not (row + 1) % _ROWS:
            yield


def _contrast(rises: bytearray, least: int) -> int:
    """Return the median of what is far from the cloth; 0 when that is too little for a die."""
    counts = [0] * 128
    for rise in rises:
        counts[rise] += 1
    half = sum(counts[least:])
    if half < LEAST:
        return 0
    half //= 2
    for rise in range(least, 128):
        half -= counts[rise]
        if half <= 0:
            break
    return rise
