"""The cloth under the dice: the largest even surface.

The cloth is what can be walked from cell to cell without a step, so slow changes of light do not
matter; a die stands apart by its edges. No empty picture is needed.
"""

from array import array

from tablewire.compat import const

from .cell_grid import Cells
from .picture import Picture
from .stepwise import CELLS

if -0:  # for mypy
    from tabletypes import Work

_ROUGH = const(8)  # range of greys in a cell of cloth, beyond the noise
_STEP = const(6)  # step of the mean from cell to cell, beyond the noise
_LEAST = const(12)  # cells of a surface
_MOST_SURFACES = const(250)
_SMALL = const(254)
_NONE = const(255)


def find_cloth(picture: Picture, cells: Cells) -> "Work[None]":
    """Fill the cells from a picture, in steps: cloth, its level, contrasts with it, noise."""
    yield from cells.measure(picture)
    yield
    cells.noise = _median(cells.contrast)
    best = yield from _largest_surface(cells)
    for cell in range(len(cells.cloth)):
        cells.cloth[cell] = cells.cloth[cell] == best
    yield
    yield from cells.spread()
    cells.stand_out()


def _median(values: bytearray) -> int:
    counts = array("H", bytes(512))
    for value in values:
        counts[value] += 1
    below = 0
    value = -1
    while 2 * below < len(values):
        value += 1
        below += counts[value]
    return value


def _largest_surface(cells: Cells) -> "Work[int]":
    """Number the even surfaces in cloth, in steps; return the number of the largest."""
    for cell in range(len(cells.cloth)):
        cells.cloth[cell] = 0
    best = _NONE
    most = number = walked = 0
    for cell in range(len(cells.cloth)):
        if cells.cloth[cell] or not _even(cells, cell) or number == _MOST_SURFACES:
            continue
        size = 0
        waiting = _begin(cells, cell, number + 1)
        while waiting:
            before = size
            waiting, size = _walk(cells, number + 1, waiting, size)
            walked += size - before + 1
            if walked > CELLS:
                walked = 0
                yield
        if size < _LEAST:
            _renumber(cells, cell, number + 1)
            continue
        number += 1
        if size > most:
            best = number
            most = size
    return best


def _renumber(cells: Cells, cell: int, number: int) -> None:
    """Take a small surface, whose first cell this is, out of the numbering."""
    for other in range(cell, min(cell + _LEAST * cells.columns, len(cells.cloth))):
        if cells.cloth[other] == number:
            cells.cloth[other] = _SMALL


def _even(cells: Cells, cell: int) -> bool:
    return cells.contrast[cell] <= cells.noise * 3 // 2 + _ROUGH


def _begin(cells: Cells, cell: int, number: int) -> int:
    """Begin a surface at a cell; return how many cells wait on the stack."""
    cells.cloth[cell] = number
    cells.stack[0] = cell
    return 1


def _walk(cells: Cells, number: int, waiting: int, size: int) -> "tuple[int, int]":
    """Walk on over a surface, CELLS at most; return how many cells wait, and its size so far."""
    step = _STEP + cells.noise // 4
    most = size + CELLS
    while waiting and size < most:
        waiting -= 1
        cell = cells.stack[waiting]
        size += 1
        for other in cells.near(cell):
            if other < 0 or cells.cloth[other] or not _even(cells, other):
                continue
            if abs(cells.mean[other] - cells.mean[cell]) <= step:
                cells.cloth[other] = number
                cells.stack[waiting] = other
                waiting += 1
    return waiting, size
