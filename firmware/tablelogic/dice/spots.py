"""Spots: neighbouring pixels that stand out, drawn together to one place each."""

from array import array

from tablewire.compat import const

from .cell_grid import Cells
from .picture import Picture

if -0:  # for mypy
    from tabletypes import Spot, Work

try:
    from .fast_scan import scan
except (ImportError, NameError, SyntaxError, ValueError):  # no native code here
    from .scan import scan

# Radius of the ring in px, and the step of the scan: pips of 3 to 16 px across.
RINGS = ((2, 1), (3, 1), (4, 1), (5, 1), (6, 2), (8, 2), (11, 2))
_LEAST = const(8)  # greys
_MOST = const(160)  # spots of one ring
_ROOM = const(800)  # pixels that stand out, of one ring
_BAND = const(96)  # rows scanned in one step; even, for the scans that leave rows out


def find_spots(picture: Picture, cells: Cells) -> "Work[list[list[Spot]] | None]":
    """Return a list of spots (x, y, height) for each of RINGS; None when there are too many.

    In steps. x, y: sixteenths of a pixel. height: greys above its ring, negative for a dark spot.
    Spots on plain cloth are left out.
    """
    pixels = array("h", bytes(6 * _ROOM))
    rings = []
    for radius, step in RINGS:
        ring = (radius, step, _LEAST + cells.noise // 4)
        count = 0
        for first in range(0, picture.height - 2 * radius - 2, _BAND):
            count += _scan_band(picture, ring, first, memoryview(pixels)[3 * count :])
            yield
        spots = _drawn_together(pixels, count, radius, cells)
        yield
        if count == _ROOM or len(spots) > _MOST:
            return None
        rings.append(spots)
    return rings


def _scan_band(picture: Picture, ring: "tuple[int, ...]", first: int, pixels: memoryview) -> int:
    """Scan _BAND rows, with what lies around them, from row first on; return how many it found."""
    rows = min(_BAND + 2 * ring[0] + 2, picture.height - first)
    band = memoryview(picture.frame)[first * picture.width : (first + rows) * picture.width]
    count = scan(band, (picture.width, rows), ring, pixels)
    for i in range(0, 3 * count, 3):
        pixels[i] += first
    return count


def _drawn_together(pixels: "array[int]", count: int, radius: int, cells: Cells) -> "list[Spot]":
    """Return the spots of one ring: within its radius of each other, weighted by height."""
    sums: "list[list[int]]" = []  # [sum of x, of y, of weight, height, last row]
    for i in range(0, 3 * count, 3):
        row = pixels[i]
        column = pixels[i + 1]
        height = pixels[i + 2]
        cell = cells.cell(column << 4, row << 4)
        if cell < 0 or cells.cloth[cell]:
            continue
        spot = _join(sums, column, row, height, radius)
        weight = abs(height)
        spot[0] += column * weight
        spot[1] += row * weight
        spot[2] += weight
        spot[4] = row
        if weight > abs(spot[3]):
            spot[3] = height
    return [(spot[0] * 16 // spot[2], spot[1] * 16 // spot[2], spot[3]) for spot in sums]


def _join(sums: "list[list[int]]", column: int, row: int, height: int, radius: int) -> "list[int]":
    """Return the newest spot a pixel belongs to, or a new one."""
    for k in range(len(sums) - 1, -1, -1):
        spot = sums[k]
        if row - spot[4] > 4 * radius:
            break
        if row - spot[4] > radius + 1 or (spot[3] > 0) != (height > 0):
            continue
        across = column * spot[2] - spot[0]
        down = row * spot[2] - spot[1]
        if across * across + down * down <= radius * radius * spot[2] * spot[2]:
            return spot
    spot = [0, 0, 0, height, row]
    sums.append(spot)
    return spot
