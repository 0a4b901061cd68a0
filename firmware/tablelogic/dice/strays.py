"""Pips that lie where no die was read."""

from tablewire.compat import const

from .cell_grid import Cells
from .face import Face
from .face_checks import spot_radius
from .picture import Picture
from .remains import reach
from .spots import RINGS
from .tray_rim import RIM

if -0:  # for mypy
    from tabletypes import Spot, Work

_PIP = const(65)  # percent of the smallest pip's radius that a stray one has
_DUST = const(85)  # and when no body is seen around it
_FEW = const(6)  # cells that are not cloth: a speck
_STRAY = const(80)  # greys of a pip when none was read
_APART = const(18)  # percent of the side between two spots of a die
_ON_DIE = const(58)  # percent of the side from its middle
_LIKE = const(60)  # percent of the height of the strongest spot


def has_stray(
    picture: Picture, cells: Cells, rings: "list[list[Spot]]", chosen: "list[Face]"
) -> "Work[bool]":
    """Return whether a spot like the pips read lies where no die was read, in steps.

    Or on a 1 that was not read by its pip: the two may be those of a 2, one of them in glare.
    """
    for face in chosen:
        if face.value == 1 and not face.pips and (yield from _has_two(face, rings)):
            return True
    pipped = [face for face in chosen if face.pips]
    height = min([face.height for face in pipped] or [_STRAY])
    pip = min([face.pip for face in pipped] or [min(face.side for face in chosen)])
    most = max([face.ring for face in pipped] or [max(face.side for face in chosen) // 8])
    for k, (ring, _) in enumerate(RINGS):
        if ring > 2 * most:
            continue
        for x, y, rise in rings[k]:
            if 100 * abs(rise) < 35 * height or cells.mean[cells.cell(x, y)] == RIM:
                continue
            if any(face.apart(x, y) < reach(face) * reach(face) for face in chosen):
                continue
            least = _DUST if _is_dust(cells, cells.cell(x, y)) else _PIP
            if 100 * spot_radius(picture, (x, y, rise), ring) >= least * pip:
                return True
            yield
        yield
    return False


def _has_two(face: Face, rings: "list[list[Spot]]") -> "Work[bool]":
    """Return whether a spot beside the strongest one on a die is of its kind, in steps."""
    near = 16 * face.side * _ON_DIE // 100
    apart = 16 * face.side * _APART // 100
    spots = []
    for ring in rings:
        spots += [spot for spot in ring if face.apart(spot[0], spot[1]) < near * near]
        yield
    if not spots:
        return False
    x, y, most = max(spots, key=lambda spot: abs(spot[2]))
    return any(
        rise * most > 0
        and 100 * abs(rise) >= _LIKE * abs(most)
        and (a - x) * (a - x) + (b - y) * (b - y) > apart * apart
        for a, b, rise in spots
    )


def _is_dust(cells: Cells, cell: int) -> bool:
    """Return whether next to nothing but cloth lies within the reach of a die's edge."""
    row, column = cell // cells.columns, cell % cells.columns
    count = 0
    for other in range(max(0, row - 2), min(cells.rows, row + 3)):
        first = other * cells.columns
        left, right = max(0, column - 2), min(cells.columns, column + 3)
        count += right - left - sum(cells.cloth[first + left : first + right])
    return count <= _FEW
