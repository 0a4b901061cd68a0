"""Pips as they are spaced: in a square, and alike on dice of one make.

Size and spacing of the pips of a die read beyond doubt speak for a face that shows the same, and
against one that does not: a 2 or 3 that is part of another pattern has other lengths.
"""

from tablewire.compat import const

from .face import Face
from .picture import root

SURE = const(40)  # margin of a die others are measured by
_PITCH = const(10)  # percent by which spacing and size of pips may differ
_PIP = const(16)
_FLAWED = const(80)  # percent of the side that the spacing asks for: the outline was not found


def sure(looked: "list[Face]") -> "list[Face]":
    """Return the faces others are measured by: three pips or more, every check passed."""
    return [
        face
        for face in looked
        if face.value >= 3 and face.pips and not face.faults and face.margin >= SURE
    ]


def like(face: Face, measures: "list[Face]") -> "Face | None":
    """Return a die, other than its own, whose pips have the size and spacing of a face's."""
    near = 8 * face.side
    for other in measures:
        if (
            face.pitch
            and face.apart(other.x, other.y) > near * near
            and 100 * abs(face.pitch - other.pitch) <= _PITCH * other.pitch
            and 100 * abs(face.pip - other.pip) <= _PIP * other.pip
        ):
            return other
    return None


def mended(face: Face, measures: "list[Face]") -> bool:
    """Give a face the side its pips ask for, where its outline is too small; say whether so."""
    other = like(face, measures)
    if other is None:
        return False
    side = other.side * face.pitch // other.pitch
    if 100 * face.side >= _FLAWED * side:
        return False
    face.side = side
    return True


def skew(face: Face) -> int:
    """Return how far the pips are from a square, per mille: 62 when a top leans by 20 degrees.

    Of a 6 its rows show less, as they are narrow; of a 1, 2 or 3 nothing shows.
    """
    if face.value < 4 or not face.pips:
        return 0
    (a, b), (c, d) = face.u, face.v
    along, across, aslant = a * a + b * b, c * c + d * d, a * c + b * d
    if face.value == 6:
        return 750 * abs(aslant) // max(1, root(along * across))
    unlike = along - across
    return 1000 * root(unlike * unlike + 4 * aslant * aslant) // max(1, along + across)
