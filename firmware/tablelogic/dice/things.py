"""Connected things in a box of bytes, and which of them are as square as a die."""

from array import array

from tablewire.compat import const

from .picture import root

if -0:  # for mypy
    from tabletypes import Spot, Work

LEAST = const(81)  # px of a body's area
_LONGEST = const(150)  # percent of the side, across or down: a square on its corner has 141
_SOME = const(2000)  # bytes looked at in one step
_WALKED = const(128)  # marks a byte that was walked over: what is looked at is less


def things(rises: bytearray, width: int, level: int, stack: "array[int]") -> "Work[list[Spot]]":
    """Return (x, y, side) of what is connected from a level up, and may be a die, in sixteenths,
    in steps.

    rises: rows of so many bytes of 0-127. stack: room for what waits to be walked.
    """
    spots = []
    for start in range(len(rises)):
        if not (start + 1) % _SOME:
            yield
        if level <= rises[start] < _WALKED:
            thing = _outline(_spans(rises, (width, level, start), stack))
            yield
            if thing:
                spots.append(thing)
    for index in range(len(rises)):
        rises[index] &= _WALKED - 1
        if not (index + 1) % _SOME:
            yield
    return spots


def _spans(
    rises: bytearray, walk: "tuple[int, ...]", stack: "array[int]"
) -> "list[tuple[int, int, int]]":
    """Walk a thing; return (row, first, last column) of each of its rows. A full stack ends it."""
    width, level, start = walk
    rows: "dict[int, list[int]]" = {}
    stack[0] = start
    rises[start] |= _WALKED
    waiting = 1
    most = len(stack) - 4
    while waiting:
        waiting -= 1
        pixel = stack[waiting]
        row = pixel // width
        column = pixel - row * width
        span = rows.get(row)
        if not span:
            rows[row] = [column, column]
        elif column < span[0]:
            span[0] = column
        elif column > span[1]:
            span[1] = column
        for other in (
            pixel - 1 if column else pixel,
            pixel + 1 if column < width - 1 else pixel,
            pixel - width,
            pixel + width,
        ):
            if 0 <= other < len(rises) and level <= rises[other] < _WALKED and waiting < most:
                rises[other] |= _WALKED
                stack[waiting] = other
                waiting += 1
    return [(row, rows[row][0], rows[row][1]) for row in rows]


def _outline(spans: "list[tuple[int, int, int]]") -> "Spot | None":
    """Return middle and side of what lies between a thing's ends in each row; None: no die."""
    area = across = down = 0
    left = top = 1 << 14
    right = bottom = 0
    for row, first, last in spans:
        length = last - first + 1
        area += length
        across += length * (first + last + 1)
        down += length * (2 * row + 1)
        left, right = min(left, first), max(right, last)
        top, bottom = min(top, row), max(bottom, row)
    side = root(256 * area)
    longest = 16 * max(right - left + 1, bottom - top + 1)
    if area < LEAST or 100 * longest > _LONGEST * side:
        return None
    return 8 * across // area - 8, 8 * down // area - 8, side
