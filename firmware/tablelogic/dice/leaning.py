"""Whether a die leans: how much of its sides is seen, and what perspective accounts for.

A flat die away from the middle of the picture shows the sides that face the middle, as one does
that leans. But of flat dice the outline lies beside the top towards the middle, by a share of the
die's side that grows with its distance from there, the same way for all dice below one lens. And
wherever a flat die lies, its pips keep their square: a top that leans is foreshortened.
"""

from tablewire.compat import const

from .face import Face
from .outline import longest
from .picture import WAYS, root, way_x, way_y
from .proportion import skew

if -0:  # for mypy
    from tabletypes import Work

_HALF = const(16)  # WAYS / 2
_PAIRS = const(5)  # least of opposite rays that show how an outline lies
_TOLERANCE = const(30)  # percent of the side
# Per mille of skew(): a top that leans by 21 degrees; more where pips are small.
_SKEWED = const(70)
_BLURRED = const(1600)
_BOTH = const(125)  # percent of their tolerances, squared and summed up
# Percent of the side shown at the picture's diagonal from its middle: what lenses in use show.
_WIDEST = const(140)
_WIDEST_ALONE = const(100)  # no other die shows the lens
_NEAR = const(8)  # percent of the diagonal: nearer to the middle a die tells nothing of the lens
_MOST_SIDES = const(128)  # percent: area of the outline against the top face
_MOST_OF_BODY = const(116)  # and when no pips say how it lies
_LONGEST = const(130)  # percent of the width across it


def any_leans(chosen: "list[Face]", size: "tuple[int, int]") -> "Work[bool]":
    """Return whether one of the dice shows more of its sides than its place accounts for.

    In steps. size: width and height of the picture, px.
    """
    dice = []
    for face in chosen:
        dice.append(_Die(face, chosen, size))
        yield
    lens = _lens(dice)
    for one in dice:
        if one.leans(lens):
            return True
        yield
    return False


def _lens(dice: "list[_Die]") -> int:
    """Return the percent of a side shown a diagonal away; of two middle ones the lower."""
    percents = sorted(
        100 * (one.x * one.right + one.y * one.down) // one.apart
        for one in dice
        if one.is_known and one.apart >= _NEAR * _NEAR
    )
    if not percents:
        return 0
    most = _WIDEST if len(percents) > 1 else _WIDEST_ALONE
    return max(0, min(most, percents[(len(percents) - 1) // 2]))


class _Die:
    """What is seen of one die. x, y: how far its outline lies beside its top, percent of its side,
    if is_known. right, down: to the middle of the picture, percent of its diagonal; apart: their
    square.
    """

    def __init__(self, face: Face, chosen: "list[Face]", size: "tuple[int, int]") -> None:
        self._rays = face.reach
        self._side = face.side
        self._free = _free(face, chosen)
        most = _SKEWED + _BLURRED // face.pitch if face.pitch else 1
        self._skew = 100 * skew(face) // most
        width, height = size
        diagonal = root(256 * (width * width + height * height))
        self.right = 100 * (8 * width - face.x) // diagonal
        self.down = 100 * (8 * height - face.y) // diagonal
        self.apart = self.right * self.right + self.down * self.down
        self.x, self.y, self._strong = 0, 0, face.strong
        self._has_pips = bool(face.pips)
        self.is_known = face.strong and self._has_pips and self._measure()

    def _measure(self) -> bool:
        """Set x and y by least squares over the opposite rays that are free; False: too few."""
        most = 13 * self._side // 5
        a = b = c = p = q = pairs = 0
        for k in range(_HALF):
            if self._free[k] and self._free[k + _HALF]:
                x, y = way_x(k), way_y(k)
                further = min(most, self._rays[k]) - min(most, self._rays[k + _HALF])
                a += x * x >> 6
                b += x * y >> 6
                c += y * y >> 6
                p += x * further
                q += y * further
                pairs += 1
        whole = a * c - b * b
        if pairs < _PAIRS or whole <= 0:
            return False
        self.x = (p * c - q * b) // whole * 50 // self._side
        self.y = (q * a - p * b) // whole * 50 // self._side
        return True

    def leans(self, lens: int) -> bool:
        """Return whether too much is seen, or on the wrong side. lens: from _lens()."""
        doubt = self._skew * self._skew // 100
        if self.is_known:
            x, y = self.x - lens * self.right // 100, self.y - lens * self.down // 100
            aside = 100 * (x * x + y * y) // (_TOLERANCE * _TOLERANCE)
            if aside > 100:
                return True
            doubt += aside
        if doubt > _BOTH:
            return True
        share = lens * root(self.apart) // 100
        most_sides = max(_MOST_SIDES if self._has_pips else _MOST_OF_BODY, 110 + 3 * share // 2)
        return self._area() > most_sides or self._longest() > max(_LONGEST, 115 + share)

    def _area(self) -> int:
        """Return the area of the outline, from its free rays, in percent of the side's square."""
        most = 5 * self._side // 2
        rays = [min(ray, most) for ray, free in zip(self._rays, self._free) if free]
        total = sum(ray * ray for ray in rays)
        return total * 314 // max(1, len(rays) * 4 * self._side * self._side)

    def _longest(self) -> int:
        """Return the greatest free width of the outline in percent of the one across it."""
        if not self._strong:
            return 100
        return longest([min(ray, 8 * self._side // 5) for ray in self._rays], self._free)


def _free(face: Face, chosen: "list[Face]") -> "list[bool]":
    """Return of each ray whether it runs into no other die."""
    free = [True] * WAYS
    for other in chosen:
        x, y = other.x - face.x, other.y - face.y
        apart = root(x * x + y * y)
        if other is not face and apart < 15 * (face.side + other.side):
            for k in range(WAYS):  # the ray and the way to the other are within 50 degrees
                if 100 * (way_x(k) * x + way_y(k) * y) > 64 * 64 * apart:
                    free[k] = False
    return free
