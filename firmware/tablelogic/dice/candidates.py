"""What is put forward as a die: faces by their pips and outline, and bodies without a face.

What outline.py and face_checks.py check is counted, not all demanded: what one of them doubts on a
glossy or worn die the classifier may confirm, and what it cannot is dropped.
"""

from tablewire.compat import const

from .cell_grid import Cells
from .face import Face, on_cloth
from .face_checks import is_alone, is_clean, is_in_scale, pips_are_alike
from .outline import is_square, trace
from .picture import Picture

if -0:  # for mypy
    from tabletypes import Spot

_MOST_FAULTS = const(2)  # of five checks
_SMALLEST = const(9)  # px, side of a die
_LARGEST = const(80)


def judge(picture: Picture, cells: Cells, face: Face, rings: "list[list[Spot]]") -> bool:
    """Count the checks a face fails; return whether it may still be believed.

    An outline that does not fit counts for two: the die may lean.

    rings: the spots of its own ring and of those near it.
    """
    if on_cloth(face, cells):
        return False
    trace(picture, cells, face)
    if not _SMALLEST <= face.side <= _LARGEST:
        return False
    face.faults = 0 if pips_are_alike(picture, face) else 1
    if not is_square(face):
        face.faults += 2
    if not is_in_scale(face):
        face.faults += 1 if face.value > 1 else 2
    if face.faults > _MOST_FAULTS:
        return False
    face.faults += not is_alone(face, rings)
    if face.faults > _MOST_FAULTS:
        return False
    face.faults += not is_clean(picture, face)
    return face.faults <= (_MOST_FAULTS if face.value > 1 else 1)


def stand(picture: Picture, cells: Cells, place: "tuple[int, ...]") -> Face:
    """Return the face of a body without a reading of its pips. place: from bodies()."""
    x, y, side = place
    face = Face(x, y, 1, max(2, side // 96))
    face.level = picture.around(x, y, side * 3 // 10)[4] >> 4
    trace(picture, cells, face)
    face.side = side >> 4
    face.faults = 1
    return face
