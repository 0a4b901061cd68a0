"""Which spots may be the pips of one face: opposite corners share their middle."""

from tablewire.compat import const

from .face import Face, lattice, one
from .picture import Picture

if -0:  # for mypy
    from tabletypes import Spot, Sure, Work

# Length of a face's diagonal between corner pips, in tenths of the ring's radius.
_SHORTEST = const(24)
_LONGEST = const(90)
_MOST = const(600)  # pairs of one ring and colour
_SOME = const(8)  # pairs, faces: so many of them make a step


def faces(picture: Picture, spots: "list[Spot]", ring: int) -> "Work[list[Face] | None]":
    """Return the faces the spots of one ring may make, in steps; None: too many pairs."""
    candidates = []
    for sign in (1, -1):
        own = [spot for spot in spots if spot[2] * sign > 0]
        pairs = yield from _pairs(own, ring)
        if len(pairs) > _MOST:
            return None
        four_or_two: "list[Sure[Face]]" = []
        for k, pair in enumerate(pairs):
            if not (k + 1) % _SOME:
                yield
            for other in pairs[:k]:
                if _cross(pair, other, ring):
                    four_or_two.append(_four(pair, other, sign, ring))
            four_or_two.append(_two(pair, sign, ring))
        for k, face in enumerate(four_or_two):
            if not (k + 1) % _SOME:
                yield
            if lattice(picture, face, own):
                candidates.append(face)
        for spot in own:
            face = one(picture, spot, ring)
            if face:
                candidates.append(face)
    return candidates


def _pairs(spots: "list[Spot]", ring: int) -> "Work[list[tuple[int, int, int, int]]]":
    """Return (twice the middle, the way from one to the other) of two spots a diagonal apart."""
    shortest = (_SHORTEST * ring * 16 // 10) * (_SHORTEST * ring * 16 // 10)
    longest = (_LONGEST * ring * 16 // 10) * (_LONGEST * ring * 16 // 10)
    pairs = []
    for k, (x, y, height) in enumerate(spots):
        if not (k + 1) % _SOME:
            yield
        for other_x, other_y, other in spots[:k]:
            across = other_x - x
            down = other_y - y
            if not shortest <= across * across + down * down <= longest:
                continue
            if 5 * abs(height) >= 2 * abs(other) and 5 * abs(other) >= 2 * abs(height):
                pairs.append((x + other_x, y + other_y, across, down))
    return pairs


def _cross(pair: "tuple[int, ...]", other: "tuple[int, ...]", ring: int) -> bool:
    """Return whether two pairs have one middle, like lengths and cross: four corners."""
    near = 2 * max(10, ring * 16 * 3 // 10)
    if abs(pair[0] - other[0]) > near or abs(pair[1] - other[1]) > near:
        return False
    a = pair[2] * pair[2] + pair[3] * pair[3]
    b = other[2] * other[2] + other[3] * other[3]
    if a * 16 < b * 9 or b * 16 < a * 9:
        return False
    inner = abs(pair[2] * other[2] + pair[3] * other[3])
    return inner * 7 <= min(a, b) * 4


def _four(pair: "tuple[int, ...]", other: "tuple[int, ...]", sign: int, ring: int) -> Face:
    face = Face((pair[0] + other[0]) // 4, (pair[1] + other[1]) // 4, sign, ring)
    face.u = ((pair[2] + other[2]) // 4, (pair[3] + other[3]) // 4)
    face.v = ((pair[2] - other[2]) // 4, (pair[3] - other[3]) // 4)
    return face


def _two(pair: "tuple[int, ...]", sign: int, ring: int) -> Face:
    face = Face(pair[0] // 2, pair[1] // 2, sign, ring)
    across = (pair[2] + pair[3]) // 4
    down = (pair[3] - pair[2]) // 4
    face.u = (across, down)
    face.v = (-down, across)
    face.value = 2
    return face
