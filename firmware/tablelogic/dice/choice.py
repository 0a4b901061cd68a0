"""Which of the faces that passed are the dice: one for each place, and none too near another."""

from tablewire.compat import const

from .face import Face

_AT_BORDER = const(32)  # sixteenths of a pixel
_SURE = const(36)  # margin of a top: sides and leaning dice were shown as no face


def choose(passed: "list[Face]") -> "tuple[list[Face], bool]":
    """Return the faces, one for each place, surest first, and whether two of them clash."""
    passed.sort(key=lambda face: (-face.margin, not face.pips, -face.value, face.y, face.x))
    chosen: "list[Face]" = []
    clash = False
    for face in passed:
        for other in chosen:
            near = max(face.side, other.side) * 16 * 6 // 10
            if other.apart(face.x, face.y) < near * near:
                clash = clash or _contradicts(face, other)
                break
        else:
            chosen.append(face)
    chosen = [face for face in chosen if not any(_is_flank(face, other) for other in chosen)]
    for k, face in enumerate(chosen):
        clash = clash or any(_clash(face, other) or _is_slab(face, other) for other in chosen[:k])
    return chosen, clash


def _contradicts(face: Face, other: Face) -> bool:
    """Return whether a face throws doubt on a surer one at the same place.

    Part of a four, five or six is no doubt; but of a 2 or 3, one pip may belong to a side.
    """
    if face.value == other.value:
        return False
    if not face.pips or not other.pips:
        return 2 * face.margin >= other.margin
    if 2 * face.height <= other.height:
        return False
    if face.faults and 2 * face.margin < other.margin:
        return False
    near = other.pitch * other.pitch // 9
    return other.value < 4 or not all(
        any((x - a) * (x - a) + (y - b) * (y - b) < near for a, b in other.pips)
        for x, y in face.pips
    )


def _is_flank(face: Face, other: Face) -> bool:
    """Return whether a face is seen on the side of a larger, brighter one: its pips are faint."""
    if not face.pips or not other.pips:
        return False
    side = 16 * other.side * 9 // 10
    return (
        5 * face.side <= 4 * other.side
        and 5 * face.height <= 3 * other.height
        and other.apart(face.x, face.y) < side * side
    )


def _clash(face: Face, other: Face) -> bool:
    """Return whether two faces are too near, or so near that one may be a side of the other."""
    side = 16 * max(face.side, other.side)
    apart = face.apart(other.x, other.y)
    if apart < (side * 9 // 10) * (side * 9 // 10):
        return True
    if apart >= (side * 11 // 10) * (side * 11 // 10):
        return False
    if not face.pips or not other.pips:
        return False
    sure = min(face.margin, other.margin) >= _SURE
    unlike = 4 * min(face.height, other.height) < 3 * max(face.height, other.height)
    if unlike and (face.sign == other.sign or not sure):  # a side has the same pips, but fainter
        return True
    if sure:
        return False
    if 5 * min(face.side, other.side) < 4 * max(face.side, other.side):
        return True
    pitches = (face.pitch, other.pitch)
    return bool(face.pitch and other.pitch and 20 * min(pitches) < 17 * max(pitches))


def _is_slab(face: Face, other: Face) -> bool:
    """Return whether two faces may be the halves of a domino: alike, in line, a side apart."""
    across, down = other.x - face.x, other.y - face.y
    side = 16 * max(face.side, other.side)
    if not face.pips or not other.pips or face.apart(other.x, other.y) > side * side * 3 // 2:
        return False
    if 6 * min(face.height, other.height) < 5 * max(face.height, other.height):
        return False
    return _is_along(face, across, down) and _is_along(other, across, down)


def _is_along(face: Face, across: int, down: int) -> bool:
    """Return whether a way is along a side of a face; a one has no direction and may be."""
    u = abs(face.u[0] * across + face.u[1] * down)
    v = abs(face.v[0] * across + face.v[1] * down)
    return 5 * min(u, v) <= max(u, v)


def is_cut(face: Face, size: "tuple[int, int]") -> bool:
    """Return whether a die reaches out of a picture of (width, height) px.

    Of one that does, the side is that of the part seen: so a die at the very border counts as cut.
    """
    near = face.side * 8 + _AT_BORDER
    width, height = size
    return min(face.x, face.y, 16 * width - face.x, 16 * height - face.y) < near
