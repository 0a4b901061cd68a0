"""The rim of a tray: what lies along the border of the picture, and is no die."""

from tablewire.compat import const

from .cell_grid import SIDE, Cells

if -0:  # for mypy
    from tabletypes import Work

RIM = const(4)  # in cells.mean
LEAST = const(21)  # cells of a rim that is marked
_SOME = const(300)  # cells marked in one step


def mark_rim(cells: Cells, count: int) -> "Work[None]":
    """Mark so many cells on the stack, and count them by their way from the border, in steps."""
    depths = cells.depths
    for k in range(len(depths)):
        depths[k] = 0
    for i in range(count):
        if not (i + 1) % _SOME:
            yield
        cell = cells.stack[i]
        cells.mean[cell] = RIM
        column, row = cell % cells.columns, cell // cells.columns
        edge = cells.aside(column, row)
        depths[edge if cells.lower else min(edge, row)] += 1


def bulges(cells: Cells, side: int) -> bool:
    """Return whether the rim marked last reaches further in where a die may lie against it.

    side: of a die, px; with a side of it in view it is up to two of them wide.
    """
    wide = 2 * side // SIDE + 2
    depth = 0
    for k in range(len(cells.depths) - 1, -1, -1):
        if cells.depths[k] > wide:
            break
        depth += cells.depths[k] > 0
    return 2 * depth * SIDE >= side
