"""What lies in the picture besides the faces that were read: nothing may be left unexplained."""

from tablewire.compat import const

from .cell_grid import SIDE, Cells
from .face import Face
from .read_codes import CUT_OFF, FOREIGN, READ, UNREADABLE
from .stepwise import CELLS
from .tray_rim import LEAST, bulges, mark_rim

if -0:  # for mypy
    from tabletypes import Work

_FAINT = const(18)  # greys; what differs less from the cloth is light and shadow
_EDGE = const(12)  # and at the edge of an arm of the cloth's own grey
_DEEP = const(22)  # percent of the picture: how far a tray's rim may reach into it
_LEAST_SIDE = const(12)  # px of a die when none was read
_EXPLAINED = const(2)
_COUNTED = const(3)
_SOME = const(300)  # cells of a thing walked over in one step


def reach(face: Face) -> int:
    """Return how far from its middle a face explains what is seen, sixteenths: corners, sides."""
    return face.side * 16 * 85 // 100 + 48


def find(cells: Cells, faces: "list[Face]") -> "Work[int]":
    """Return READ, or what remains, in steps: FOREIGN before CUT_OFF before UNREADABLE.

    Writes over cells.mean: 4 marks the cells of a tray's rim.
    """
    marks = cells.mean
    for cell in range(len(marks)):
        if not (cell + 1) % CELLS:
            yield
        marks[cell] = _EXPLAINED if cells.cloth[cell] or _is_explained(cells, cell, faces) else 0
    sides = sorted(face.side for face in faces) or [_LEAST_SIDE]
    side = sides[len(sides) // 2]
    worst = READ
    lines = 0
    for cell in range(len(marks)):
        if not (cell + 1) % CELLS:
            yield
        if not marks[cell]:
            thing = yield from _walk(cells, cell)
            verdict = _judge(cells, thing, side)
            if verdict == READ:
                lines += _line(cells, thing)
            elif worst == READ or verdict == FOREIGN or worst == UNREADABLE:
                worst = verdict
    # Dice may cut such an edge in pieces; of shadows and marks none were half as long.
    return FOREIGN if worst == READ and 2 * lines > min(cells.columns, cells.rows) else worst


def _line(cells: Cells, thing: "tuple[int, ...]") -> int:
    """Return how long a thing is, in cells, if it may be a piece of an arm's edge; else 0."""
    _, across, down, contrast, depth, _ = thing
    return max(across, down) if contrast >= _EDGE and _is_deep(cells, depth) else 0


def _is_deep(cells: Cells, depth: int) -> bool:
    return 100 * depth > _DEEP * min(cells.columns, cells.rows)


def _is_explained(cells: Cells, cell: int, faces: "list[Face]") -> bool:
    x = (cell % cells.columns) * 64 + 32
    y = (cell // cells.columns) * 64 + 32
    return any(face.apart(x, y) < reach(face) * reach(face) for face in faces)


def _walk(cells: Cells, cell: int) -> "Work[tuple[int, int, int, int, int, bool]]":
    """Count a connected thing; return (cells, across, down, contrast, depth, at the border).

    In steps.
    """
    marks = cells.mean
    stack = cells.stack
    first = last = cell % cells.columns
    top = bottom = cell // cells.columns
    stack[0] = cell
    marks[cell] = _COUNTED
    count = 1
    i = contrast = depth = aside = 0
    while i < count:
        cell = stack[i]
        i += 1
        if not i % _SOME:
            yield
        column = cell % cells.columns
        row = cell // cells.columns
        first, last = min(first, column), max(last, column)
        top, bottom = min(top, row), max(bottom, row)
        contrast = max(contrast, cells.contrast[cell])
        edge = cells.aside(column, row)
        aside = max(aside, edge)
        depth = max(depth, min(edge, row))
        for other in cells.near(cell):
            if other >= 0 and not marks[other]:
                marks[other] = _COUNTED
                stack[count] = other
                count += 1
    border = first == 0 or last == cells.columns - 1 or bottom == cells.rows - 1
    if cells.lower and (border or top):
        depth = aside
    border = border or top == 0
    if border and count >= LEAST:
        yield from mark_rim(cells, count)
    return count, last - first + 1, bottom - top + 1, contrast, depth, border


def _judge(cells: Cells, thing: "tuple[int, ...]", side: int) -> int:
    """Return the reason for a thing beside dice of a side in px; READ when it cannot be a die."""
    count, across, down, contrast, depth, border = thing
    is_deep = border and _is_deep(cells, depth)
    if contrast < (_EDGE if is_deep else _FAINT):
        return READ
    longest = max(across, down) * SIDE
    if border:
        if is_deep:
            return FOREIGN
        if longest > 3 * side + 12:  # the rim of the tray
            return UNREADABLE if count >= LEAST and bulges(cells, side) else READ
        if 3 * min(across, down) * SIDE <= side and 5 * longest > 7 * side:
            return READ  # a piece of it: so thin a part of a die is no longer than the die
        large = count * 1600 >= 25 * side * side or longest * 10 >= 7 * side
        return CUT_OFF if large else READ
    if count * 1600 < 30 * side * side or count * 1600 < 45 * longest * side:
        return READ  # dust, or a strip of shadow
    return UNREADABLE
