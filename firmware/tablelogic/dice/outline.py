"""How far a face's die reaches in 32 directions, and what that says about it.

A die that differs from the cloth ends where the grey is half way to it; of one that hardly
differs, the face ends where its grey first changes. The shortest width through the middle is the
side of the die, wherever on the die the middle is; so a pattern that is not in the middle shows.
"""

from tablewire.compat import const

from .cell_grid import Cells
from .face import Face
from .picture import WAYS, Picture, root, way_x, way_y

if -0:  # for mypy
    from collections.abc import Sequence

_STRONG = const(25)  # greys between face and cloth
_HALF = const(16)  # WAYS / 2
_WIDER = const(24)  # of a weak outline the rays cut short by pips do not count
_RIM = const(75)  # percent of the way to the outline: pips lie within
_RIM_WEAK = const(95)
_ALL = (True,) * WAYS
_LONGEST = const(145)  # percent of the width across it
_LEAN_FEW = const(168)  # percent of the opposite ray, for the values 1 and 2
_LEAN = const(195)


def trace(picture: Picture, cells: Cells, face: Face) -> None:
    """Find the outline of a face; sets rays, side and strong."""
    here = cells.cell(face.x, face.y)
    body = face.level - cells.level[here]
    face.strong = abs(body) >= _STRONG
    start = face.ring
    if face.pitch:
        start = (face.pitch * 3 // 2 >> 4) + face.ring // 2
    end = 2 * (14 * face.ring + 6)
    change = max(6 + 2 * cells.noise, face.height // 14)
    rays = []
    for k in range(WAYS):
        if face.strong:
            rays.append(_to_half(picture, cells, (face, k, 2 * start, end), body))
        else:
            rays.append(_to_change(picture, cells, (face, k, 2 * start, end), change))
    face.rays = [sorted((rays[k - 1], rays[k], rays[(k + 1) % WAYS]))[1] for k in range(WAYS)]
    _measure(face)


def _to_half(picture: Picture, cells: Cells, ray: "tuple[Face, int, int, int]", body: int) -> int:
    """Return the last half pixel of a ray that is nearer the face than the cloth."""
    face, k, r, end = ray
    last = r
    while r < end:
        x = face.x + 8 + way_x(k) * r // 8
        y = face.y + 8 + way_y(k) * r // 8
        cell = cells.cell(x, y)
        if cell < 0 or cells.cloth[cell]:
            break
        rise = picture.frame[(y >> 4) * picture.width + (x >> 4)] - cells.level[cell]
        if (2 * rise >= body) if body > 0 else (2 * rise <= body):
            last = r
        r += 1
    return last


def _to_change(
    picture: Picture, cells: Cells, ray: "tuple[Face, int, int, int]", change: int
) -> int:
    """Return the last half pixel of a ray before two pixels in a row leave the face's level."""
    face, k, r, end = ray
    last = r
    other = 0
    while r < end and other < 4:
        x = face.x + 8 + way_x(k) * r // 8
        y = face.y + 8 + way_y(k) * r // 8
        cell = cells.cell(x, y)
        if cell < 0:
            break
        if abs(picture.frame[(y >> 4) * picture.width + (x >> 4)] - face.level) >= change:
            other += 1
        else:
            other = 0
            last = r
        if cells.cloth[cell]:
            break
        r += 1
    return last


def widths(rays: "list[int]") -> "list[int]":
    """Return the width of an outline in 16 directions, the mean of three neighbours."""
    across = [rays[k] + rays[k + _HALF] for k in range(_HALF)]
    return [(across[k - 1] + across[k] + across[(k + 1) % _HALF]) // 3 for k in range(_HALF)]


def _measure(face: Face) -> None:
    """Set the side, and cut rays that run on into a neighbour."""
    if face.strong:
        face.side = min(widths(face.rays)) // 2
        most = face.side * 8 // 5
    else:
        face.side = most = sorted(face.rays)[_WIDER] * 9 // 10
    face.reach = face.rays
    face.rays = [min(ray, most) if face.strong else most for ray in face.rays]


def share(face: Face, x: int, y: int) -> int:
    """Return at what percent of the way to the outline a position lies."""
    across = x - face.x
    down = y - face.y
    best = 0
    most = -1 << 24
    for k in range(WAYS):
        along = way_x(k) * across + way_y(k) * down
        if along > most:
            most = along
            best = k
    return 200 * root(across * across + down * down) // max(1, 16 * face.rays[best])


def is_square(face: Face) -> bool:
    """Return whether pattern and outline belong together: inside, in the middle, not too long."""
    if any(share(face, x, y) > (_RIM if face.strong else _RIM_WEAK) for x, y in face.pips):
        return False
    if longest(face.rays, _ALL) > _LONGEST:
        return False
    if face.strong:
        rays = face.rays
    else:
        rays = [min(ray, face.side * 8 // 5) for ray in face.reach]
    five = [sum(rays[(k + j) % WAYS] for j in range(-2, 3)) for k in range(WAYS)]
    most = _LEAN if face.value > 2 else _LEAN_FEW
    return all(100 * five[k] <= most * five[(k + _HALF) % WAYS] for k in range(WAYS))


def longest(rays: "list[int]", free: "Sequence[bool]") -> int:
    """Return the greatest width of an outline in percent of the one across it, 100 at least.

    free: of each ray whether it counts.
    """
    across = widths(rays)
    free = [free[k] and free[k + _HALF] for k in range(_HALF)]
    return max(
        [100]
        + [
            100 * across[k] // max(1, across[(k + 8) % _HALF])
            for k in range(_HALF)
            if free[k] and free[(k + 8) % _HALF]
        ]
    )
