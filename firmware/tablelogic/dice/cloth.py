"""The cloth under the dice: the largest even surface.

The cloth is what can be walked from cell to cell without a step, so slow changes of light do not
matter; a die stands apart by its edges. No empty picture is needed.
"""

from array import array

from tablewire.compat import const

from .cells import Cells
from .picture import Picture

_ROUGH = const(8)  # range of greys in a cell of cloth, beyond the noise
_STEP = const(6)  # step of the mean from cell to cell, beyond the noise
_LEAST = const(12)  # cells of a surface
_MOST_SURFACES = const(250)
_SMALL = const(254)
_NONE = const(255)


def find_cloth(picture: Picture, cells: Cells) -> None:
    """Fill the cells from a picture: cloth, its level, contrasts with it, noise."""
    cells.measure(picture)
    cells.noise = _median(cells.contrast)
    best = _largest_surface(cells)
    for cell in range(len(cells.cloth)):
        cells.cloth[cell] = cells.cloth[cell] == best
    cells.spread()
    cells.stand_out()


def _median(values: bytearray) -> int:
    counts = array("H", bytes(512))
    for value in values:
        counts[value] += 1
    seen = 0
    value = -1
    while 2 * seen < len(values):
        value += 1
        seen += counts[value]
    return value


def _largest_surface(cells: Cells) -> int:
    """Number the even surfaces in cloth; return the number of the largest."""
    for cell in range(len(cells.cloth)):
        cells.cloth[cell] = 0
    best = _NONE
    most = number = 0
    for cell in range(len(cells.cloth)):
        if cells.cloth[cell] or not _even(cells, cell) or number == _MOST_SURFACES:
            continue
        size = _walk(cells, cell, number + 1)
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


def _walk(cells: Cells, cell: int, number: int) -> int:
    step = _STEP + cells.noise // 4
    cells.cloth[cell] = number
    cells.stack[0] = cell
    waiting = 1
    size = 0
    while waiting:
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
    return size
