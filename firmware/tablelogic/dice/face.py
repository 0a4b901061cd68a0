"""A face that may be on top: its pips on a lattice, and what the levels there say.

A pattern is nine places: corners, middle, middles of the sides. A pip must be at every place of
the pattern and at no other: a missed pip leaves a place that is neither.
"""

from tablewire.compat import const

from .picture import Picture, root

if -0:  # for mypy
    from tabletypes import Spot

    from .cell_grid import Cells

# The nine places in units of the lattice: corners first (opposite ones two apart).
PLACES = ((-1, -1), (1, -1), (1, 1), (-1, 1), (0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))
# Bit k set: a pip at PLACES[k].
PATTERNS = (
    (0b000010000, 1),
    (0b000000101, 2),
    (0b000010101, 3),
    (0b000001111, 4),
    (0b000011111, 5),
    (0b001101111, 6),
    (0b110001111, 6),
)
_PIP = const(65)  # percent of the pips' height at which there is a pip
_BARE = const(45)  # and up to which there is none
_PIT = const(-60)  # lower than this is no face
_FAINTEST = const(10)  # greys
_FAINTEST_ONE = const(40)  # a single pip has no others to confirm it


class Face:
    """x, y: middle, in sixteenths of a pixel. u, v: from the middle to two sides' middle places.

    sign: 1 light pips, -1 dark. ring: radius of the ring that found it, px. height: of the pips
    above the face, greys. level: grey of the face. pitch: length of u and v, sixteenths (0 for a
    one). pips: their places. Filled by outline.py: side, px; reach and rays, half px, as measured
    and cut to the die; strong; by face_checks.py: pip, their radius in sixteenths; by
    consensus.py: faults, checks failed; scores, the sums of so many looks of
    the classifier, and margin. A body whose pips were not read has no pips and no height.
    """

    def __init__(self, x: int, y: int, sign: int, ring: int) -> None:
        self.x = x
        self.y = y
        self.sign = sign
        self.ring = ring
        self.u = self.v = (0, 0)
        self.value = self.height = self.level = self.pitch = 0
        self.pips: "list[tuple[int, int]]" = []
        self.side = self.pip = self.faults = self.margin = 0
        self.scores: "list[int]" = []
        self.looks = 1
        self.rays: "list[int]" = []
        self.reach: "list[int]" = []
        self.strong = False

    def apart(self, x: int, y: int) -> int:
        """Return the square of the distance of a position from the middle."""
        return (x - self.x) * (x - self.x) + (y - self.y) * (y - self.y)


def one(picture: Picture, spot: "Spot", ring: int) -> "Face | None":
    """Return the face with this spot as its only pip; None when it is faint."""
    x, y, height = spot
    if abs(height) < _FAINTEST_ONE:
        return None
    face = Face(x, y, 1 if height > 0 else -1, ring)
    face.value = 1
    face.height = abs(height)
    face.pips = [(x, y)]
    face.level = sum(picture.around(x, y, 16 * (ring + 1))) // 128
    return face


def lattice(picture: Picture, face: Face, spots: "list[Spot]") -> bool:
    """Read value, height, level and pips of a face with x, y, u and v set; False: no pattern."""
    levels, between = _levels(picture, face)
    pool = sorted(levels + between)
    floor = pool[2]
    diagonal = face.value == 2  # only two opposite corners are known to be pips
    corners = (levels[0] + levels[2]) // 2 if diagonal else sum(levels[:4]) // 4
    height = corners - floor
    if height < 16 * _FAINTEST or 100 * (pool[0] - floor) < _PIT * height:
        return False
    if 100 * (max(between) - floor) > 80 * height:
        return False
    bits = _bits(levels, floor, height)
    face.value = next((value for pattern, value in PATTERNS if pattern == bits), 0)
    if face.value not in ((2, 3) if diagonal else (4, 5, 6)):
        return False
    bare = 5 if face.value == 6 else 6
    face.height = height >> 4
    face.level = sum(pool[:bare]) // bare * face.sign // 16
    face.pitch = root(abs(face.u[0] * face.v[1] - face.u[1] * face.v[0]))
    face.pips = [_place(face, 2 * i, 2 * j) for k, (i, j) in enumerate(PLACES) if bits >> k & 1]
    return _has_spots(face, spots)


def _place(face: Face, i: int, j: int) -> "tuple[int, int]":
    """Return the position (i, j) half units from the middle."""
    return (
        face.x + (i * face.u[0] + j * face.v[0]) // 2,
        face.y + (i * face.u[1] + j * face.v[1]) // 2,
    )


def _levels(picture: Picture, face: Face) -> "tuple[list[int], list[int]]":
    """Return the levels at the nine places and at the four between, light pips upward."""
    sign = face.sign
    levels = [picture.level(*_place(face, 2 * i, 2 * j)) * sign for i, j in PLACES]
    between = [picture.level(*_place(face, i, j)) * sign for i, j in PLACES[:4]]
    return levels, between


def _bits(levels: "list[int]", floor: int, height: int) -> int:
    """Return which places carry a pip; -1 when one neither does nor does not."""
    bits = 0
    for k, level in enumerate(levels):
        share = 100 * (level - floor) // height
        if share >= _PIP:
            bits |= 1 << k
        elif share > _BARE:
            return -1
    return bits


def _has_spots(face: Face, spots: "list[Spot]") -> bool:
    """Return whether the pips were seen as spots too; of a six four: its rows may run together."""
    reach = face.pitch * face.pitch // 5
    matches = 0
    for x, y in face.pips:
        for spot in spots:
            across = spot[0] - x
            down = spot[1] - y
            if spot[2] * face.sign > 0 and across * across + down * down <= reach:
                matches += 1
                break
    return matches >= (4 if face.value == 6 else face.value)


def on_cloth(face: Face, cells: "Cells") -> bool:
    """Return whether cloth shows between the pips: no face is there."""
    steps = (-2, -1, 0, 1, 2) if face.value > 1 else (0,)
    for i in steps:
        for j in steps:
            cell = cells.cell(*_place(face, i, j))
            if cell < 0 or cells.cloth[cell]:
                return True
    return False
