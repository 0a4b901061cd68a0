"""Which faces are believed: those that pips, outline and classifier read alike.

The checks of outline.py and checks.py are counted, not all demanded: what one of them doubts on a
glossy or worn die the classifier may confirm, and what it cannot is dropped.
"""

from tablewire.compat import const

from .cells import Cells
from .checks import is_alone, is_clean, is_in_scale, pips_are_alike
from .classifier import Classifier
from .face import Face, on_cloth
from .outline import is_square, trace
from .picture import Picture

_MOST_FAULTS = const(2)  # of five checks
_MOST = const(60)  # faces of one picture that are looked at
_SMALLEST = const(9)  # px, side of a die
_LARGEST = const(80)
# Least margin, in sixteenths of a natural logarithm, by the number of checks failed. Measured on
# photographs: part of another pattern is taken for a 1, 2 or 3, never for a 4, 5 or 6.
_NEVER = const(1000)
_ONE = (24, 40, _NEVER)
_FEW = (16, 40, 44)
_MANY = (-40, 8, 40)
_FIRST = const(16)  # so much less is enough at the first look
_SOME = const(8)  # faces compared in one step


def judge(picture: Picture, cells: Cells, face: Face, rings: list) -> bool:
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


def believed(picture: Picture, classifier: Classifier, judged: list) -> object:
    """Return the faces the classifier confirms, each once, in steps; None: there are too many."""
    judged.sort(key=lambda face: (face.faults, -face.height, face.y, face.x))
    looked: list = []
    for k, face in enumerate(judged):
        if not (k + 1) % _SOME:
            yield
        if not any(_is_same(face, other) for other in looked):
            looked.append(face)
    if len(looked) > _MOST:
        return None
    found = []
    for face in looked:
        if (yield from _is_confirmed(picture, classifier, face)):
            found.append(face)
    return found


def _is_same(face: Face, other: Face) -> bool:
    near = 2 * other.side
    return (
        face.value == other.value
        and face.apart(other.x, other.y) < near * near
        and 6 * abs(face.side - other.side) < other.side
    )


def _is_confirmed(picture: Picture, classifier: Classifier, face: Face) -> object:
    """Look once, and again from other sides when that agrees, in steps; sets margin."""
    least = (_ONE if face.value == 1 else _FEW if face.value < 4 else _MANY)[face.faults]
    face.margin = yield from classifier.steps(picture, face, 1)
    if face.margin < least - _FIRST:
        return False
    face.margin = yield from classifier.steps(picture, face, 4)
    return face.margin >= least
