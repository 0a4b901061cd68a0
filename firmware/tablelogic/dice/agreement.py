"""Which faces are believed: those that pips, outline and classifier read alike.

The checks of outline.py and checks.py are counted, not all demanded: what one of them doubts on a
glossy or worn die the classifier may confirm, and what it cannot is dropped.
"""

from tablewire.compat import const

from .cells import Cells
from .checks import is_alone, is_clean, is_in_scale, pips_are_alike
from .classifier import CLASSES, LOOKS, Classifier
from .face import Face, on_cloth
from .outline import is_square, trace
from .picture import Picture

_MOST_FAULTS = const(2)  # of five checks
_MOST = const(60)  # faces of one picture that are looked at
_SMALLEST = const(9)  # px, side of a die
_LARGEST = const(80)
# Least margin by value, in sixteenths of a natural logarithm, measured on photographs. Gloss, or
# part of another pattern, looks like a 1, 2 or 3; so those want more, unless their pips passed
# every check.
_LEAST = (0, 32, 32, 32, 20, 20, 20)
_SOUND = const(20)
_FIRST = const(-24)  # enough at the first look
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


def stand(picture: Picture, cells: Cells, place: tuple) -> Face:
    """Return the face of a body without a reading of its pips. place: from bodies()."""
    x, y, side = place
    face = Face(x, y, 1, max(2, side // 96))
    face.level = picture.around(x, y, side * 3 // 10)[4] >> 4
    trace(picture, cells, face)
    face.side = side >> 4
    face.faults = 1
    return face


def believed(picture: Picture, classifier: Classifier, put: list) -> object:
    """Return the faces the classifier confirms, each once, in steps; None: too many.

    put: faces judged by their pips, and bodies, whose value is 0 and which get it here.
    """
    put.sort(key=lambda face: (not face.value, face.faults, -face.height, face.y, face.x))
    looked: list = []
    for k, face in enumerate(put):
        if not (k + 1) % _SOME:
            yield
        if not any(_is_same(face, other) for other in looked):
            looked.append(face)
    if len(looked) > _MOST:
        return None
    for k, face in enumerate(looked):
        face.scores = yield from classifier.steps(picture, face, k, 1)
    looked = [face for face in looked if _ahead(face.scores, face.value) >= _FIRST]
    for k, face in enumerate(looked):
        more = LOOKS // len(_beside(face, looked)) - 1
        if more > 0:
            face.looks += more
            again = yield from classifier.steps(picture, face, k + 1, more)
            face.scores = [one + other for one, other in zip(face.scores, again)]
    for face in looked:
        _weigh(face, _beside(face, looked))
        yield
    return [face for face in looked if face.value and face.margin >= _least(face)]


def _ahead(scores: list, value: int) -> int:
    """Return how far a value is ahead of every other class; 0: how far the best face is."""
    own = scores[value] if value else max(scores[1:])
    return own - max(score for k, score in enumerate(scores) if k != value or not value)


def _weigh(face: Face, together: list) -> None:
    """Set margin, and value of a body, by the mean of every look at one place."""
    looks = sum(other.looks for other in together)
    mean = [sum(other.scores[k] for other in together) // looks for k in range(CLASSES)]
    if not face.pips:
        face.value = max(range(CLASSES), key=lambda k: mean[k])
    face.margin = _ahead(mean, face.value)


def _least(face: Face) -> int:
    return _SOUND if face.pips and not face.faults else _LEAST[face.value]


def _is_same(face: Face, other: Face) -> bool:
    near = 2 * other.side if face.value else other.side
    return (
        face.value == other.value
        and face.apart(other.x, other.y) < near * near
        and 6 * abs(face.side - other.side) < other.side
    )


def _beside(face: Face, looked: list) -> list:
    """Return those looked at in one place, up to a quarter of a side apart; itself too."""
    near = 4 * face.side
    return [
        other
        for other in looked
        if face.apart(other.x, other.y) < near * near
        and 4 * abs(face.side - other.side) < face.side
    ]
