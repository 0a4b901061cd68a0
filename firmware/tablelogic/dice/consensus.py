"""Which faces are believed: those that pips, outline and classifier read alike."""

from tablewire.compat import const

from .classifier import CLASSES, LOOKS, Classifier
from .face import Face
from .picture import Picture
from .proportion import like, mended, sure

if -0:  # for mypy
    from tabletypes import Work

_MOST = const(60)  # faces of one picture that are looked at
# Least margin by value, in sixteenths of a natural logarithm, measured on photographs. Gloss, or
# part of another pattern, looks like a 1, 2 or 3; so those want more, less so if their pips passed
# every check, and no more if they have the size and spacing of a sure die's.
_LEAST = (0, 26, 32, 32, 20, 20, 20)
# Without a pip: marble looks like 4, 5 and 6 too, and a 2 with one pip in glare like a 1.
OF_BODY = (0, 44, 32, 32, 26, 26, 26)
_SOUND = (0, 20, 26, 26, 20, 20, 20)
_ALIKE = const(20)
_FIRST = const(-24)  # enough at the first look
_DOUBTFUL = const(4)  # from here on, and up to what is sure, it is looked at as often again
_CERTAIN = const(50)
_SOME = const(8)  # faces compared in one step


def believed(
    picture: Picture, classifier: Classifier, put: "list[Face]"
) -> "Work[list[Face] | None]":
    """Return the faces the classifier confirms, each once, in steps; None: too many.

    put: faces judged by their pips, and bodies, whose value is 0 and which get it here.
    """
    put.sort(key=lambda face: (not face.value, face.faults, -face.height, face.y, face.x))
    looked: "list[Face]" = []
    for k, face in enumerate(put):
        if not (k + 1) % _SOME:
            yield
        if not any(_is_same(face, other) for other in looked):
            looked.append(face)
    if len(looked) > _MOST:
        return None
    for k, face in enumerate(looked):
        face.scores = yield from classifier.steps(picture, face, k, 1)
    looked = [face for face in looked if ahead(face.scores, face.value) >= _FIRST]
    for k, face in enumerate(looked):
        more = LOOKS // len(_beside(face, looked)) - 1
        if more > 0:
            yield from _look_again(picture, classifier, face, k + 1, more)
    for face in looked:
        _weigh(face, _beside(face, looked))
        yield
    doubtful = [face for face in looked if _DOUBTFUL <= face.margin < _CERTAIN]
    measures = sure(looked)
    for k, face in enumerate(doubtful):
        if mended(face, measures):
            face.scores, face.looks = [0] * CLASSES, 0
            yield from _look_again(picture, classifier, face, k, LOOKS)
        else:
            yield from _look_again(picture, classifier, face, k + face.looks, face.looks)
    for face in doubtful:
        _weigh(face, _beside(face, looked))
        yield
    return [face for face in looked if face.value and face.margin >= _least(face, measures)]


def _look_again(
    picture: Picture, classifier: Classifier, face: Face, first: int, more: int
) -> "Work[None]":
    face.looks += more
    again = yield from classifier.steps(picture, face, first, more)
    face.scores = [one + other for one, other in zip(face.scores, again)]


def ahead(scores: "list[int]", value: int) -> int:
    """Return how far a value is ahead of every other class; 0: how far the best face is."""
    own = scores[value] if value else max(scores[1:])
    return own - max(score for k, score in enumerate(scores) if k != value or not value)


def _weigh(face: Face, together: "list[Face]") -> None:
    """Set margin, and value of a body, by the mean of every look at one place."""
    looks = sum(other.looks for other in together)
    mean = [sum(other.scores[k] for other in together) // looks for k in range(CLASSES)]
    if not face.pips:
        face.value = max(range(CLASSES), key=lambda k: mean[k])
    face.margin = ahead(mean, face.value)


def _least(face: Face, measures: "list[Face]") -> int:
    if like(face, measures):
        return _ALIKE
    if not face.pips:
        return OF_BODY[face.value]
    return _LEAST[face.value] if face.faults else _SOUND[face.value]


def _is_same(face: Face, other: Face) -> bool:
    near = 2 * other.side if face.value else other.side
    return (
        face.value == other.value
        and face.apart(other.x, other.y) < near * near
        and 6 * abs(face.side - other.side) < other.side
    )


def _beside(face: Face, looked: "list[Face]") -> "list[Face]":
    """Return those looked at in one place, up to a quarter of a side apart; itself too."""
    near = 4 * face.side
    return [
        other
        for other in looked
        if face.apart(other.x, other.y) < near * near
        and 4 * abs(face.side - other.side) < face.side
    ]
