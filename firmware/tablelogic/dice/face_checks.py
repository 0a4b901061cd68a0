"""What a face must stand before it is believed: its own pips alike, and nothing left over.

The second way of counting: pip colour inside the outline that belongs to no pip of the pattern is
a pip missed, a gloss, or the pattern of another face.
"""

from tablewire.compat import const

from .face import Face
from .outline import share
from .picture import WAYS, Picture, way_x, way_y

if -0:  # for mypy
    from tabletypes import Spot

_OTHER = const(45)  # percent of the pips' height that makes a spot count
_MIDDLE = const(52)  # percent of the side, in every direction
_INSIDE = const(80)  # percent of the way to the outline
_INSIDE_WEAK = const(140)
_STAIN = const(30)  # percent of a pip's area
_ALIKE = const(65)  # percent: smallest against largest radius
_EVEN = const(60)  # percent: lowest against highest pip
_PLANE = const(30)  # percent of the height that the face's level may differ between pips


def is_alone(face: Face, rings: "list[list[Spot]]") -> bool:
    """Return whether no other spot lies on the face. rings: spots of rings near its own."""
    spots = [
        spot
        for ring in rings
        for spot in ring
        if spot[2] * face.sign * 100 >= face.height * _OTHER
    ]
    if face.value in (2, 3) and _is_half(face, spots):
        return False
    near = face.ring * 10 * face.ring * 10
    middle = 16 * face.side * _MIDDLE // 100
    inside = _INSIDE if face.strong else _INSIDE_WEAK
    for x, y, _ in spots:
        if any((x - a) * (x - a) + (y - b) * (y - b) < near for a, b in face.pips):
            continue
        if face.apart(x, y) < middle * middle or share(face, x, y) < inside:
            return False
    return True


def _is_half(face: Face, spots: "list[Spot]") -> bool:
    """Return whether two spots run beside a 2 or 3 as its own ends do: half of a 4 or 6."""
    (x, y), (end_x, end_y) = face.pips[0], face.pips[1]
    across = end_x - x
    down = end_y - y
    length = across * across + down * down
    near = [spot for spot in spots if face.apart(spot[0], spot[1]) < length * 25 // 4]
    for spot in near:
        a = spot[0] - x
        b = spot[1] - y
        away = a * a + b * b
        if not length // 4 <= away <= length * 9 // 5:
            continue
        if 2 * abs(a * across + b * down) > min(away, length):
            continue
        for other in near:
            c = other[0] - spot[0] - across
            d = other[1] - spot[1] - down
            if (c * c + d * d) * 30 < length:
                return True
    return False


def pips_are_alike(picture: Picture, face: Face) -> bool:
    """Return whether the pips are round, of one size and height, and on one plane; sets pip."""
    smallest = narrowest = lowest = floor = 1 << 24
    largest = widest = highest = ceiling = -floor
    total = 0
    reach = max(face.pitch * 7 // 10, 20) if face.pitch else face.ring * 20
    for x, y in face.pips:
        mean, least, most = _radius(picture, face, x, y)
        total += mean
        smallest, largest = min(smallest, mean), max(largest, mean)
        narrowest, widest = min(narrowest, least), max(widest, most)
        ring = sorted(level * face.sign for level in picture.around(x, y, reach))[2]
        rise = picture.level(x, y) * face.sign - ring
        lowest, highest = min(lowest, rise), max(highest, rise)
        floor, ceiling = min(floor, ring), max(ceiling, ring)
    face.pip = total // len(face.pips)
    return (
        100 * smallest >= _ALIKE * largest
        and 100 * narrowest >= (60 if face.value == 1 else 33) * widest
        and 100 * lowest >= _EVEN * highest
        and 100 * (ceiling - floor) <= _PLANE * 16 * face.height
    )


def _radius(picture: Picture, face: Face, x: int, y: int) -> "tuple[int, int, int]":
    """Return (mean, least, most) radius of a pip in eight directions, sixteenths of a pixel."""
    limit = max(24, face.pitch * 11 // 20 if face.pitch else face.ring * 24)
    radii = []
    for k in range(0, WAYS, 4):
        r = 0
        while r < limit:
            level = picture.level(x + way_x(k) * r // 64, y + way_y(k) * r // 64)
            if 2 * (level - 16 * face.level) * face.sign < 16 * face.height:
                break
            r += 4
        radii.append(r)
    return sum(radii) // 8, min(radii), max(radii)


def spot_radius(picture: Picture, spot: "Spot", ring: int) -> int:
    """Return the mean radius of a single spot, sixteenths of a pixel."""
    x, y, rise = spot
    face = Face(x, y, 1 if rise > 0 else -1, ring)
    face.height = abs(rise)
    face.level = (picture.level(x, y) >> 4) - rise
    return _radius(picture, face, x, y)[0]


def is_in_scale(face: Face) -> bool:
    """Return whether pips, pitch and side are those of a die, and the pattern is not skewed."""
    side = 16 * face.side
    if face.side < 10:
        return False
    if face.value == 1:
        return 4 <= face.side // face.ring <= 12 and 5 * side <= 100 * face.pip <= 22 * side
    if not 12 * side <= 100 * face.pitch <= (31 if face.strong else 28) * side:
        return False
    if not 22 * face.pitch <= 100 * face.pip <= 75 * face.pitch:
        return False
    a = face.u[0] * face.u[0] + face.u[1] * face.u[1]
    b = face.v[0] * face.v[0] + face.v[1] * face.v[1]
    if 100 * min(a, b) < (76 if face.value < 6 else 28) * max(a, b):
        return False
    return 6 * abs(face.u[0] * face.v[0] + face.u[1] * face.v[1]) <= min(a, b)


def is_clean(picture: Picture, face: Face) -> bool:
    """Return whether no pip colour is left inside the outline beside the pips."""
    apart = face.pitch * 3 // 4 if face.value > 1 else face.pip + 32
    most = face.pip * face.pip // 16 * 22 * _STAIN // 7 // 100  # sixteenths of square pixels
    inside = 78 if face.strong else 120
    area = 0
    for k in range(WAYS):
        for r in range(1, face.rays[k] * inside // 200):
            x = face.x + way_x(k) * r // 4
            y = face.y + way_y(k) * r // 4
            level = picture.level(x, y) - 16 * face.level
            if 2 * level * face.sign >= 16 * face.height and all(
                (x - a) * (x - a) + (y - b) * (y - b) > apart * apart for a, b in face.pips
            ):
                area += r * 201 // 64  # the sector's width at r, times one pixel
        if area > most:
            return False
    return True
