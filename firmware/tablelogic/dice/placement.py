"""Where in a doubtful body the top lies: looked for in the size of the dice that are sure.

Seen from aside a body is larger than its top and has another middle, so the classifier saw it out
of place. Dice of a tray are of one size: a patch of that size is moved about the body, first in
wide steps, then in small ones, to where the classifier is surest.
"""

from tablewire.compat import const

from .candidates import stand
from .cell_grid import Cells
from .classifier import CLASSES, Classifier
from .consensus import OF_BODY, ahead
from .face import Face
from .picture import Picture
from .proportion import SURE

if -0:  # for mypy
    from tabletypes import Work

_PLACED = const(36)  # margin of a face found here: none above 31 was wrong on photographs
_MOST = const(6)  # bodies looked at
_SMALLEST = const(75)  # percent of a sure die's side
_LARGEST = const(180)
_WIDE = const(20)  # percent of the side: a wide step
_BEYOND = const(12)  # that a top may reach out of its body, as it was outlined
_LOOKS = const(8)
# Steps right, down and in size: at first, and then about the surest place.
_AROUND = (
    (0, 0, 0),
    (1, 0, 0),
    (-1, 0, 0),
    (0, 1, 0),
    (0, -1, 0),
    (1, 1, 0),
    (1, -1, 0),
    (-1, 1, 0),
    (-1, -1, 0),
)
_BESIDE = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))


def placed(
    picture: Picture, cells: Cells, classifier: Classifier, put: "list[Face]", sure: "list[Face]"
) -> "Work[list[Face]]":
    """Return the faces of bodies that were put forward and lie beside every sure face, in steps.

    sure: faces believed already. With none of a sure size there is nothing to go by.
    """
    sides = sorted(face.side for face in sure if face.margin >= SURE)
    faces: "list[Face]" = []
    if not sides:
        return faces
    side = sides[len(sides) // 2]
    bodies: "list[Face]" = []
    for body in put:
        if body.pips or not _SMALLEST * side <= 100 * body.side <= _LARGEST * side:
            continue
        if any(_is_near(body, other, 10) for other in sure):
            continue
        if len(bodies) == _MOST or any(_is_near(body, other, 5) for other in bodies):
            continue
        bodies.append(body)
        face = yield from _climb(picture, cells, classifier, body, side)
        if face and not any(_is_near(face, other, 10) for other in faces + sure):
            faces.append(face)
    return faces


def _is_near(face: Face, other: Face, sixteenths: int) -> bool:
    near = other.side * sixteenths
    return face.apart(other.x, other.y) < near * near


def _climb(
    picture: Picture, cells: Cells, classifier: Classifier, body: Face, side: int
) -> "Work[Face | None]":
    """Return the face of that side at the surest place in a body; None: in doubt there too."""
    reach = 8 * max(0, body.side - side) + 16 * side * _BEYOND // 100
    step = min(reach, 16 * side * _WIDE // 100)
    best = (0, 0, (body.x, body.y, side))
    for part, ways in ((1, _AROUND), (2, _BESIDE), (4, _BESIDE)):
        x, y, side = best[2]
        for k, (right, down, more) in enumerate(ways):
            near = (x + right * step // part, y + down * step // part, side + more)
            if max(abs(near[0] - body.x), abs(near[1] - body.y)) > reach:
                continue  # the top would reach out of the body
            look = yield from _looked_at(picture, classifier, near, k, best[1] if part > 1 else 0)
            if look[0] > best[0]:
                best = look
        if not best[1]:
            return None
    x, y, side = best[2]
    face = stand(picture, cells, (x, y, 16 * side))
    face.side, face.value, face.looks = side, best[1], _LOOKS
    face.scores = yield from classifier.steps(picture, face, 0, _LOOKS)
    face.margin = ahead(face.scores, face.value) // _LOOKS
    return face if face.margin >= max(_PLACED, OF_BODY[face.value]) else None


def _looked_at(
    picture: Picture,
    classifier: Classifier,
    place: "tuple[int, int, int]",
    number: int,
    value: int,
) -> "Work[tuple[int, int, tuple[int, int, int]]]":
    """Return (margin, value, place) of one look; value: the face asked for, 0 any."""
    face = Face(place[0], place[1], 1, 2)
    face.side = place[2]
    scores = yield from classifier.steps(picture, face, number, 1)
    if not value:
        value = max(range(1, CLASSES), key=lambda k: scores[k])
    return ahead(scores, value), value, place
